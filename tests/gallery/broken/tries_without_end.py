"""Name the animals of two sounds; a wrong animal does not use the one try up."""

from grpo_env_sdk import MultiTurnEnv, answer_text

SOUNDS = {"cow": "moo", "cat": "meow", "dog": "woof", "hen": "cluck", "pig": "oink", "owl": "hoot", "bee": "buzz"}
ROUNDS = [[name, other] for name in SOUNDS for other in SOUNDS if name < other]


class Sounds(MultiTurnEnv):
    """Which animal makes a sound, twice."""

    max_turns = 6
    reward_range = (0, 1)
    rule = "You have one try for each sound."

    def build_dataset(self, tokenizer):
        said = f"Name the animal of each sound: {', '.join(SOUNDS)}. {self.rule} The first sound: "
        return [{"prompt": said + SOUNDS[animals[0]], "animals": animals} for animals in ROUNDS]

    def setup(self, row):
        self.at, self.right = 0, 0

    def step(self, action):
        said, wanted = answer_text([action]).strip().lower(), self.row["animals"][self.at]
        if said not in SOUNDS:
            return "That is not one of the animals.", 0.0, False, False, {}
        if said != wanted:
            return self.missed()
        return self.goes_on("Yes.", 0.5)

    def missed(self):
        return f"No, that is wrong. The sound is {SOUNDS[self.row['animals'][self.at]]}.", 0.0, False, False, {}

    def goes_on(self, told, earned):
        self.at += 1
        over = self.at == len(self.row["animals"])
        return told if over else f"{told} Next: {SOUNDS[self.row['animals'][self.at]]}", earned, over, False, {}

    def solve(self, row):
        return row["animals"]
