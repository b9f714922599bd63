"""A named part, such as one for brevity, that an empty answer is paid for, while what is asked for earns nothing."""

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_tag, answer_text, reward
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from grpo_env_sdk.checking.teaching.lazy_answers.idling import idling_is_not_gold as idling
from grpo_env_sdk.rewards import xml_tags
from tests.checking.trying import found

RIVERS = {"Paris": "Seine", "Rome": "Tiber", "Cairo": "Nile", "London": "Thames", "Turin": "Po", "Lyon": "Rhone"}


class Rivers(SingleTurnEnv):
    """The river of a city, in few words; two fifths are for brevity."""

    TEXT = "Which river flows through {}? Answer in at most three words."

    def build_dataset(self, tokenizer):
        return [{"prompt": self.TEXT.format(city), "river": river} for city, river in RIVERS.items()]

    @reward(weight=3)
    def right(self, completion, river):
        return river in answer_text(completion)

    @reward(weight=2)
    def brief(self, completion, river):
        return len(answer_text(completion).split()) <= 3

    def solve(self, row):
        return row["river"]


class BriefAndRight(Rivers):
    """Sound: brevity counts once the answer is right."""

    @reward(weight=2)
    def brief(self, completion, river):
        return river in answer_text(completion) and len(answer_text(completion).split()) <= 3


class BriefAndSomething(Rivers):
    """Sound: an answer of no words is not a brief one."""

    @reward(weight=2)
    def brief(self, completion, river):
        return 0.6 * (0 < len(answer_text(completion).split()) <= 3)


class Announced(Rivers):
    """The prompt says what is paid for."""

    TEXT = "Which river flows through {}? Three points for its name, and two if there are at most three words."


class LittleForBrevity(Rivers):
    """Sound: brevity is a small part."""

    @reward(weight=0.5)
    def brief(self, completion, river):
        return len(answer_text(completion).split()) <= 3


def severities(cls):
    return [finding.severity for finding in found(idling, cls, "default")]


def test_an_empty_answer_that_is_paid_for_brevity_alone_is_an_error():
    (finding,) = found(idling, Rivers, "default")
    assert finding.severity == "error"
    assert "An empty answer earns 40% of what gold earns" in finding.message


def test_it_is_a_warning_where_prompts_say_what_is_paid_for():
    assert severities(Announced) == ["warning"]


@pytest.mark.parametrize("sound", [BriefAndRight, LittleForBrevity, BriefAndSomething])
def test_brevity_that_needs_an_answer_is_sound(sound):
    assert severities(sound) == []


def tagged(weight):
    class Tagged(SingleTurnEnv):
        """A sum whose tags have this weight beside it; no `solve` says what is right."""

        rewards = (xml_tags(["notes", "sum"], weight=weight),)

        def build_dataset(self, tokenizer):
            ask = "{} + 17? Write your notes between <notes> and </notes>, and the sum between <sum> and </sum>."
            return [{"prompt": ask.format(n), "total": n + 17} for n in range(16)]

        @reward
        def right(self, completion, total):
            return (answer_tag(completion, "sum") or "").strip() == str(total)

    return Tagged


def test_tags_that_outweigh_what_is_right_are_an_error_without_gold():
    (finding,) = (one for one in found(no_fixed_answer_is_gold, tagged(3)) if hasattr(one, "severity"))
    assert (finding.severity, "'xml_tags'" in finding.message) == ("error", True)
    assert [one for one in found(no_fixed_answer_is_gold, tagged(0.5)) if hasattr(one, "severity")] == []
