"""Gold as a script: the acts of a plan, a game or a run of calls, taken apart and put together in other ways."""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.attempts.steps import FEWEST_STEPS, Steps, steps_of_golds
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import acts_of, looking_tools, some_golds
from grpo_env_sdk.types import Message

MOST_ACTS, MOST_VERBS = 60, 6
"""How many acts of gold are taken apart at most, and how many verbs they have where their things differ by row."""
BETWEEN = ("\n", "; ", ", ")


@dataclass(frozen=True, slots=True)
class Step:
    """One act: what is done, to what, and how it is written."""

    verb: str
    object: str
    written: str | Message

    @property
    def shown(self) -> str:
        """The act as a finding shows it."""
        return f"{self.verb} {self.object}".strip()


@dataclass(frozen=True, slots=True)
class Script:
    """The acts of one gold answer, and what makes an answer of acts."""

    gold: Gold
    steps: tuple[Step, ...]
    write: Callable[[Sequence[Step]], Completion]


def scripts_of(subject: Subject) -> list[Script]:
    """The scripts of some golds; empty where gold is no sequence of acts."""
    return subject.once(("teaching", "scripts"), lambda: _found(subject))


def answers_of(tried: Iterable[tuple[Script, Sequence[Step]]]) -> list[tuple[int, Completion]]:
    """The answers that take these steps, with their rows."""
    return [(script.gold.row, script.write(steps)) for script, steps in tried]


def places_of_acts(subject: Subject, script: Script) -> list[int]:
    """The places of the steps that change something: they do not only look or ask, and are no texts between calls."""
    looks = looking_tools(subject)
    calls = any(not isinstance(step.written, str) for step in script.steps)
    return [
        place for place, step in enumerate(script.steps)
        if step.verb and step.verb not in looks and "?" not in step.object
        and (not calls or not isinstance(step.written, str))
    ]  # fmt: skip


def _found(subject: Subject) -> list[Script]:
    if subject.traits.kind == "single-turn":
        return [_of_plan(one) for one in steps_of_golds(subject) or _lines_of(subject)]
    known = [gold for gold in some_golds(subject) if 1 < len(acts_of(gold)) <= MOST_ACTS]
    return [
        _of_calls(gold) if any(turn.get("tool_calls") for turn in gold.turns) else _of_turns(gold) for gold in known
    ]


def _lines_of(subject: Subject) -> list[Steps]:
    """Golds of several lines that begin with a few verbs, which are done to things of each row."""
    known = some_golds(subject)
    for between in BETWEEN:
        found = [Steps(gold, tuple(gold.text.strip().split(between)), between, ("", "")) for gold in known]
        verbs = {step.split()[0] for one in found for step in one.steps if " " in step.strip()}
        plain = all(" " in step.strip() for one in found for step in one.steps)
        if plain and 1 < len(verbs) <= MOST_VERBS and all(len(one.steps) >= FEWEST_STEPS for one in found):
            return found
    return []


def _of_plan(one: Steps) -> Script:
    return Script(
        one.gold, tuple(map(_of_text, one.steps)), lambda steps: one.text(str(step.written) for step in steps)
    )


def _of_turns(gold: Gold) -> Script:
    texts = [str(turn.get("content") or "") for turn in gold.turns]
    return Script(gold, tuple(map(_of_text, texts)), lambda steps: [str(step.written) for step in steps])


def _of_calls(gold: Gold) -> Script:
    """Its calls, one in each turn; texts between and after them are acts without a verb."""
    return Script(gold, tuple(map(_of_turn, acts_of(gold))), lambda steps: [deepcopy(step.written) for step in steps])


def _of_turn(turn: Message) -> Step:
    if not turn.get("tool_calls"):
        return Step("", str(turn.get("content") or ""), turn)
    function = turn["tool_calls"][0]["function"]
    given = function["arguments"] if isinstance(function["arguments"], dict) else {}
    return Step(function["name"], " ".join(map(str, given.values())), turn)


def _of_text(text: str) -> Step:
    verb, _, rest = text.strip().partition(" ")
    return Step(verb, rest, text)
