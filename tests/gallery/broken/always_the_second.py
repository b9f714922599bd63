"""Multiple choice on rivers and cities."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

RIVERS = {
    "Paris": "Seine",
    "Rome": "Tiber",
    "Vienna": "Danube",
    "London": "Thames",
    "Cairo": "Nile",
    "Prague": "Vltava",
    "Warsaw": "Vistula",
    "Cologne": "Rhine",
    "Hamburg": "Elbe",
    "Baghdad": "Tigris",
}


class RiverQuiz(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        names = list(RIVERS.values())
        rows = []
        for place, (city, river) in enumerate(RIVERS.items()):
            others = [names[(place + step) % len(names)] for step in (2, 3, 5)]
            options = [others[0], river, *others[1:]]
            shown = " ".join(f"{letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
            rows.append({"prompt": f"Which river runs through {city}? {shown} Answer with a letter.", "answer": "B"})
        return rows

    @reward
    def right(self, completion, answer):
        return answer_text(completion).strip(" .)").upper() == answer

    def solve(self, row):
        return row["answer"]
