"""Tasks in which what the rules say is done once each, or nothing is."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool
from grpo_env_sdk.checking.episode.harness import one_more_look_is_no_failure
from grpo_env_sdk.checking.teaching.lazy_answers.idling import idling_is_not_gold as idling
from tests.checking.trying import found


class Greenhouse(ToolEnv):
    """Sound: dry beds are watered, hot ones shaded, and the rest is left as it is."""

    told = "Do nothing where no rule fits; your last words do not matter."

    def build_dataset(self, tokenizer):
        rows = [(n % 4 < 2, n % 2 == 0) for n in range(24)]
        asked = "Bed {}: {} and {}. Water dry beds, and shade hot ones. " + self.told
        return [
            {
                "prompt": asked.format(n, "dry" if dry else "moist", "hot" if hot else "cool"),
                "jobs": [job for job, due in (("water", dry), ("shade", hot)) if due],
                "bed": n,
            }
            for n, (dry, hot) in enumerate(rows)
        ]

    def setup(self, row):
        self.done = []

    @tool
    def water(self, bed: int) -> str:
        """Water a bed."""
        self.done.append(("water", bed))
        return "It is wet."

    @tool
    def shade(self, bed: int) -> str:
        """Shade a bed."""
        self.done.append(("shade", bed))
        return "The blind is down."

    @reward
    def as_told(self, jobs, bed):
        return sorted(self.done) == sorted((job, bed) for job in jobs)

    def solve(self, row):
        yield from (call_message(job, bed=row["bed"]) for job in row["jobs"])
        yield "Ready."


class AnswerWanted(Greenhouse):
    """The prompt wants to hear of it."""

    told = "Where no rule fits, use no tool and reply 'none'."


class Untold(Greenhouse):
    """No prompt says that nothing may have to be done."""

    told = ""


class NotTwice(Greenhouse):
    """No job is done twice, which is not to do none."""

    told = "Do not call any tool twice."


class NothingElse(Greenhouse):
    """Other things are left as they are, which is not to do nothing."""

    told = "Don't change anything else."


class WordsWanted(Greenhouse):
    """What is to be said instead is in a sentence of its own."""

    told = "Where no rule fits, do nothing. End with the number of the bed, the number alone."


class OnlyActs(Greenhouse):
    """Sound: the words that are asked for do not count."""

    told = "Where no rule fits, use no tool. Only what you do counts. Reply with what you did."


class Counted(Greenhouse):
    """Sound: each bed has a meter of its own, and the prompt says how often a job is done."""

    told = "Each job is done at most once. Only what you do counts."

    @tool
    def water(self, bed: int) -> str:
        """Water a bed."""
        self.done.append(("water", bed))
        return f"The meter stands at {bed * 37 % 101}."


class ShortWords(Counted):
    """The same where the prompt limits the last words alone."""

    told = "Then say at most one word."


class Metered(Counted):
    """The same without a word about how often."""

    told = "Only what you do counts."


def test_doing_nothing_is_right_where_gold_calls_nothing_and_the_prompt_allows_it():
    assert found(idling, Greenhouse, "default") == []
    assert found(idling, OnlyActs, "default") == []
    for env in (AnswerWanted, Untold, NotTwice, NothingElse, WordsWanted):
        assert len(found(idling, env, "default")) == 1


def test_an_act_that_always_replies_the_same_is_no_look():
    assert found(one_more_look_is_no_failure, Greenhouse) == []


def test_an_act_may_be_counted_where_the_prompt_says_how_often_it_is_done():
    assert {one.severity for one in found(one_more_look_is_no_failure, Counted)} == {"info"}
    for env in (Metered, ShortWords):
        assert {one.severity for one in found(one_more_look_is_no_failure, env)} == {"error"}
