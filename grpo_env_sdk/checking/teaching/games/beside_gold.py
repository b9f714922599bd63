"""Whether acts of a game that gold does not do pay again and again: one in every turn, or one that undoes another."""

from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import (
    NEARLY,
    Gold,
    gold_episodes,
    golds,
    play_answers,
    play_compared,
    play_scored,
    won_of,
)
from grpo_env_sdk.checking.evidence.prompts.phrases import phrases_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, PAYS, as_good_on_most, paid, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.games.near_in_every_turn import near_in_every_turn
from grpo_env_sdk.checking.teaching.games.to_and_fro import to_and_fro
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ACTS, MOST_TURNS, MOST_PLACES, MOST_TRIED, TIMES = 80, 20, 2, 3, 3
_CLAUSE = regex(r"[.,;:!?()\"'`\n]+|\s(?:or|and)\s")
_HINT = "Pay for each step once, or for what was reached at the end."


@check("G535", kinds=("multi-turn",), needs=("gold",))
def acts_beside_gold_do_not_pay(subject: Subject) -> Iterator[Finding]:
    """A nearly right guess, or an act of the prompt, in every turn is not gold; undone steps do not pay again."""
    yield from near_in_every_turn(subject, _HINT)
    known = [gold for gold in some_golds(subject) if not any(turn.get("tool_calls") for turn in gold.turns)]
    if len(known) < FEWEST_ROWS:
        return
    acts = {gold.row: _acts_of_prompt(prompt_text(subject, gold.row)) for gold in known}
    yield from _in_every_turn(subject, known, acts)
    yield from _undone(subject, known, acts)
    yield from to_and_fro(subject, known, _HINT)


def _acts_of_prompt(prompt: str) -> list[str]:
    """What the prompt may name as acts: its short clauses, then its words and pairs of words."""
    clauses = (" ".join(part.split()) for part in _CLAUSE.split(prompt))
    short = [clause for clause in clauses if 0 < len(clause.split()) <= 4]
    return list(dict.fromkeys([*short, *phrases_of(prompt, longest=2)]))[:MOST_ACTS]


def _in_every_turn(subject: Subject, known: Sequence[Gold], acts: dict[int, list[str]]) -> Iterator[Finding]:
    """The finding that one act in every turn is gold on most rows, and once is not."""
    first, turns = known[0], min(subject.traits.max_turns, MOST_TURNS)
    twice = play_answers(subject, [(first.row, [act, act]) for act in acts[first.row]])
    paying = [place for place, episode in enumerate(twice) if _pays_twice(episode)]
    for place in paying[:MOST_TRIED]:
        often = _played(subject, known, acts, place, lambda gold, act: [act] * turns)
        won = won_of(subject, often)
        once = won_of(subject, play_compared(subject, _named(known, acts, place, lambda gold, act: [act])))
        if as_good_on_most(subject, won, len(often)) and 3 * len(once) <= len(often):
            yield paid(subject, won, len(often), f"The act {quoted(acts[first.row][place])} in every turn", _HINT)
            return


def _pays_twice(episode: Episode) -> bool:
    return len(episode.step_rewards) > 1 and min(episode.step_rewards[:2]) > NEARLY


def _undone(subject: Subject, known: Sequence[Gold], acts: dict[int, list[str]]) -> Iterator[Finding]:
    """The finding that gold scores more than the top with an act after one of its own, and this one again."""
    first = known[0]
    for which in range(len(_paid_places(subject, first))):

        def cycled(gold: Gold, act: str, which: int = which) -> Completion:
            at = [0, *_paid_places(subject, gold)[: which + 1]][-1]
            again = [act, str(gold.turns[at]["content"])]
            return [*gold.turns[: at + 1], *again * _times(subject, gold), *gold.turns[at + 1 :]]

        tried = play_answers(subject, [(first.row, cycled(first, act)) for act in acts[first.row]])
        more = [place for place, episode in enumerate(tried) if _above(subject, episode)]
        for place in more[:MOST_TRIED]:
            played = _played(subject, known, acts, place, cycled)
            above = [episode for episode in played if _above(subject, episode)]
            if len(above) >= max(FEWEST_ROWS, PAYS * len(played)):
                what = f"Gold with {quoted(acts[first.row][place])} after a step of its own, and this step again,"
                yield paid(subject, above, len(played), what, _HINT, "scores more than the top of reward_range")
                return


def _paid_places(subject: Subject, gold: Gold) -> list[int]:
    """The turns of gold that earned something and did not end it, where there are turns left for more."""
    episode = gold_episodes(subject)[gold.row]
    went_on = len(gold.turns) if episode.stop_reason == "max_turns" else len(gold.turns) - 1
    steps = episode.step_rewards[:went_on]
    places = [place for place, earned in enumerate(steps) if earned > NEARLY]
    return places[:MOST_PLACES] if _times(subject, gold) else []


def _times(subject: Subject, gold: Gold) -> int:
    said = max((turn for turn, one in enumerate(gold.turns, 1) if one.get("content")), default=0)  # then it is silent
    return max(0, min(TIMES, (subject.traits.max_turns - said) // 2))


def _above(subject: Subject, episode: Episode) -> bool:
    """Whether an episode scores more than gold, and more than there is to score: gold may not be the best."""
    least = max(golds(subject)[episode.row_index].reward, subject.traits.reward_range[1])
    return episode.reward is not None and episode.reward > least + NEARLY


def _played(
    subject: Subject,
    known: Sequence[Gold],
    acts: dict[int, list[str]],
    place: int,
    turns: Callable[[Gold, str], Completion],
) -> list[Episode]:
    """The episodes of rows with the act that their prompts name at this place."""
    return play_scored(subject, _named(known, acts, place, turns))


def _named(
    known: Sequence[Gold], acts: dict[int, list[str]], place: int, turns: Callable[[Gold, str], Completion]
) -> list[tuple[int, Completion]]:
    """The turns of rows with the act that their prompts name at this place, unless gold does nothing else."""
    named = [(gold, acts[gold.row][place]) for gold in known if place < len(acts[gold.row])]
    return [(gold.row, turns(gold, act)) for gold, act in named if {str(one["content"]) for one in gold.turns} != {act}]
