"""Whether what a prompt says is gone when it is used, or has to do for everything, comes back by another tool."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations
from typing import Any

from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import acts_of, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.transcript_text import turns_text
from grpo_env_sdk.data.messages import assistant_message, call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, FEWEST_ROWS, MOST_ACTS, MOST_OTHERS, TASTED, MOST_TIMES = 8, 3, 5, 6, 2, 4
"""On how many rows it is tried, on how few it counts, with how many acts that use something, and how many others, on
how many rows at first; and how often something is used before gold."""
_FOR_GOOD = regex(
    r"\b(?:gone|for good|for the (?:whole|entire)|in all|in total|altogether|all (?:that )?you (?:have|get)|"
    r"used up|no more (?:of it )?(?:is|are|comes?)|never (?:comes?|refill\w*|given|restored)|"
    r"(?:not|never|cannot)(?: be)? (?:refill\w*|replaced|renewed|restored|replenished|given back|come back|bought))\b",
    re.IGNORECASE,
)
"""What a sentence says of what does not come back."""
_COMES_BACK = regex(
    r"refill|recharg|reload|restock|replenish|renew|restor|\bbuy|\bsell|refund|undo|cancel|revert|reset|restart|"
    r"start(?:s|ing)? over|new (?:round|day|game)|each (?:round|day)|next (?:round|day)|"
    r"\b(?:gives?|adds?|gains?|earns?|fills?|finds?|collects?|forag\w+|hunts?|gathers?|harvests?|works?|fish\w*)\b",
    re.IGNORECASE,
)
"""What tools and prompts say of a tool that gives something back."""
_NUMBER = regex(r"-?\d+(?:\.\d+)?")
_FEW = {"of", "the", "a", "an", "for", "with", "and", "or", "you", "have", "has", "left", "is", "are", "to", "at", "in"}
"""Words beside a number that are no name of what it counts."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What is used by two acts, and comes back by another one between them."""

    gold: Gold
    word: str
    acts: tuple[Message, Message, Message]
    values: tuple[float, float]


def spent_for_good(subject: Subject) -> Iterator[Finding]:
    """The finding that a tool gives back what the prompt says is gone, and that gold can be done after it."""
    known = [gold for gold in some_golds(subject) if gold.calls and _words(prompt_text(subject, gold.row))][:MOST_ROWS]
    if len(known) < FEWEST_ROWS:
        return
    for other in _others(subject, known):
        found = [one for gold in known[:TASTED] if (one := _spent(subject, gold, known, other))]
        found += [one for gold in known[TASTED:] if found and (one := _spent(subject, gold, known, other))]
        if len(found) >= max(FEWEST_ROWS, len(known) / 2):
            yield _finding(subject, found, len(known))
            return


def _finding(subject: Subject, found: Sequence[Spent], of: int) -> Finding:
    won = [episode for one in found if (episode := _won(subject, one))]
    one = next((one for one in found if won and one.gold.row == won[0].row_index), found[0])
    episode = won[0] if len(won) >= FEWEST_ROWS else _played(subject, one.gold, one.acts)
    name = turns_text([one.acts[1]])
    paid = (
        f"; with more used than there is, it scores {won[0].reward:g} as gold does, on {len(won)} rows"
        if len(won) >= FEWEST_ROWS
        else ""
    )
    return Finding(
        f"{name} gives back what the prompt says is gone or for all: {one.values[0]:g} {one.word} after "
        f"{turns_text([one.acts[0]])}, and {one.values[1]:g} after {name} and {turns_text([one.acts[2]])}, on "
        f"{len(found)} of {of} rows{paid}.",
        f"Leave {one.word!r} as it is in this tool, or say in the prompt that it gives it back.",
        one.gold.row, own_turns(episode.completion), episode.reward if paid else f"{one.values[1]:g} {one.word}",
        less_than_gold(subject, episode) if paid else f"less than {one.values[0]:g}",
        severity="error" if paid else "warning",
    )  # fmt: skip


def _words(prompt: str) -> dict[str, float]:
    """What a prompt gives a number of, and says is gone or has to do for everything."""
    sentences = [
        set(re.findall(r"[^\W\d_]{3,}", one.casefold())) for one in sentences_of(prompt) if _FOR_GOOD.search(one)
    ]
    return {word: number for word, number in _amounts(prompt).items() if any(word in one for one in sentences)}


def _amounts(text: str) -> dict[str, float]:
    """The numbers of a text by the words beside them; the last one of each."""
    found: dict[str, float] = {}
    for number in _NUMBER.finditer(text):
        behind = re.match(r"(?: [^\W\d_]+){1,4}", text[number.end() :])
        before = re.search(r"([^\W\d_]+)(?: (?:left|is|are))?[\"':=]* ?$", text[: number.start()])
        words = [*(behind[0].split() if behind else ()), *([before[1]] if before else ())]
        found |= {word.casefold(): float(number[0]) for word in words if word.casefold() not in _FEW}
    return found


def _others(subject: Subject, known: Sequence[Gold]) -> list[Message]:
    """Calls that may give something back without saying so, and do not only look: as gold makes them, or bare ones."""
    row = known[0].row
    found = []
    for tool in subject.tools_of(row):
        name = name_of(tool)
        told = [one for one in sentences_of(prompt_text(subject, row)) if re.search(rf"\b{re.escape(name)}\b", one)]
        given = next((one for gold in known if (one := gold.first_given(name)) is not None), None)
        if not only_looks(tool) and not _COMES_BACK.search(" ".join([canonical_json(tool), *told])):
            found += [call_message(name, **(given or {}))] if given is not None or not required_of(tool) else []
    return found[:MOST_OTHERS]


def _spent(subject: Subject, gold: Gold, known: Sequence[Gold], other: Message) -> Spent | None:
    """Two acts of gold that use something, which comes back by the other one between them."""
    told = _words(prompt_text(subject, gold.row))
    calls = [act for one in (gold, *known) for act in acts_of(one) if act.get("tool_calls")]
    others = [act for act in calls if _called(act)["name"] != _called(other)["name"]]
    acts = list({canonical_json(_called(act)): act for act in others}.values())[: 3 * MOST_ACTS]
    left = [(act, values) for act in acts if (values := _left(_replies(subject, gold, [act]), told))]
    left = sorted(left, key=lambda one: sum(one[1].values()))[:MOST_ACTS]  # what uses most goes first
    for (first, after), (second, alone) in permutations(left, 2):
        for word in [word for word in reversed(told) if after.get(word, 0) < alone.get(word, 0)]:
            values = _left(_replies(subject, gold, [first, other, second]), told)
            if word in after and values.get(word) == alone[word]:
                return Spent(gold, word, (first, other, second), (after[word], alone[word]))
    return None


def _left(replies: Sequence[str], told: dict[str, float]) -> dict[str, float]:
    """How much is left of what the prompt tells of, as the last reply says, where it is less."""
    found = _amounts(replies[-1]) if replies else {}
    return {word: number for word, number in found.items() if word in told and 0 <= number < told[word]}


def _called(act: Message) -> Mapping[str, Any]:
    called: Mapping[str, Any] = act["tool_calls"][0]["function"]
    return called


def _replies(subject: Subject, gold: Gold, acts: Sequence[Message]) -> list[str]:
    calls = _played(subject, gold, acts).tool_calls
    return [str(call["content"]) for call in calls] if len(calls) == len(acts) and not calls[-1]["error"] else []


def _played(subject: Subject, gold: Gold, acts: Sequence[Message]) -> Episode:
    return subject.answer(gold.row, [*acts, assistant_message("Done.")])


def _won(subject: Subject, one: Spent) -> Episode | None:
    """An episode as good as gold that uses more than there is in all, before gold and in it."""
    first, other, _ = one.acts
    told = _words(prompt_text(subject, one.gold.row))[one.word]
    for times in range(1, MOST_TIMES + 1):
        for episode in play_answers(subject, [(one.gold.row, [*[first, other] * times, *one.gold.turns])]):
            if as_good_as_gold(subject, episode) and _used(episode, one.word, told) > told:
                return episode
    return None


def _used(episode: Episode, word: str, told: float) -> float:
    """How much is used in all, as the replies say: from all that there is where there is more again."""
    amounts = [_amounts(str(call["content"])) for call in episode.tool_calls if not call["error"]]
    left = [told, *(amount[word] for amount in amounts if word in amount)]
    return sum(before - after if after <= before else told - after for before, after in pairwise(left))
