"""The named rewards of a score: each can be earned and lost, and none follows the length alone."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, gold_episodes, golds, seen, tried
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided
from grpo_env_sdk.checking.teaching.idling import MOSTLY
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.rewards.adaptive import AdaptiveWeight
from grpo_env_sdk.rewards.reward import Reward
from grpo_env_sdk.rewards.rubric import Rubric
from grpo_env_sdk.types import Episode

FEWEST = 20
FLOOR = 0.5
"""From which part of its range a reward that is never lower is told."""
MOST_ROWS = {"quick": 10, "default": 24, "thorough": 100}


@check("G510", severity="warning")
def every_part_can_be_earned_and_lost(subject: Subject) -> Iterator[Item]:
    """Every named reward can be earned, and is not the same whatever was answered."""
    rubric = Rubric.of(subject.loaded.env)
    weights = {item.name: item.first_weight for item in rubric.rewards}
    ranges = {item.name: item.range for item in rubric.rewards}
    if not weights:
        return
    _some_more(subject)
    values = _values(seen(subject))
    in_gold = _values(list(gold_episodes(subject).values()))
    yield Table(
        "Named rewards", ["reward", "weight", "least", "most", "gold earns", "abstains"],
        [
            [name, f"{weight:g}", _least(values[name]), _most(values[name]), _mean(in_gold[name]), _none(values[name])]
            for name, weight in weights.items()
        ],
        f"Over {len(seen(subject))} episodes: gold, spoilt gold, answers of other rows, words without meaning.",
    )  # fmt: skip
    for name, weight in weights.items():
        told = [value for value in values[name] if value is not None]
        if weight and len(values[name]) >= FEWEST:
            yield from _judged(name, weight, told, ranges[name], subject)


@check("G511", kinds=("single-turn",), needs=("gold",), severity="warning")
def length_alone_does_not_decide(subject: Subject) -> Iterator[Item]:
    """No score follows the length of the answer alone."""
    known = [gold for gold in golds(subject).values() if len(gold.text) >= 4][: MOST_ROWS[subject.effort]]
    if len(known) < 4:
        return
    equal = _by_row(tried(subject, [(gold.row, "x" * len(gold.text)) for gold in known]))
    words = _by_row(tried(subject, [(gold.row, _nonsense(gold)) for gold in known]))
    longer = _by_row(tried(subject, [(gold.row, "lorem " * (len(gold.text) + 50)) for gold in known]))
    shorter = _by_row(tried(subject, [(gold.row, "lo") for gold in known]))
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
    """The named rewards that count, each as it was before its weight was made to move."""
    rewards = Rubric.of(subject.loaded.env).rewards
    plain = [item.reward if isinstance(item, AdaptiveWeight) else item for item in rewards]
    return [item for item in plain if item.weight]


def _some_more(subject: Subject) -> None:
    """Answers that a part may tell apart, where this check runs alone too."""
    known = list(golds(subject).values())[: MOST_ROWS[subject.effort]]
    rows = [gold.row for gold in known] or subject.sample(MOST_ROWS[subject.effort])
    texts = ("", "lorem ipsum", "lorem ipsum " * 300, "<think>x</think><answer>x</answer>", '{"answer": 1}')
    tried(subject, [(row, text) for row in rows for text in texts])
    tried(subject, [(row, gold.turns) for row, gold in zip(rows[1:], known, strict=False)])
    if subject.traits.kind != "single-turn":
        seen(subject).extend(subject.play_many(rows, "random"))


def _judged(
    name: str, weight: float, told: Sequence[float], ends: tuple[float, float], subject: Subject
) -> Iterator[Item]:
    episodes = [item for item in seen(subject) if name in item.rewards]
    example = episodes[0]
    if not told:
        yield Finding(
            f"The reward {name!r} abstained in all {len(episodes)} episodes, so it never counts.",
            "Return a number where it can tell something; None leaves it out.",
            row=example.row_index, output=None, severity="warning",
        )  # fmt: skip
    elif max(told) - min(told) <= NEARLY:
        lost = weight > 0 and told[0] <= ends[0] + NEARLY
        unused = weight < 0 and abs(told[0]) <= NEARLY
        if lost and not golds(subject):
            yield Undecided("There is no gold answer.", "Add solve(row), which shows that each reward can be earned.")
            return
        gold = "gold, " if golds(subject) else ""
        yield Finding(
            f"The reward {name!r} was {told[0]:g} in all {len(told)} episodes ({gold}wrong answers, words without "
            "meaning), so it " + ("can hardly be earned." if lost else "teaches nothing."),
            "Show an answer that earns it in solve(row), or mend what it compares."
            if lost
            else "Let it depend on the answer, or leave it out.",
            row=example.row_index, output=told[0], expected="different values",
            severity="info" if unused else "warning",
        )  # fmt: skip
    elif weight > 0 and min(told) - ends[0] >= FLOOR * (ends[1] - ends[0]) and len(told) == len(episodes):
        yield Finding(
            f"The reward {name!r} was never less than {min(told):g} in {len(told)} episodes (words without meaning in "
            f"them), and its range begins at {ends[0]:g}: so much is paid for anything.",
            "Give nothing where nothing is right, so that the difference to a right answer is larger.",
            row=example.row_index, output=min(told), expected=f"about {ends[0]:g}",
        )  # fmt: skip


def _follows_length(name: str | None, gold: Gold, episode: Episode, share: Share) -> Finding:
    whole = name is None
    return Finding(
        f"{'The score' if whole else f'The reward {name!r}'} follows the length of the answer: words without meaning "
        f"that are as long as gold get what gold gets on {share}, longer or shorter ones do not.",
        "Score what the answer says too: models learn to fill the length with anything."
        if whole
        else "That is as it should be for a reward of length; keep its weight small.",
        row=gold.row, input=episode.completion[0]["content"], output=_value(episode, name),
        severity="warning" if whole else "info",
    )  # fmt: skip


def _nonsense(gold: Gold) -> str:
    """Words without meaning, as many letters and about as many words as gold."""
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
    told = [value for value in values if value is not None]
    return f"{sum(told) / len(told):.3g}" if told else "-"


def _none(values: Sequence[float | None]) -> str:
    return f"{sum(value is None for value in values) / len(values):.0%}" if values else "-"
