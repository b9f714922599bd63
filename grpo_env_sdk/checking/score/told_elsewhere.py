"""What tools and users say to the same turns in another process, and which of its surroundings matter."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.attempts.answers import GOLD, GOLD_OF_ANOTHER, Answer, play
from grpo_env_sdk.checking.evidence.attempts.clock_dates import counted_from_the_clock
from grpo_env_sdk.checking.evidence.processes.other_process import PlayedElsewhere
from grpo_env_sdk.checking.evidence.processes.other_surroundings import CLOCK, HOUSED, RANKED, SPOKEN, ZONED
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text
from grpo_env_sdk.types import Episode

SORTED = (
    "Read no clock, local time, locale, RANK, HOME or file of the working directory. "
    "Sort what comes from a set, use hashlib instead of hash(), and use only the row in an episode: "
    "`build_dataset` may not have run in that process."
)
WHOLE_KEY = (
    "Keep no state between episodes, and let the key of a cache hold all that its value depends on: "
    "the whole prompt or id of the row, and the whole answer."
)
OTHER = "in another process, with another hash seed, time zone, language, rank, user, folder and date"
HASHED = "in another process, with another hash seed"
ALONE = "in a process that played no other episodes before"
_ONE_BY_ONE = ("", CLOCK, ZONED, HOUSED, SPOKEN, RANKED)
"""The surroundings in the order in which they are tried alone: each of these processes has another hash seed, and what
reads the clock reads it in some time zone."""
_COUNTED = ", from which the date that gold gives has to be counted; that is the same on any day"
_BEFORE = 20
"""The characters shown before a difference."""


def told_elsewhere(
    subject: Subject, first: Sequence[tuple[Answer, Episode]], there: Sequence[tuple[Answer, Episode]]
) -> Iterator[Finding]:
    """The first reply that is another one there, where it stays the same here."""
    before = {id(answer): episode for answer, episode in first}
    for answer, again in there:
        one = before[id(answer)]
        told = zip(replies_of(one), replies_of(again), strict=False)
        different = next(((here, other) for here, other in told if here != other), None)
        if one.error or again.error or different is None:
            continue
        if [replies_of(episode) for _, episode in play(subject, [answer])] == [replies_of(one)]:
            here, other = map(quoted, _from_where_they_differ(*different))
            said = answer_text(one.completion) if answer.what in (GOLD, GOLD_OF_ANOTHER) else ""
            tells = bool(said) and said in different[0] and said not in different[1]
            place = place_of(subject, answer, one)
            by_process = place == HASHED and _is_steady_there(subject, answer)
            left = by_process and _is_left_by_others(subject, first, answer)
            pairs = [(before[id(other_answer)], episode) for other_answer, episode in there]
            counted = place.endswith(CLOCK) and counted_from_the_clock(subject, pairs)
            what = ", which is what gold says" if tells else _COUNTED if counted else ""
            place = ALONE if left else place
            certain = tells or counted or by_process
            yield Finding(
                f"The same turns ({answer.what}) got the reply {other} {place}, and {here} here{what}.",
                WHOLE_KEY if left else SORTED, answer.row, answer.completion, different[1], different[0],
                severity="error" if certain else "warning",
            )  # fmt: skip
        return


def place_of(subject: Subject, answer: Answer, here: Episode) -> str:
    """Which of the surroundings of another process matters: the first that alone gives something else than here."""
    for kind in _ONE_BY_ONE:
        played = PlayedElsewhere(subject, [answer], kinds=(kind,) if kind else ()).episodes() or []
        for _, again in played:
            if again.error is None and (again.reward != here.reward or replies_of(again) != replies_of(here)):
                return f"in another process, with {kind}" if kind else HASHED
    return OTHER


def _is_left_by_others(subject: Subject, first: Sequence[tuple[Answer, Episode]], answer: Answer) -> bool:
    """Whether processes with one hash seed reply otherwise after answers to other rows than to this one alone."""
    others = [one for one, _ in first if one.row != answer.row]
    runs = [PlayedElsewhere(subject, [*before, answer], kinds=()).episodes() for before in ([], others)]
    alone, after = (replies_of(played[-1][1]) if played else [] for played in runs)
    return bool(alone and after) and alone != after


def _is_steady_there(subject: Subject, answer: Answer) -> bool:
    """Whether processes with the same hash seed reply alike, so that it decides, and no address or process number."""
    runs = [PlayedElsewhere(subject, [answer], kinds=()).episodes() or [] for _ in range(2)]
    first, again = ([replies_of(episode) for _, episode in played] for played in runs)
    return first == again != []


def _from_where_they_differ(one: str, other: str) -> tuple[str, str]:
    """Two texts from a few characters before the first that differs."""
    pairs = enumerate(zip(one, other, strict=False))
    same = next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))
    return (one, other) if same < _BEFORE else (f"...{one[same - _BEFORE :]}", f"...{other[same - _BEFORE :]}")


def replies_of(episode: Episode) -> list[str]:
    """What tools and users said."""
    return [str(message.get("content")) for message in episode.completion if message["role"] != "assistant"]
