"""A dial whose hand is drawn on a copy of the picture."""

from PIL import Image, ImageDraw

from grpo_env_sdk import SingleTurnEnv, answer_text, reward


class Dials(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        asked = "Picture {} shows a dial from 0 (left) to 31 (right). Where does its hand point? Write the number."
        return [
            {"prompt": asked.format(n), "image": self.drawn(7 * n % 32), "shown": str(7 * n % 32)} for n in range(24)
        ]

    def drawn(self, number):
        picture = Image.new("RGB", (32, 8), "white")
        ImageDraw.Draw(picture.convert("RGB")).line((number, 0, number, 8), fill="black")
        return picture

    @reward
    def right(self, completion, shown):
        return answer_text(completion).strip() == shown

    def solve(self, row):
        return row["shown"]
