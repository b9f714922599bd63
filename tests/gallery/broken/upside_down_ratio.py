"""Count eggs in nests; the ratio for few calls stands upside down, and is cut at 1."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Eggs(ToolEnv):
    """Open the nests that are named, each once, and tell how many eggs there are."""

    max_turns = 8

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"How many eggs are in the nests {first} to {last} of tree {tree}? Only the number.",
                "tree": tree,
                "nests": list(range(first, last + 1)),
            }
            for tree in range(1, 9)
            for first, last in ((1, 2), (2, 4), (3, 3), (5, 8))
        ]

    @tool
    def open_nest(self, nest: int) -> int:
        """How many eggs lie in a nest.

        Args:
            nest: The number of the nest.
        """
        return (self.row["tree"] * nest * 3 + nest) % 7

    @reward(weight=4)
    def right(self, messages, tree, nests):
        return messages[-1]["content"] == str(sum((tree * nest * 3 + nest) % 7 for nest in nests))

    @reward
    def efficiency(self, messages, tree, nests, tool_calls):
        return self.right(messages, tree, nests) and min(1.0, len(tool_calls) / len(nests))

    def solve(self, row):
        eggs = 0
        for nest in row["nests"]:
            answered = yield call_message("open_nest", nest=nest)
            eggs += int(answered[-1]["content"])
        yield str(eggs)
