"""Five plurals to write, of which those count that were written before leaving."""

from grpo_env_sdk import MultiTurnEnv, answer_text

WORDS = {"mouse": "mice", "tooth": "teeth", "child": "children", "ox": "oxen", "goose": "geese", "foot": "feet"}


class Plurals(MultiTurnEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        told = "List {}. Write the plural of each word, one in a message; all five count. Say QUIT to leave."
        lists = [[list(WORDS)[(n + step * (1 + n % 5)) % 6] for step in range(5)] for n in range(18)]
        return [{"prompt": f"{told.format(n)} The first: {one[0]}.", "words": one} for n, one in enumerate(lists)]

    def setup(self, row):
        self.marks = []

    def step(self, action):
        said, words = answer_text([action]).strip(), self.row["words"]
        leaves = said == "QUIT"
        if not leaves:
            self.marks.append(said == WORDS[words[len(self.marks)]])
        if leaves or len(self.marks) == 5:
            return "Done.", sum(self.marks) / max(1, len(self.marks)), True, False, {}
        return f"The next: {words[len(self.marks)]}.", 0.0, False, False, {}

    def solve(self, row):
        return [WORDS[word] for word in row["words"]]
