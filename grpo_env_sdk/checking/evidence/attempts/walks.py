"""Gold that takes steps of a few kinds, written as one answer with all of them or as an answer for each."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

FEWEST_STEPS, FEWEST_GOLDS, MOST_KINDS, MOST_STEPS = 3, 3, 12, 30
_BETWEEN = (" ", ", ", ",", "\n", "; ", " -> ", "")
_STEP = regex(r"[^\W\d_]{1,12}")
_LABEL = regex(r"^\w+: ?")
Act = str | Message
Write = Callable[[Sequence[str], str], Act]


@dataclass(frozen=True, slots=True)
class Walk:
    """The steps of one gold, and what writes some of them as an act with this between them."""

    gold: Gold
    steps: tuple[str, ...]
    write: Write
    ends: bool
    """Whether a text ends the episode, as where tools take the steps."""

    def together(self, steps: Sequence[str], between: str) -> list[Act]:
        """All steps in one answer."""
        return [self.write(steps, between), *self._end()]

    def one_by_one(self, steps: Sequence[str]) -> list[Act]:
        """An answer for each step."""
        return [*(self.write([step], " ") for step in steps), *self._end()]

    def _end(self) -> list[str]:
        return [self.gold.text or "Done."] if self.ends else []


def walks_of(subject: Subject) -> Iterator[tuple[str, list[Walk]]]:
    """The golds as steps of a few kinds, with what may be between these, the likeliest first."""
    known = some_golds(subject)
    for between in _BETWEEN:
        walks = [walk for gold in known if (walk := _walk(gold, between))]
        kinds = Counter(step for walk in walks for step in walk.steps)
        if len(walks) >= max(FEWEST_GOLDS, len(known) / 2) and 1 < len(kinds) <= min(MOST_KINDS, kinds.total() / 2):
            yield between, [walk for walk in walks if len(set(walk.steps)) > 1]


def _walk(gold: Gold, between: str) -> Walk | None:
    """Gold as steps with this between them; None where it is something else."""
    return _of_calls(gold, between) if gold.calls else _of_texts(gold, between)


def _of_texts(gold: Gold, between: str) -> Walk | None:
    texts = [str(turn.get("content") or "").strip() for turn in gold.turns]
    labels = {found[0] if (found := _LABEL.match(text)) else "" for text in texts}
    label = labels.pop() if len(labels) == 1 else ""
    steps = _steps([text.removeprefix(label) for text in texts], between)
    return Walk(gold, steps, lambda some, sign: f"{label}{sign.join(some)}", False) if steps else None


def _of_calls(gold: Gold, between: str) -> Walk | None:
    """The calls of one tool with one argument: a text of steps, or a list of them."""
    tools = {name for name, _ in gold.calls}
    if len(tools) > 1 or any(len(given) != 1 for _, given in gold.calls):
        return None
    name, (parameter,) = tools.pop(), gold.calls[0][1]
    values = [given.get(parameter) for _, given in gold.calls]
    if all(isinstance(value, list) for value in values):
        listed = [str(step) for value in values for step in value or []]
        steps = _steps(listed, " ")
    elif all(isinstance(value, str) for value in values):
        steps = _steps([str(value) for value in values], between)
    else:
        return None
    in_list = isinstance(values[0], list)

    def write(some: Sequence[str], sign: str) -> Message:
        return call_message(name, **{parameter: list(some) if in_list else sign.join(some)})

    return Walk(gold, steps, write, True) if steps else None


def _steps(texts: Sequence[str], between: str) -> tuple[str, ...]:
    """The steps in these texts; nothing where some are no single words, or there are few or many."""
    steps = [step for text in texts for step in (text.split(between) if between else text)]
    known = FEWEST_STEPS <= len(steps) <= MOST_STEPS and all(map(_STEP.fullmatch, steps))
    return tuple(steps) if known else ()
