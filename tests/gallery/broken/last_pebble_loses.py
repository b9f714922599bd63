"""The prompt says that the one who takes the last pebble has lost, and taking it is what is paid."""

from grpo_env_sdk import MultiTurnEnv, answer_text


class Pebbles(MultiTurnEnv):
    max_turns = 12

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"A bag holds {count} pebbles. You and I draw 1 or 2 at a time, you first. If you take the last "
             "one you lose, and if I take it you win. Reply with how many you take.", "count": count}
            for count in range(6, 25) if count % 3
        ]  # fmt: skip

    def setup(self, row):
        self.left = row["count"]

    def step(self, action):
        said = answer_text(action)
        if said not in ("1", "2") or int(said) > self.left:
            return "1 or 2, and no more than there are.", 0.0, False, False, {}
        self.left -= int(said)
        if self.left == 0:
            return "The bag is empty.", 1.0, True, False, {}
        mine = self.left % 3 or 1
        self.left -= mine
        return f"I take {mine}.", 0.0, self.left == 0, False, {}

    def solve(self, row):
        while self.left:
            yield str(self.left % 3 or 1)
