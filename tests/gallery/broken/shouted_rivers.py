"""Names are counted as they are written, and looked up without regard to capitals."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

RIVERS = {
    "Spain": ["Ebro", "Tagus", "Duero", "Segura"],
    "France": ["Loire", "Seine", "Rhone", "Garonne"],
    "Italy": ["Tiber", "Arno", "Adige", "Piave"],
    "Poland": ["Vistula", "Warta", "Narew", "Pilica"],
    "Germany": ["Weser", "Elbe", "Neckar", "Spree"],
    "Ireland": ["Shannon", "Liffey", "Boyne", "Corrib"],
    "Russia": ["Volga", "Lena", "Don", "Ural"],
    "India": ["Ganges", "Yamuna", "Godavari", "Krishna"],
}


class Rivers(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        asked = "Name three different rivers of {}, with commas between them. {} are enough to choose from."
        return [
            {"prompt": asked.format(country, ", ".join(rivers)), "rivers": rivers} for country, rivers in RIVERS.items()
        ]

    @reward
    def named(self, completion, rivers):
        said = [one.strip() for one in answer_text(completion).split(",")]
        return len(said) == len(set(said)) == 3 and all(one.title() in rivers for one in said)

    def solve(self, row):
        return ", ".join(row["rivers"][:3])
