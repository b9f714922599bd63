"""Whether a pattern has to match all texts that it should, and none that it should not."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.wrong_patterns import WAYS, TwoLists, as_a_file_name
from grpo_env_sdk.checking.evidence.golds import Gold
from grpo_env_sdk.checking.evidence.playing.read_columns import may_read
from grpo_env_sdk.checking.evidence.prompts.unseen_tests import promises_unseen_tests
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played, still_earns
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, FEWEST_ROWS, FEWEST_TEXTS, MOST_TEXTS, MOST_CHARS, MOST_LISTS = 8, 4, 2, 20, 80, 6
"""How many rows are tried and needed, how many texts a list has, how long they are, and how many lists a row has."""
TOO_MANY = "exchanged for a pattern that matches some texts which it should not"
TOO_FEW = "exchanged for a pattern that misses some texts which it should match"
LISTING = "exchanged for a pattern that lists the texts of the prompt, which promises others,"
_HINT = "Match all texts of the one list, and none of the other: `not any(...)`, and not `not all(...)`."
_HINTS = {LISTING: "Try patterns on texts too that the prompt does not show."}
_SIGNS = regex(r"\\[dDwWsSbB]|[\[*+?|^$(]")
"""What a pattern has and hardly any other answer."""
_MEANS_MORE = regex(r"[\\.^$*+?{}\[\]|()]")
"""The signs of a text that need a backslash; re.escape adds more, which takes too many characters for some prompts."""
_LIST = regex(r"\[[^\[\]\n]{4,2000}?['\"]\]")
_IN_TAGS = regex(r"(?s)(.*<(\w+)>\s*)(.*?)(\s*</\2>.*)")
_PARTLY = regex(r"\bmost of\b|\bas many\b|\bat least \w+ of\b|\bper ?cent|\d ?%|\bpartial|\bmostly\b", re.IGNORECASE)
"""What a prompt says where not all texts have to be right."""


@dataclass(frozen=True, slots=True)
class Task:
    """Gold, what is around its pattern, and the texts that this tells apart."""

    gold: Gold
    around: tuple[str, str]
    lists: TwoLists

    def variants(self) -> Iterator[Variant]:
        """Gold with patterns that are wrong on some of the texts."""
        for name, patterns in (
            (TOO_MANY, self.lists.matching_too_many()),
            (TOO_FEW, self.lists.matching_too_few()),
        ):
            yield from (Variant(name, self.gold, pattern.join(self.around)) for pattern in patterns)

    def listing(self, prompt: str) -> Iterator[Variant]:
        """Gold with the wanted texts that a prompt shows, where it promises to try other ones too."""
        shown = [one for one in self.lists.wanted if one in prompt]
        if promises_unseen_tests(prompt) and len(shown) >= FEWEST_TEXTS and as_a_file_name not in self.lists.ways:
            listed = "|".join(_MEANS_MORE.sub(r"\\\g<0>", one) for one in shown)
            for pattern in (listed, f"^(?:{listed})$"):
                yield Variant(LISTING, self.gold, pattern.join(self.around))


@check("G644", kinds=("single-turn",), needs=("gold",))
def patterns_tell_all_texts_apart(subject: Subject) -> Iterator[Finding]:
    """Where gold is a pattern that tells two lists of texts apart, one that is wrong on some of them scores less.

    So does one that only lists the texts that the prompt shows, where it promises others.
    """
    known = golds_with_text(subject, MOST_ROWS)
    tasks = [task for gold in known if _SIGNS.search(gold.text) and (task := _task(subject, gold))]
    if len(tasks) < FEWEST_ROWS or 2 * len(tasks) < len(known):
        return
    of_lists = [one for task in tasks for one in task.variants()]
    of_shown = [one for task in tasks for one in task.listing(prompt_text(subject, task.gold.row))]
    for outcome in played(subject, [*of_lists, *of_shown]).values():
        by_row = _by_row(outcome)
        if len(by_row.won) >= max(FEWEST_ROWS, len(by_row.episodes) / 2):
            yield still_earns(subject, by_row, outcome.name, _HINTS.get(outcome.name, _HINT), "error")


def _task(subject: Subject, gold: Gold) -> Task | None:
    """The first two lists of the row or of its prompt that gold tells apart."""
    prompt = prompt_text(subject, gold.row)
    if _PARTLY.search(prompt):
        return None
    tagged = _IN_TAGS.fullmatch(gold.text)
    before, core, after = (tagged[1], tagged[3], tagged[4]) if tagged else ("", gold.text.strip(), "")
    for wanted, unwanted in permutations(_lists(subject, gold.row, prompt), 2):
        if found := TwoLists(wanted, unwanted, WAYS).told_apart_by(core):
            return Task(gold, (before, after), found)
    return None


def _lists(subject: Subject, row: int, prompt: str) -> list[list[str]]:
    """The lists of texts that the prompt shows, or that the scorer may read."""
    held = {name: value for name, value in subject.row(row).items() if name != "prompt" and _is_list(value)}
    shown = [value for value in held.values() if all(text in prompt for text in value)]
    read = [value for name, value in held.items() if value not in shown and may_read(subject, name)]
    return [*shown, *(one for one in _lists_in(prompt) if one not in shown), *read][:MOST_LISTS]


def _lists_in(prompt: str) -> Iterator[list[str]]:
    for text in _LIST.findall(prompt):
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            if _is_list(value := ast.literal_eval(text)):
                yield value


def _is_list(value: object) -> bool:
    return (
        isinstance(value, list)
        and FEWEST_TEXTS <= len(value) <= MOST_TEXTS
        and all(isinstance(one, str) and len(one) <= MOST_CHARS for one in value)
        and len(set(value)) > 1
    )


def _by_row(outcome: Outcome) -> Outcome:
    """One episode for each row: one that is paid, where there is one."""
    won: dict[int, Episode] = {one.row_index: one for one in outcome.won}
    first = {one.row_index: one for one in reversed(outcome.episodes)}
    return Outcome(outcome.name, list({**first, **won}.values()), list(won.values()))
