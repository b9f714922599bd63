"""What looks like a fault of form or of one path, and is none."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.episode.harness import one_more_look_is_no_failure
from grpo_env_sdk.checking.teaching.frames import the_form_that_decides_is_asked_for
from tests.checking.trying import found
from tests.gallery.broken.one_path import Boxes
from tests.gallery.broken.unmentioned_label import Sums
from tests.gallery.sound.valid_values_listed import Transfers


class Filters(SingleTurnEnv):
    """Code whose first line is alike on all rows, as all tasks are of one kind."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Write keep(xs), which returns those over {n}.", "n": n} for n in range(11, 41)]

    @reward
    def right(self, completion, n):
        return answer_text(completion) == self.solve({"n": n})

    def solve(self, row):
        return f"```python\ndef keep(xs):\n    wanted = [x for x in xs if x > {row['n']}]\n    return wanted\n```"


def test_the_start_of_code_is_no_form_around_an_answer():
    assert found(the_form_that_decides_is_asked_for, Filters) == []
    assert len(found(the_form_that_decides_is_asked_for, Sums)) == 1


def test_a_change_that_is_made_twice_is_no_second_look():
    assert found(one_more_look_is_no_failure, Transfers) == []
    assert len(found(one_more_look_is_no_failure, Boxes)) == 1


class Factors(SingleTurnEnv):
    """Products with a sign of their own between the factors, which the prompt may show."""

    shown = ""
    sign = " . "

    def build_dataset(self, tokenizer):
        text = "Write {} as a product of primes." + self.shown
        return [
            {"prompt": text.format(first * second), "gold": f"{first}{self.sign}{second}"}
            for first in (2, 3, 5) for second in (7, 11, 13, 17)
        ]  # fmt: skip

    @reward
    def right(self, completion, gold):
        return answer_text(completion) == gold

    def solve(self, row):
        return row["gold"]


class ShownSign(Factors):
    shown = " Such as 2 . 3 for 6."


class UsualSign(Factors):
    sign = " * "


def test_a_sign_between_items_that_decides_is_asked_for():
    (finding,) = found(the_form_that_decides_is_asked_for, Factors)
    assert (finding.severity, "A sign that no prompt shows" in finding.message) == ("warning", True)
    assert found(the_form_that_decides_is_asked_for, ShownSign) == []
    assert found(the_form_that_decides_is_asked_for, UsualSign) == []
