"""Gold that was cut at a comma of its own, and gold of lines that only look so."""

import pytest

from grpo_env_sdk import answer_text, reward
from grpo_env_sdk.checking.contract.cut_at_separators import gold_is_not_cut_at_a_separator
from tests.checking.trying import found
from tests.gallery.broken.title_cut_at_a_comma import FILMS, Films

HERBS = """\
smells of lemon and calms;balm;green
grows on old walls; small;pellitory;grey
stings who touches it;nettle;green
is put on pizza; and dried;oregano;green
turns towards the sun;marigold;yellow
was thought to keep witches off;mugwort;silver
helps against coughs;thyme; also wild;green
"""


class WholeTitles(Films):
    """Sound: a line is split from both ends."""

    def build_dataset(self, tokenizer):
        rows = [(line.split(",")[0], line.partition(",")[2].rpartition(",")[0]) for line in FILMS.splitlines()]
        return [{"prompt": f"Which film is it? {story}. Its whole title.", "title": title} for story, title in rows]


class ShortTitles(Films):
    """Sound: the first part of a title is enough, and so is the whole."""

    @reward
    def right(self, completion, title):
        return float(answer_text(completion).strip().startswith(title))


class OtherAnswers(Films):
    """Sound: what follows are other right answers, and the row has them."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        lines = [line.split(",") for line in FILMS.splitlines()]
        return [{**row, "others": [one.strip() for one in line[2:-1]]} for row, line in zip(rows, lines, strict=True)]


class Herbs(Films):
    """Sound: a note follows the name on one row alone."""

    def build_dataset(self, tokenizer):
        rows = [line.split(";") for line in HERBS.splitlines()]
        return [{"prompt": f"Which herb {' '.join(row[:-2])}?", "title": row[-2].strip()} for row in rows]


def test_gold_that_is_cut_at_a_comma_is_found():
    (finding,) = found(gold_is_not_cut_at_a_separator, Films)
    assert "The Good, the Bad and the Ugly" in finding.message or "Butch, the Kid" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [WholeTitles, ShortTitles, OtherAnswers, Herbs])
def test_gold_of_whole_fields_is_let_be(cls):
    assert found(gold_is_not_cut_at_a_separator, cls) == []
