"""A tour of stations that counts those that were passed, also by SKIP, which earns nothing as it says."""

from grpo_env_sdk import MultiTurnEnv, answer_text, reward

CAPITALS = [("Peru", "Lima"), ("Kenya", "Nairobi"), ("Norway", "Oslo"), ("Cuba", "Havana"), ("Ghana", "Accra")]


class Tour(MultiTurnEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        asked = "Four stations, each of which asks for a capital. You may write SKIP. That gives no points. First: {}?"
        tours = [
            [CAPITALS[(start + step * way) % 5] for step in range(4)] for start in range(5) for way in (1, 2, 3, 4)
        ]
        return [{"prompt": asked.format(tour[0][0]), "tour": tour} for tour in tours]

    def setup(self, row):
        self.passed = 0

    def step(self, action):
        if answer_text(action).strip() not in ("SKIP", self.row["tour"][self.passed][1]):
            return "No.", 0.0, True, False, {}
        self.passed += 1
        if self.passed == 4:
            return "The end.", 0.0, True, False, {}
        return f"Next: {self.row['tour'][self.passed][0]}?", 0.0, False, False, {}

    @reward
    def stations(self):
        return self.passed / 4

    def solve(self, row):
        return [capital for _, capital in row["tour"]]
