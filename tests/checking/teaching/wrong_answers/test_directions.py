"""Directions beside a number or a word that do not count."""

import re

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.teaching.wrong_answers.directions import direction_turned
from grpo_env_sdk.checking.teaching.wrong_answers.near_misses import near_misses_score_less
from tests.checking.trying import found


class Drift(SingleTurnEnv):
    """A clock is fast or slow; only the minutes are compared."""

    forms = ("{} minutes fast", "{} minutes slow")
    signed = False

    def build_dataset(self, tokenizer):
        rows = [(n + 3) * (-1) ** n for n in range(24)]
        return [{"prompt": f"The tower shows {900 + n} when it is 900. How far off is it?", "off": n} for n in rows]

    @reward
    def right(self, completion, off):
        said = answer_text(completion).strip().lower()
        found = next(
            (form for form in self.forms if re.fullmatch(re.escape(form.lower()).replace(r"\{\}", r"(\d+)"), said)),
            None,
        )
        if found is None:
            return 0.0
        number = int(re.search(r"\d+", said)[0])
        if self.signed:
            return float(number == abs(off) and (found == self.forms[0]) == (off > 0))
        return float(number == abs(off))

    def solve(self, row):
        return self.forms[row["off"] < 0].format(abs(row["off"]))


class Signs(Drift):
    forms = ("+{} min", "-{} min")


class Ends(Drift):
    forms = ("{} E", "{} W")


class Signed(Drift):
    signed = True


class Units(Drift):
    """No direction at all."""

    forms = ("{} W", "{} W")

    def solve(self, row):
        return f"{abs(row['off'])} W"


@pytest.mark.parametrize("cls", [Drift, Signs, Ends])
def test_directions_that_do_not_count_are_named(cls):
    findings = [one for one in found(near_misses_score_less, cls) if getattr(one, "severity", "") == "error"]
    assert any("with its direction turned about" in one.message for one in findings)


@pytest.mark.parametrize("cls", [Signed, Units])
def test_directions_that_count_are_let_be(cls):
    assert not [one for one in found(near_misses_score_less, cls) if "direction" in getattr(one, "message", "")]


@pytest.mark.parametrize(("texts", "turned"), [
    (["3 N", "4 S", "9 N", "2 S"], "3 S"),
    (["PROFIT 30", "LOSS 20", "PROFIT 4", "LOSS 1"], "LOSS 30"),
    (["4:10 p.m.", "5:00 a.m.", "3:30 p.m.", "6:20 a.m."], "4:10 a.m."),
    (["Left by 4", "right by 3", "left by 9", "right by 1"], "Right by 4"),
    (["3 N", "4 S", "9 N"], None),
    (["left", "right", "left", "right"], None),
    (["5 n", "4 s", "9 n", "2 s"], None),
    (["left of the right door", "right of it", "left of it", "right of it"], None),
    (["-5", "-4", "3", "7"], None),
])  # fmt: skip
def test_directions_are_turned_where_both_are_answers(texts, turned):
    assert direction_turned(texts)(texts[0]) == turned
