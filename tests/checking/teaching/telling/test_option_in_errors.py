"""The error of an odd call names one of the options of the prompt: the answer."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.row_in_replies import replies_do_not_show_the_row
from tests.checking.trying import found

STONES = {"opal": (5, "milky"), "ruby": (9, "red"), "jade": (6, "green"), "agate": (7, "banded"), "topaz": (8, "gold")}


class Stones(ToolEnv):
    """Which stone is in the box? Its features can be measured."""

    max_turns = 6

    def build_dataset(self, tokenizer):
        asked = "Box {}: a stone of these: {}. Measure its features, then say which it is."
        return [
            {"prompt": asked.format(n, ", ".join(STONES)), "stone": stone} for n, stone in enumerate([*STONES, *STONES])
        ]

    @tool
    def measure(self, feature: str) -> str:
        """Measure a feature.

        Args:
            feature: hardness or colour.
        """
        stone = self.row["stone"]
        values = dict(zip(("hardness", "colour"), STONES[stone], strict=True))
        return str(values[feature]) if feature in values else self.error(stone, feature)

    def error(self, stone, feature):
        return f"Error: {stone} has no feature {feature!r}."

    @reward
    def right(self, completion, stone):
        return answer_text(completion).strip() == stone

    def solve(self, row):
        yield call_message("measure", feature="hardness")
        yield row["stone"]


class Silent(Stones):
    """Sound: the error names no stone."""

    def error(self, stone, feature):
        return f"Error: there is no feature {feature!r}."


class Lists(Stones):
    """Sound: the error lists all stones."""

    def error(self, stone, feature):
        return f"Error: no stone ({', '.join(STONES)}) has {feature!r}."


class Known(Stones):
    """Sound: the prompt names the one stone that its error repeats."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Box {n}: measure the {stone}, and say its name.", "stone": stone}
            for n, stone in enumerate(STONES)
        ]


def test_an_error_with_the_answer_is_named():
    (finding,) = found(replies_do_not_show_the_row, Stones)
    assert "names the answer alone" in finding.message
    assert finding.severity in (None, "error")


@pytest.mark.parametrize("cls", [Silent, Lists, Known])
def test_other_errors_are_let_alone(cls):
    assert found(replies_do_not_show_the_row, cls) == []
