"""G700: questions in any order that are answered by their number, and users that listen or tell by themselves."""

import pytest

from grpo_env_sdk.checking.teaching.telling.replies_by_number import questions_are_answered_by_what_they_ask as answered
from tests.checking.trying import found
from tests.gallery.broken.answers_by_number import Frames


def frames(
    ask="Ask for the width and the height of picture {}, in any order, and cut it.", said="{1} cm.", listens=False
):
    class Asked(Frames):
        def build_dataset(self, tokenizer):
            return [{**row, "prompt": ask.format(n)} for n, row in enumerate(super().build_dataset(tokenizer))]

        def user(self, messages):
            told = super().user(messages)
            if told is None:
                return None
            name = ("width", "height")[len(self.told) - 1]
            if listens:
                name = next(one for one in ("width", "height") if one in str(messages[-1]["content"]))
            return said.format(name, self.row[name])

    return Asked


@pytest.mark.parametrize("cls", [
    Frames,
    frames(),
    frames("Questions about width and height of picture {} can come in whatever order; then cut."),
    frames(said="It is {1}, I think."),
])  # fmt: skip
def test_users_that_count_questions_are_found(cls):
    (finding,) = found(answered, cls)
    assert (finding.severity, "And the height?" in finding.message) == ("error", True)


@pytest.mark.parametrize("cls", [
    frames(listens=True),
    frames(said="The {0} is {1} cm."),
    frames("Ask for the width and then for the height of picture {}, and cut it."),
    frames("Ask what to cut for picture {}. Cuts of width and height may come in any order."),
])  # fmt: skip
def test_users_that_listen_or_say_what_they_mean_are_let_be(cls):
    assert found(answered, cls) == []
