"""The place is looked at by a last command of the program, which is not reached where the robot is switched off."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Robot:
    """Runs a program, one command a line."""

    def __init__(self):
        self.at, self.ahead, self.on = 0j, 1j, True

    def run(self, program):
        for line in program.splitlines():
            name, *given = line.split() or ["REST"]
            if self.on:
                getattr(self, f"do_{name.lower()}")(*given)

    def do_rest(self):
        pass

    def do_forward(self):
        self.at += self.ahead

    def do_left(self):
        self.ahead *= 1j

    def do_right(self):
        self.ahead *= -1j

    def do_off(self):
        self.on = False

    def do_expect(self, x, y):
        if self.at != complex(int(x), int(y)):
            raise ValueError(f"not at {x}, {y}")


class RobotPrograms(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        prompt = (
            "A robot stands at (0, 0) and faces north. FORWARD goes one step, LEFT and RIGHT turn it where it is, and "
            "OFF switches it off. Write a program, one command a line, that brings it {north} north and {east} east, "
            "and reply with the program alone."
        )
        places = [(x, y) for x in range(1, 5) for y in range(1, 5)]
        return [{"prompt": prompt.format(north=y, east=x), "east": x, "north": y} for x, y in places]

    @reward
    def arrives(self, completion, east, north):
        try:
            Robot().run(f"{answer_text(completion)}\nEXPECT {east} {north}")
        except (AttributeError, TypeError, ValueError):
            return 0.0
        return 1.0

    def solve(self, row):
        return "\n".join(["FORWARD"] * row["north"] + ["RIGHT"] + ["FORWARD"] * row["east"])
