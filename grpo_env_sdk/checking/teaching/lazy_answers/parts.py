"""Whether each named reward can be earned and lost, and none depends only on the length."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, episodes_seen, gold_episodes, golds, play_answers
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.rewards.adaptive import AdaptiveWeight
from grpo_env_sdk.rewards.named_parts import parts_of
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.types import Episode

FEWEST = 20
FLOOR = 0.5
"""A reward that never falls below this part of its range is reported."""
MOST_ROWS = {"quick": 10, "default": 24, "thorough": 100}


@check("G510", severity="warning")
def every_part_can_be_earned_and_lost(subject: Subject) -> Iterator[Item]:
    """Every named reward can be earned, and differs between answers."""
    rubric = Rubric.of(subject.loaded.env)
    weights = {part.name: part.weight for part in rubric.parts}
    ranges = {part.name: part.range for part in rubric.parts}
    if not weights:
        return
    _some_more(subject)
    values = _values(episodes_seen(subject))
    in_gold = _values(list(gold_episodes(subject).values()))
    yield Table(
        "Named rewards", ["reward", "weight", "least", "most", "gold earns", "abstains"],
        [
            [name, f"{weight:g}", _least(values[name]), _most(values[name]), _mean(in_gold[name]), _none(values[name])]
            for name, weight in weights.items()
        ],
        f"Over {len(episodes_seen(subject))} episodes: gold, corrupted gold, answers of other rows, meaningless words.",
    )  # fmt: skip
    for name, weight in weights.items():
        seen = [value for value in values[name] if value is not None]
        if weight and len(values[name]) >= FEWEST:
            yield from _judged(name, weight, seen, ranges[name], subject)


@check("G511", kinds=("single-turn",), needs=("gold",), severity="warning")
def length_alone_does_not_decide(subject: Subject) -> Iterator[Item]:
    """No score depends only on the length of the answer."""
    known = [gold for gold in golds(subject).values() if len(gold.text) >= 4][: MOST_ROWS[subject.effort]]
    if len(known) < 4:
        return
    equal = _by_row(play_answers(subject, [(gold.row, "x" * len(gold.text)) for gold in known]))
    words = _by_row(play_answers(subject, [(gold.row, _nonsense(gold)) for gold in known]))
    longer = _by_row(play_answers(subject, [(gold.row, "lorem " * (len(gold.text) + 50)) for gold in known]))
    shorter = _by_row(play_answers(subject, [(gold.row, "lo") for gold in known]))
    gold_of = {gold.row: gold_episodes(subject)[gold.row] for gold in known}
    for name in (None, *next(iter(gold_of.values())).rewards):
        like, other = [], []
        for row, episode in gold_of.items():
            value = _value(episode, name)
            if value is None or row not in equal or row not in words or row not in longer or row not in shorter:
                continue
            like.append(any(_close(_value(item[row], name), value) for item in (equal, words)))
            other.append(not all(_close(_value(item[row], name), value) for item in (longer, shorter)))
        same, differs = Share(sum(like), len(like)), Share(sum(other), len(other))
        if same.low >= MOSTLY and differs.low >= MOSTLY:
            yield _follows_length(name, known[0], words[known[0].row], same)


def counted_rewards(subject: Subject) -> list[Reward]:
    """The named rewards with a weight, without their adaptive weights; one for each part of a reward with parts."""
    rewards = Rubric.of(subject.loaded.env).rewards
    plain = [item.reward if isinstance(item, AdaptiveWeight) else item for item in rewards]
    return [
        replace(item, name=part.name, weight=part.weight, parts=None)
        for item in plain
        for part in parts_of(item)
        if part.weight
    ]


def _some_more(subject: Subject) -> None:
    """Play more answers, in case no other check has run before."""
    known = list(golds(subject).values())[: MOST_ROWS[subject.effort]]
    rows = [gold.row for gold in known] or subject.sample(MOST_ROWS[subject.effort])
    texts = ("", "lorem ipsum", "lorem ipsum " * 300, "<think>x</think><answer>x</answer>", '{"answer": 1}')
    play_answers(subject, [(row, text) for row in rows for text in texts])
    play_answers(subject, [(row, gold.turns) for row, gold in zip(rows[1:], known, strict=False)])
    if subject.traits.kind != "single-turn":
        episodes_seen(subject).extend(subject.play_many(rows, "random"))


def _judged(
    name: str, weight: float, seen: Sequence[float], ends: tuple[float, float], subject: Subject
) -> Iterator[Item]:
    episodes = [item for item in episodes_seen(subject) if name in item.rewards]
    example = episodes[0]
    if not seen:
        yield Finding(
            f"The reward {name!r} abstained in all {len(episodes)} episodes, so it never counts.",
            "Return a number where it applies; None means that it does not count.",
            row=example.row_index, output=None, severity="warning",
        )  # fmt: skip
    elif max(seen) - min(seen) <= NEARLY:
        lost = weight > 0 and seen[0] <= ends[0] + NEARLY
        unused = weight < 0 and abs(seen[0]) <= NEARLY
        if (lost or (weight > 0 and abs(seen[0]) <= NEARLY)) and not golds(subject):  # 0 may be for doing nothing
            yield Undecided("There is no gold answer.", "Add solve(row), to show that each reward can be earned.")
            return
        gold = "gold, " if golds(subject) else ""
        yield Finding(
            f"The reward {name!r} was {seen[0]:g} in all {len(seen)} episodes ({gold}wrong answers, meaningless "
            "words), " + ("so it can hardly be earned." if lost else "so it gives no learning signal."),
            "Return an answer that earns it from solve(row), or fix what it compares."
            if lost
            else "Make it depend on the answer, or remove it.",
            row=example.row_index, output=seen[0], expected="different values",
            severity="info" if unused else "warning",
        )  # fmt: skip
    elif weight > 0 and len(seen) == len(episodes) and _has_a_floor(min(seen), *ends):
        yield Finding(
            f"The reward {name!r} was never below {min(seen):g} in {len(seen)} episodes, some with meaningless words, "
            f"and its range starts at {ends[0]:g}: every answer earns that much.",
            "Return the minimum if nothing is right, so that a right answer stands out more.",
            row=example.row_index, output=min(seen), expected=f"about {ends[0]:g}",
        )  # fmt: skip


def _has_a_floor(least: float, low: float, high: float) -> bool:
    """Whether the least of all values is high in the range, where that has a lower end."""
    return low > -inf and least - low >= FLOOR * (high - low)


def _follows_length(name: str | None, gold: Gold, episode: Episode, share: Share) -> Finding:
    whole = name is None
    return Finding(
        f"{'The score' if whole else f'The reward {name!r}'} depends only on the length of the answer: meaningless "
        f"words as long as gold score the same as gold on {share}, longer or shorter ones do not.",
        "Score the content too: models learn to fill the length with anything."
        if whole
        else "This is fine for a reward for length; keep its weight small.",
        row=gold.row, input=episode.completion[0]["content"], output=_value(episode, name),
        severity="warning" if whole else "info",
    )  # fmt: skip


def _nonsense(gold: Gold) -> str:
    """Meaningless words with the same letters count and punctuation as gold."""
    return "".join("x" if letter.isalnum() else letter for letter in gold.text)


def _by_row(episodes: Sequence[Episode]) -> dict[int, Episode]:
    return {episode.row_index: episode for episode in episodes}


def _value(episode: Episode, name: str | None) -> float | None:
    return episode.reward if name is None else episode.rewards.get(name)


def _close(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(one - other) <= NEARLY


def _values(episodes: Sequence[Episode]) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = defaultdict(list)
    for episode in episodes:
        for name, value in episode.rewards.items():
            found[name].append(value)
    return found


def _least(values: Sequence[float | None]) -> str:
    return f"{min((value for value in values if value is not None), default=0):g}"


def _most(values: Sequence[float | None]) -> str:
    return f"{max((value for value in values if value is not None), default=0):g}"


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.3g}" if known else "-"


def _none(values: Sequence[float | None]) -> str:
    return f"{sum(value is None for value in values) / len(values):.0%}" if values else "-"
