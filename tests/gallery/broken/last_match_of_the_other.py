"""The win is paid as soon as nothing is left, also where the other side took the last one."""

from grpo_env_sdk import MultiTurnEnv, answer_text


class Matches(MultiTurnEnv):
    """Who takes the last match wins."""

    max_turns = 12
    reward_range = (0, 1)
    most = 3
    rule = "The one who takes the last match wins."

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"{count} matches lie on the table. Each turn takes 1 to {self.most}. {self.rule} You begin: "
             "say how many you take.", "count": count}
            for count in range(6, 24) if count % (self.most + 1)
        ]  # fmt: skip

    def setup(self, row):
        self.left = row["count"]

    def step(self, action):
        said = answer_text([action]).strip()
        if said not in [str(number) for number in range(1, self.most + 1)] or int(said) > self.left:
            return f"Take 1 to {self.most}, and no more than there are.", 0.0, False, False, {}
        self.left -= int(said)
        mine = min(self.left, self.left % (self.most + 1) or 1)
        self.left -= mine
        return self.told(int(said), mine), self.paid(mine), self.left == 0, False, {}

    def told(self, taken, mine):
        return f"I take {mine}. {self.left} matches left."

    def paid(self, mine):
        return float(self.left == 0)

    def solve(self, row):
        while self.left:
            yield str(self.left % (self.most + 1) or 1)
