"""Whether a paid step of gold by turns with an act that gold does not do scores as gold, without gold's end."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import NEARLY, Gold, as_good_as_gold, gold_episodes, play_answers, reward_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.opposites import opposite_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.stand_ins.likely_acts import likely_acts
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import as_good_on_most, paid
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

TASTED, MOST_ACTS, MOST_TURNS, FEWEST_ROUNDS, IDLE = 2, 10, 60, 3, "..."
CUT_OFF = ("max_turns", "truncated")
"""How an episode stops whose turns are used up."""


def to_and_fro(subject: Subject, known: Sequence[Gold], hint: str) -> Iterator[Finding]:
    """The finding that a step and another act, again and again until the turns are used up, score as gold."""
    steps = {gold.row: acts for gold in known if (acts := _to_paid_step(subject, gold))}
    named = dict.fromkeys(str(turn["content"]) for gold in known for turn in gold.turns)
    won: list[Episode] = []
    tried = 0
    for gold in sorted((gold for gold in known if gold.row in steps), key=lambda gold: gold.reward):
        if tried == TASTED and not won:
            return
        tried += 1
        won += _won(subject, gold, steps[gold.row], list(named))[:1]
    if won and as_good_on_most(subject, won, tried):
        said = [str(one["content"]) for one in own_turns(won[0].completion)]
        place = len(steps[won[0].row_index])
        what = f"{quoted(said[place - 1])} and {quoted(said[place])} by turns, without the end of gold,"
        yield paid(subject, won, tried, what, hint)


def _to_paid_step(subject: Subject, gold: Gold) -> list[str]:
    """Gold up to its first act that earns a part, where the end comes later and ends the episode; else nothing."""
    episode, acts = gold_episodes(subject)[gold.row], [str(turn["content"]) for turn in gold.turns]
    if len(acts) < 2 or episode.stop_reason in CUT_OFF:
        return []
    steps = episode.step_rewards
    if not any(steps):  # they may be in the score alone, as those of a Gymnasium environment are
        played = [reward_of(one) for one in play_answers(subject, [(gold.row, [act]) for act in (acts[0], IDLE)])]
        steps = [played[0] - played[1]] if len(played) > 1 else []
    place = next((place for place, earned in enumerate(steps[: len(acts) - 1]) if earned > NEARLY), None)
    return acts[: place + 1] if place is not None and steps[place] < gold.reward - NEARLY else []


def _won(subject: Subject, gold: Gold, acts: Sequence[str], named: Sequence[str]) -> list[Episode]:
    """The episodes of a row that score as gold in this way, where silence in place of the other act does not."""
    *before, step = acts
    rounds = (min(subject.traits.max_turns, MOST_TURNS) - len(before)) // 2
    if rounds < FEWEST_ROUNDS:
        return []
    own = {str(turn["content"]) for turn in gold.turns}
    listed = [act for act in likely_acts(prompt_text(subject, gold.row), [], []) if isinstance(act, str)]
    back = [act] if (act := opposite_of(step)) else []  # which the prompt may leave unsaid
    others = [act for act in dict.fromkeys([*back, *named, *listed]) if act not in own][:MOST_ACTS]
    played = play_answers(subject, [(gold.row, before + [step, act] * rounds) for act in (IDLE, *others)])
    if not played or (as_good_as_gold(subject, played[0]) and played[0].stop_reason in CUT_OFF):
        return []  # the step pays whatever is done between
    return [one for one in played[1:] if as_good_as_gold(subject, one) and one.stop_reason in CUT_OFF]
