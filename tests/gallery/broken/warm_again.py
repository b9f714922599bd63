"""Each step nearer pays, also after a step away: going to and fro earns more than arriving."""

from grpo_env_sdk import MultiTurnEnv


class Lighthouse(MultiTurnEnv):
    max_turns = 24
    reward_range = (0, 1.5)

    def build_dataset(self, tokenizer):
        asked = "Boat {}: row to the light, 5 miles east or west. Say 'east' or 'west'; I say if it is nearer."
        return [{"prompt": asked.format(n), "place": 5 * (-1) ** (n // 2 + n)} for n in range(20)]

    def setup(self, row):
        self.at, self.far = 0, abs(row["place"])

    def step(self, action):
        self.at += {"east": 1, "west": -1}.get((action["content"] or "").strip(), 0)
        far, before = abs(self.row["place"] - self.at), self.far
        self.far = far
        if far == 0:
            return "You are there.", 1.0, True, False, {}
        return ("Nearer.", 0.1, False, False, {}) if far < before else ("Not nearer.", 0.0, False, False, {})

    def solve(self, row):
        right, wrong = ("east", "west") if row["place"] > 0 else ("west", "east")
        return [wrong, *[right] * (abs(row["place"]) + 1)]
