"""The words of gold's commands in games, which differ by row where all else in them is the same."""

from collections import defaultdict

from grpo_env_sdk.checking.evidence.attempts.slots import TEXT, Slot
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.late_patterns import regex

MOST_TURNS, MOST_WORDS = 6, 12
"""How many messages of gold are looked at, and how long one is that may be a command."""
_WORD = regex(r"[^\W\d_][\w'-]*")


def words_of_commands(subject: Subject) -> list[list[Slot]]:
    """The words of messages of several words, by their place, that other rows have others in place of."""
    return subject.once(("command words",), lambda: _found(subject)) if subject.traits.kind == "multi-turn" else []


def words_beside(subject: Subject, slot: Slot) -> list[str]:
    """The words that other rows have in this place."""
    same = [slots for slots in words_of_commands(subject) if slot in slots]
    return list(dict.fromkeys(str(one.value) for slots in same for one in slots))


def _found(subject: Subject) -> list[list[Slot]]:
    known: dict[tuple[int, int, int], list[Slot]] = defaultdict(list)
    for gold in some_golds(subject):
        for number, turn in enumerate(gold.turns[:MOST_TURNS]):
            text = str(turn.get("content") or "")
            words = list(_WORD.finditer(text))
            if turn.get("tool_calls") or not 1 < len(text.split()) <= MOST_WORDS:
                continue
            for place, word in enumerate(words):
                slot = Slot(gold, number, TEXT, f"word {place + 1}", word.group(), word.span())
                known[number, len(text.split()), place].append(slot)
    return [slots for slots in known.values() if len({slot.value for slot in slots}) > 1]
