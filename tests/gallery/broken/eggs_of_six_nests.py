"""Count eggs on a farm: the tool lists the nests in a tree, no more than six of them, and says nothing of that."""

import json
import random

from grpo_env_sdk import ToolEnv, answer_text, reward, tool

TREES = ["Alder", "Birch", "Cherry", "Fir", "Larch", "Maple"]


class Nests(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rng = random.Random(6)
        rows = []
        for number in range(16):
            nests = [
                {"nest": f"{tree[0]}{place}", "tree": tree, "eggs": rng.randint(1, 7)}
                for tree in TREES
                for place in range(rng.randint(3, 11))
            ]
            tree = rng.choice(TREES)
            rows.append({
                "prompt": f"How many eggs are in all nests in the {tree} of wood {number + 100}? Look them up, and "
                "answer with the number alone.",
                "nests": json.dumps(nests),
                "eggs": sum(nest["eggs"] for nest in nests if nest["tree"] == tree),
            })  # fmt: skip
        return rows

    @tool
    def list_nests(self, tree: str) -> str:
        """List the nests in a tree, with the eggs in each.

        Args:
            tree: Its name.
        """
        return json.dumps([nest for nest in json.loads(self.row["nests"]) if nest["tree"] == tree][:6])

    @reward
    def right(self, completion, eggs):
        return answer_text(completion).strip() == str(eggs)
