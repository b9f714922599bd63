"""Gold that only writes calls as a text: it is looked at as any other text is."""

import json
import re
from typing import Any

import pytest

from grpo_env_sdk.checking.evidence.golds import golds, said_last
from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_decides_is_asked_for as frames
from grpo_env_sdk.checking.teaching.lazy_answers.hedging import one_answer_at_a_time as hedging
from tests.checking.trying import found, subject_of

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
TANKS = ["basin", "pond", "canal", "well", "lake", "ditch", "moat", "weir"]


class Sluices:
    """Any of the calls that are written counts."""

    ASK = (
        'Write exactly one call, as <tool_call>{{"name": "set_gate", "arguments": {{"gate": ..., "level": ...}}}}'
        "</tool_call>: the gate of the {} to level {}."
    )

    def build_dataset(self, tokenizer: Any) -> Any:
        return [
            {"prompt": self.ASK.format(tank, n % 4 + 2), "gate": tank, "level": n % 4 + 2}
            for n, tank in enumerate(TANKS)
        ]

    def calls(self, completion: str) -> list[Any]:
        made = []
        for text in _CALL.findall(completion):
            try:
                made.append(json.loads(text))
            except ValueError:
                continue
        return made

    def right(self, calls: list[Any], wanted: Any) -> bool:
        return wanted in calls

    def score_episode(self, model: Any, tokenizer: Any, completion: str, gate: str, level: int) -> float:
        wanted = {"name": "set_gate", "arguments": {"gate": gate, "level": level}}
        return float(self.right(self.calls(completion), wanted))

    def solve(self, row: Any) -> str:
        made = {"name": "set_gate", "arguments": {"gate": row["gate"], "level": row["level"]}}
        return f"<tool_call>{json.dumps(made)}</tool_call>"


class OneSluice(Sluices):
    """There has to be one call, and no more."""

    def right(self, calls: list[Any], wanted: Any) -> bool:
        return calls == [wanted]


class LastSluice(Sluices):
    """The last call is the answer."""

    def right(self, calls: list[Any], wanted: Any) -> bool:
        return calls[-1:] == [wanted]


class UntoldForm(OneSluice):
    """The prompt does not say how a call is written."""

    ASK = "Write the call that sets the gate of the {} to level {}."


def test_gold_has_the_calls_that_it_writes_as_its_text() -> None:
    known = golds(subject_of(Sluices))
    assert len(known) == len(TANKS)
    assert all(gold.text.startswith("<tool_call>") for gold in known.values())
    assert said_last("<think><tool_call>{}</tool_call></think>") == ""
    assert said_last("<tool_call>{}</tool_call> Done.") == "Done."
    assert said_last([{"role": "assistant", "content": "</tool_call>", "tool_calls": [{}]}]) == ""


def test_one_call_is_asked_for_and_any_of_several_counts() -> None:
    (finding,) = found(hedging, Sluices)
    assert finding.severity == "error"
    assert "set_gate" in finding.message or "tool_call" in finding.message


@pytest.mark.parametrize("sound", [OneSluice, LastSluice])
def test_one_call_counts(sound: type) -> None:
    assert not found(hedging, sound)


@pytest.mark.parametrize("told", [Sluices, OneSluice])
def test_a_form_with_an_underscore_in_a_short_word_is_mentioned(told: type) -> None:
    assert not found(frames, told)


def test_a_form_that_no_prompt_mentions_is_still_found() -> None:
    (finding,) = found(frames, UntoldForm)
    assert "no prompt mentions" in finding.message
