"""The callers' wishes are sorted by name for the user, and not for the scorer."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

WISHES = [
    ("Mr Zander", "sourdough", "Monday"), ("Ms Abel", "baguettes", "Friday"), ("Mr Yates", "pretzels", "Tuesday"),
    ("Ms Boyd", "croissants", "Sunday"), ("Mr Xu", "muffins", "Thursday"), ("Ms Cole", "bagels", "Wednesday"),
    ("Mr Vogt", "scones", "Saturday"), ("Ms Dorn", "ciabatta", "Monday"), ("Mr Unger", "brioche", "Friday"),
]  # fmt: skip


class BakeryPhone(ToolEnv):
    max_turns = 6
    spoken = sorted(WISHES)

    def build_dataset(self, tokenizer):
        rules = "Ask the caller of a bakery what to bake for which day, and note it."
        return [
            {"prompt": f"{rules} The caller says: Good morning, {name} here.", "line": line, "bread": bread, "day": day}
            for line, (name, bread, day) in enumerate(WISHES)
        ]

    def setup(self, row):
        self.noted = []

    def user(self, messages):
        if self.noted:
            return None
        _, bread, day = self.spoken[self.row["line"]]
        return f"A tray of {bread} for {day}, please."

    @tool
    def note(self, bread: str, day: str) -> str:
        """Note what is to be baked, and for which day."""
        self.noted.append((bread, day))
        return "Noted."

    @reward
    def as_asked(self, bread, day):
        return self.noted == [(bread, day)]

    def solve(self, row):
        return ["What may it be?", call_message("note", bread=row["bread"], day=row["day"]), "Thank you."]
