"""The same answer is worth the same: again, in another order, on another instance, in another process."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.answers import Said, answers_tried, differing, play, worth
from grpo_env_sdk.checking.evidence.other_process import play_elsewhere
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.unsteady import unsteady
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.data.rows import Split, splits_itself
from grpo_env_sdk.types import Episode

MOST_ELSEWHERE = {"quick": 100, "default": 300, "thorough": 2_000}
_SEEDED = "Draw from random.Random(seed of the row), and leave clocks and counters out of the score."
_MADE_ALIKE = "Make all that scoring needs in the constructor, from its arguments alone."
_SORTED = (
    "Sort what comes out of a set, use hashlib in place of hash(), and let an episode need the row alone: "
    "`build_dataset` may never have run there."
)
_STATELESS = "Keep nothing between episodes: compute the score from the row and the answer alone."
Pair = tuple[Said, Episode, Episode]


@check("S210", share=3)
def a_score_is_the_same_again(subject: Subject) -> Iterator[Finding]:
    """The same answer to the same row is worth the same, each time it is scored."""
    found = unsteady(subject)
    if found:
        said, values = found[0]
        drawn = _is_drawn(subject, said, values)
        why = "whatever came before" if drawn else "depending on what was scored before"
        yield Finding(
            f"One answer ({said.what}) was worth {_told(values)}, {why}.",
            _SEEDED if drawn else _STATELESS, said.row, said.completion, values, "one score",
        )  # fmt: skip


@check("S211", share=3)
def a_score_is_the_same_in_another_order(subject: Subject) -> Iterator[Finding]:
    """What an answer is worth does not depend on which answers were scored before it."""
    if unsteady(subject):
        return  # told already
    first = answers_tried(subject)
    yield from _first(
        differing(first, play(subject, [said for said, _ in reversed(first)])),
        "when the answers were scored in the opposite order", _STATELESS,
    )  # fmt: skip


@check("S212", share=2)
def a_score_is_the_same_on_another_instance(subject: Subject) -> Iterator[Finding]:
    """An instance made anew gives every answer the same score."""
    if unsteady(subject):
        return
    first = answers_tried(subject)
    parts: tuple[Split, ...] = ("train", "test") if splits_itself(subject.loaded.env) else ("all",)
    for part in parts:
        if not subject.time_left:
            return
        other = apart(subject)
        there = set(other.loaded.rows(part).indices)
        other.once("rows", lambda: subject.rows)
        differ = differing(first, play(other, [said for said, _ in first if said.row in there]))
        steady = [pair for pair in differ if not _differs_here(subject, pair)]
        where = "on an instance made anew" + (f" that built the split {part!r} alone" if part != "all" else "")
        yield from _first(steady, where, _MADE_ALIKE)
        if steady:
            return


@check("S213", share=4, effort="default")
def a_score_is_the_same_in_another_process(subject: Subject) -> Iterator[Finding | Undecided]:
    """Another process, with another PYTHONHASHSEED, plays the same answers to the same end."""
    if unsteady(subject):
        return
    first = [pair for pair in answers_tried(subject) if not pair[1].error][: MOST_ELSEWHERE[subject.effort]]
    told = play_elsewhere(subject, [said for said, _ in first])
    if told is None:
        yield Undecided("Another process could not play the episodes.", "See whether it imports without this shell.")
        return
    differ = [pair for pair in differing(first, told) if not _differs_here(subject, pair)]
    yield from _first(differ, "in another process", _SORTED)


def apart(subject: Subject) -> Subject:
    """The same environment on an instance of its own, with nothing remembered."""
    other = Subject(subject.spec, subject.settings, subject.tell)
    other.tokenizer, other.limits = subject.tokenizer, subject.limits
    other.once("loaded", subject.another)
    other.begin("", subject.time_left)
    return other


def _is_drawn(subject: Subject, said: Said, values: list[float | str | None]) -> bool:
    """Whether two instances made anew disagree too, so that it is chance and not memory."""
    runs = [[worth(episode) for _, episode in play(apart(subject), [said] * (2 * len(values)))] for _ in range(2)]
    return runs[0] != runs[1] or len(set(map(str, runs[0]))) == 1


def _differs_here(subject: Subject, pair: Pair) -> bool:
    """Whether it is worth something else here too by now: then it is no matter of the place."""
    return bool(differing([pair[:2]], play(subject, [pair[0]])))


def _first(differ: list[Pair], where: str, hint: str) -> Iterator[Finding]:
    if differ:
        said, one, other = differ[0]
        count = f" ({len(differ)} answers were)" if len(differ) > 1 else ""
        yield Finding(
            f"One answer ({said.what}) was worth {_told([worth(one)])}, and {_told([worth(other)])} {where}{count}.",
            hint, said.row, said.completion, _shown(other), _shown(one),
        )  # fmt: skip


def _shown(episode: Episode) -> object:
    return episode.error.message if episode.error else episode.reward


def _told(values: list[float | str | None]) -> str:
    names = list(dict.fromkeys(f"{value:.6g}" if isinstance(value, float) else str(value) for value in values))
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
