"""How scoring time grows with the length of a reply, measured from short to long so that nothing hangs."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from grpo_env_sdk.checking.evidence.attempts.answers import timed_out
from grpo_env_sdk.checking.evidence.attempts.slow_shapes import explosive
from grpo_env_sdk.checking.evidence.golds import usable_gold
from grpo_env_sdk.checking.evidence.playing.machine_load import Stopwatch
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.data.messages import answer_text

SHORTEST, LONGEST = 100, 6_400
"""How many characters are added."""
LONG, GIVEN_UP = 1.0, 2.0
"""The seconds of a processor that a score may take, and the least that one counts that was given up."""
_STEEP, _FLAT, _MOST_NEXT = 8.0, 1.3, 4.0
"""Growth is what makes a score so much slower; longer replies are not tried if the next one may take more seconds."""
_WORDS = "so the next step is clear and then we go on with it "
_LINES = "12, 7.5 (x - 1) = 34;\n"
_FILLED: dict[str, Callable[[str, int], str]] = {
    "words before the answer": lambda text, more: f"{_filled(_WORDS, more)}\n{text}",
    "numbers before the answer": lambda text, more: f"{_filled(_LINES, more)}{text}",
    "words in the answer": lambda text, more: (
        f"{text[: len(text) // 2]}{_filled(_WORDS, more)}{text[len(text) // 2 :]}"
    ),
}


@dataclass(frozen=True, slots=True)
class SlowReply:
    """A reply whose score took long: what was added to it, the seconds, and those of the reply without that."""

    row: int
    what: str
    text: str
    seconds: float
    alone: float
    added: int

    def of(self, length: int) -> float:
        """The seconds of a reply of so many characters, if they grow no faster than its length."""
        return self.alone + (self.seconds - self.alone) / self.added * length


def slow_reply(subject: Subject) -> SlowReply | None:
    """The shortest reply whose score takes long for its length; None where replies of any length are quick."""
    return subject.once(("score", "slow reply"), lambda: _find(subject))


def is_quick(subject: Subject, text: str) -> bool:
    """Whether a text is shorter than what takes long to score."""
    slow = slow_reply(subject)
    return slow is None or len(text) < len(slow.text)


def _find(subject: Subject) -> SlowReply | None:
    if explosive(subject):
        return None  # S205 reports it
    row = subject.chosen[0]
    gold = usable_gold(subject, row) if subject.gold_source else None
    text = (answer_text(gold.completion) if gold else "") or "42"
    alone = min(_seconds(subject, row, text) for _ in range(2))
    if alone > LONG / 2:
        return None
    found = (_grown(subject, row, what, partial(fill, text), alone) for what, fill in _FILLED.items())
    return next((slow for slow in found if slow), None)


def _grown(subject: Subject, row: int, what: str, fill: Callable[[int], str], alone: float) -> SlowReply | None:
    added, before = SHORTEST, alone
    while added <= LONGEST:
        reply = fill(added)
        seconds = _seconds(subject, row, reply)
        if seconds > max(LONG, _STEEP * alone):
            return SlowReply(row, what, reply, seconds, alone, added)
        flat = seconds < _FLAT * alone + 0.01
        if not flat and seconds * min(max(2.0, seconds / max(before, 1e-3)), 8.0) > _MOST_NEXT:
            return None
        added, before = added * (8 if flat else 2), seconds
    return None


def _seconds(subject: Subject, row: int, text: str) -> float:
    """The seconds of a processor, of this process and those that it starts."""
    watch = Stopwatch()
    given_up = timed_out(subject.answer(row, text))
    worked = watch.stop().worked
    return max(worked, GIVEN_UP) if given_up and worked > LONG / 4 else worked


def _filled(words: str, length: int) -> str:
    return (words * (length // len(words) + 1))[:length]
