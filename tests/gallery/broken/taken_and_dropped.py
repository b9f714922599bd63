"""Each time the thing is taken, half of the reward is paid; dropping it costs nothing."""

from grpo_env_sdk import MultiTurnEnv

THINGS = ("lamp", "rope", "key", "coin", "book", "map", "cup", "bell")


class Cellar(MultiTurnEnv):
    max_turns = 12
    reward_range = (0, 1)

    def build_dataset(self, tokenizer):
        prompt = "You are in the hall. Say: go down, go up, take {0}, drop {0}. Bring the {0} up."
        return [{"prompt": prompt.format(thing), "thing": thing} for thing in THINGS]

    def setup(self, row):
        self.room, self.held = "hall", False

    def step(self, action):
        said, thing = action["content"].strip().lower(), self.row["thing"]
        if said in ("go down", "go up"):
            self.room = "cellar" if said == "go down" else "hall"
            done = self.held and self.room == "hall"
            return f"You are in the {self.room}.", 0.5 * done, done, False, {}
        if said == f"take {thing}" and not self.held and self.room == "cellar":
            self.held = True
            return "Taken.", 0.5, False, False, {}
        if said == f"drop {thing}" and self.held:
            self.held = False
            return "Dropped.", 0.0, False, False, {}
        return "Nothing happens.", 0.0, False, False, {}

    def solve(self, row):
        return ["go down", f"take {row['thing']}", "go up"]
