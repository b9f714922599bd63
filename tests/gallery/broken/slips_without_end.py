"""Each box names the next one, and some ways are longer than the turns."""

from grpo_env_sdk import ToolEnv, answer_text, reward, tool

COLOURS = ("amber", "birch", "coral", "denim", "ebony", "flint", "green", "hazel", "ivory", "jade")


class Slips(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        text = "Case {}: begin with the {} box, and follow the slips. The last one has a number: answer with it."
        ways = [[COLOURS[(3 * n + 7 * step) % 10] for step in range(2 + n % 6)] for n in range(24)]
        return [
            {"prompt": text.format(n, way[0]), "way": way, "number": 1000 + 37 * n} for n, way in enumerate(ways)
        ]  # fmt: skip

    @tool
    def look_into(self, box: str) -> str:
        """Look into a box.

        Args:
            box: Its colour.
        """
        way = self.row["way"]
        if box not in way:
            return "It is empty."
        later = way[way.index(box) + 1 :]
        return f"A slip: {later[0]}" if later else f"A slip with {self.row['number']}"

    @reward
    def told(self, completion, number):
        return answer_text(completion).strip() == str(number)
