"""Pictures that are blank, and those that show something."""

import pytest
from PIL import Image, ImageDraw

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.contract.blank_pictures import pictures_are_not_blank as blank
from tests.checking.trying import found


class Bars(SingleTurnEnv):
    """The height of a bar in a picture."""

    asked = "Chart {} has one bar. How high is it, in pixels? The number alone."
    blank = False

    def build_dataset(self, tokenizer):
        return [
            {"prompt": self.asked.format(n), "image": self.drawn(5 * n % 17), "high": str(5 * n % 17)}
            for n in range(17)
        ]

    def drawn(self, high):
        image = Image.new("RGB", (8, 20), "grey")
        drawn_on = image.copy() if self.blank else image
        ImageDraw.Draw(drawn_on).rectangle((2, 19 - high, 5, 19), fill="blue")
        return image

    @reward
    def right(self, completion, high):
        return answer_text(completion).strip() == high

    def solve(self, row):
        return row["high"]


class BlankBars(Bars):
    blank = True


class BlankWithNames(Bars):
    """Blank too, but each prompt may be about another bar: only a warning."""

    blank = True

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [
            {**row, "prompt": f"{row['prompt']} It is that of {'ABCDEFGHIJKLMNOPQ'[n]}."} for n, row in enumerate(rows)
        ]


class LastBar(Bars):
    """All rows hold the one image that was drawn on again and again."""

    canvas = Image.new("RGB", (8, 20), "grey")

    def drawn(self, high):
        ImageDraw.Draw(self.canvas).rectangle((0, 0, 8, 20), fill="grey")
        ImageDraw.Draw(self.canvas).rectangle((2, 19 - high, 5, 19), fill="blue")
        return self.canvas


class OneChart(Bars):
    """Sound: many questions about one picture, which says more than the number of the row."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        return [
            {**row, "image": rows[3]["image"], "prompt": f"How high is bar {letter} of this chart? The number alone."}
            for row, letter in zip(rows, "ABCDEFGHIJKLMNOPQ", strict=True)
        ]


class Colours(Bars):
    """Sound: each picture has one colour, which is asked for."""

    asked = "Picture {}. How bright is it, from 0 to 16? The number alone."

    def drawn(self, high):
        return Image.new("RGB", (8, 8), (high * 15,) * 3)


class WithoutPictures(Bars):
    """Sound: a blank picture for a model that needs one, and all is in the text."""

    blank = True
    asked = "What is 5 times {}, modulo 17? The number alone."


class TextOfAPicture(SingleTurnEnv):
    """Sound: text alone, about pictures."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"A picture shows {n} and {n + 3} birds. How many?", "sum": 2 * n + 3} for n in range(12)]

    @reward
    def right(self, completion, sum):
        return answer_text(completion).strip() == str(sum)

    def solve(self, row):
        return str(row["sum"])


@pytest.mark.parametrize(("cls", "severity"), [(BlankBars, "error"), (BlankWithNames, "warning")])
def test_a_blank_picture_with_different_answers_is_found(cls, severity):
    [finding] = found(blank, cls)
    assert (finding.severity, "(128, 128, 128, 255)" in finding.message) == (severity, True)


def test_one_picture_on_all_rows_whose_answers_differ_is_an_error():
    [finding] = found(blank, LastBar)
    assert "17 rows that were looked at are the same one, with 17 different answers" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [Bars, OneChart, Colours, WithoutPictures, TextOfAPicture])
def test_pictures_that_show_something_or_are_not_asked_about_are_let_be(cls):
    assert found(blank, cls) == []
