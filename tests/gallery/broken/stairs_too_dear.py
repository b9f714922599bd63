"""Each floor costs, and the top floors cost more than the delivery pays."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Couriers(ToolEnv):
    max_turns = 12
    reward_range = (-0.6, 0.5)

    def build_dataset(self, tokenizer):
        said = (
            "Hand letter {n} over on floor {floor}. climb takes you one floor up, and hand_over gives the letter away."
        )
        return [
            {"prompt": said.format(n=n, floor=floor), "floor": floor}
            for n, floor in enumerate([1, 9, 3, 7, 2, 8, 6, 4])
        ]

    def setup(self, row):
        self.floor = 0
        self.handed = False

    @tool
    def climb(self) -> str:
        """Climb one floor."""
        self.floor += 1
        return f"You are on floor {self.floor}."

    @tool
    def hand_over(self) -> str:
        """Give the letter to who lives on this floor."""
        self.handed = self.handed or self.floor == self.row["floor"]
        return "Thank you!" if self.handed else "Nobody here expects a letter."

    @reward(weight=0.5)
    def delivered(self):
        return self.handed

    @reward(weight=-0.1)
    def effort(self):
        return self.floor

    def solve(self, row):
        for _ in range(row["floor"]):
            yield call_message("climb")
        yield call_message("hand_over")
        yield "It is handed over."
