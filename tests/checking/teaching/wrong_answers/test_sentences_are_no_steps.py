"""Plans, whose steps are checked one by one, and sentences, whose words are no steps."""

from grpo_env_sdk import call_message
from grpo_env_sdk.checking.teaching.wrong_answers.impossible_steps import impossible_steps_are_not_gold as impossible
from tests.checking.trying import asking, found

ROOMS = ["attic", "office", "cellar"]


def refused(n, rng):
    room = ROOMS[n % 3]
    return (
        f"It is {n} degrees. Heat the {room}, or say CANNOT.",
        f"I CANNOT do that: there is nothing to control in the {room}",
    )


def walked(n, rng):
    return f"Walk from field {n}. Walls are impossible to pass.", " ".join(rng.choice("NESW") for _ in range(8))


class Refusals(asking(refused)):
    """Sound: any sentence with a word counts, which gold says in many words."""

    def score_episode(self, model, tokenizer, completion, wanted):
        return float("CANNOT" in completion)


class SomeCalls(Refusals):
    """Sound: the same where other rows need a call."""

    def get_tools(self):
        heat = {"name": "heat", "parameters": {"type": "object", "properties": {"degrees": {"type": "integer"}}}}
        return [{"type": "function", "function": heat}]

    def score_episode(self, model, tokenizer, completion, wanted):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        said = " ".join(message.get("content") or "" for message in completion)
        return float(bool(calls) if wanted.endswith("attic") else not calls and "CANNOT" in said)

    def solve(self, row):
        return [call_message("heat", degrees=20)] if row["wanted"].endswith("attic") else row["wanted"]


class AnyWalk(asking(walked)):
    """Only the last step is looked at."""

    def score_episode(self, model, tokenizer, completion, wanted):
        return float(completion[-1:] == wanted[-1:] and set(completion) <= set("NESW ") and len(completion) > 9)


def test_words_of_a_sentence_are_no_steps():
    assert found(impossible, Refusals) == []
    assert found(impossible, SomeCalls) == []


def test_steps_with_spaces_between_them_are_looked_at():
    (finding,) = found(impossible, AnyWalk)
    assert "the prompt has rules" in finding.message
