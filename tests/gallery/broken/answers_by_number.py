"""The user tells the width first and the height second, whatever was asked for."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Frames(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        ask = "Ask me for the width and for the height of picture {}, in whichever order. Then cut its frame."
        sizes = [(30, 40), (20, 55), (60, 45), (35, 25), (80, 70), (15, 65)]
        return [{"prompt": ask.format(n), "width": one, "height": two} for n, (one, two) in enumerate(sizes)]

    def setup(self, row):
        self.told, self.frames = [], []

    @tool
    def cut(self, width: int, height: int) -> str:
        """Cut a frame."""
        self.frames.append((width, height))
        return "Cut."

    def user(self, messages):
        sizes = [self.row["width"], self.row["height"]]
        if self.frames or len(self.told) == len(sizes):
            return None
        self.told.append(sizes[len(self.told)])
        return f"{self.told[-1]} cm."

    @reward
    def fits(self, width, height):
        return self.frames == [(width, height)]

    def solve(self, row):
        cut = call_message("cut", width=row["width"], height=row["height"])
        return ["How large is the width?", "And the height?", cut, "Done."]
