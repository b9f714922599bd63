"""Follow notes from box to box to the one that holds a word."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord")


class BoxHunt(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Hunt {6 * links + n}: open box {17 * n + 3} and follow the notes. Which word is last?",
                "boxes": [17 * n + 3 + 29 * step for step in range(links)],
                "word": word,
            }
            for n, word in enumerate(WORDS)
            for links in (1, 2, 3, 4, 5, 6)
        ]

    @tool
    def open_box(self, number: int) -> str:
        """Open a box and read what is in it.

        Args:
            number: The number of the box.
        """
        boxes = self.row["boxes"]
        if number not in boxes:
            return "The box is empty."
        place = boxes.index(number) + 1
        return f"Go to box {boxes[place]}." if place < len(boxes) else f"The word is {self.row['word']}."

    @reward
    def right(self, messages, word):
        return messages[-1].get("role") == "assistant" and messages[-1]["content"].strip().lower() == word

    def solve(self, row):
        for number in row["boxes"]:
            yield call_message("open_box", number=number)
        yield row["word"]
