from typing import ClassVar

import textarena

from grpo_env_sdk import MultiTurnEnv


class GuessTheNumber(MultiTurnEnv):
    """Guess a number from 1 to 50 in ten turns."""

    max_turns = 10
    isolate_globals = True
    waive: ClassVar = {"G505": "the game pays for a near guess"}

    def build_dataset(self, tokenizer):
        return [{"prompt": "Play this game.", "seed_of_game": seed} for seed in range(200)]

    def reset(self, *, seed=None, options=None):
        self.game = textarena.make("GuessTheNumber-v0-hardcore-raw")
        self.game.reset(num_players=1, seed=self.row["seed_of_game"])
        return self.seen(), {}

    def step(self, action):
        done, _ = self.game.step(action["content"][:1000])
        reward = self.game.close()[0][0] if done else 0.0
        return self.seen(), reward, done, False, {}

    def seen(self):
        _, messages = self.game.get_observation()
        return "\n".join(text for sender, text, _ in messages if sender == textarena.GAME_ID)

    def solve(self, row):
        low, high = 1, 50
        while True:
            middle = (low + high) // 2
            answered = yield f"[{middle}]"
            if "higher" in answered[-1]["content"]:
                low = middle + 1
            else:
                high = middle - 1
