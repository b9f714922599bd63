"""Whether copying the prompt or another row's answer scores, and whether the answer is revealed somewhere."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import (
    Gold,
    as_good_as_gold,
    gold_name,
    golds,
    less_than_gold,
    play_answers,
    won_of,
)
from grpo_env_sdk.checking.evidence.golds import rows_tried as rows_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, random_arguments
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.asked_ends import words_for_a_text
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.calls import offers
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.checking.teaching.lazy_answers.idling import MOSTLY
from grpo_env_sdk.data.messages import call_message, places_of_turns
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Episode

MOST_ROWS = {"quick": 30, "default": 80, "thorough": 400}
FIRST_ROWS = 20
"""Where a copy wins on none of so many rows, it does not win on most of the others."""
PAYS = 0.5
"""Copying is reported from this lower end of the interval on: more than a choice between two would win."""
_NUMBER = r"-?\d+(?:[.,]\d+)*"
_ARITHMETIC = r"\(*\d[\d\s.()]*(?:[-+*/^][\d\s.()]+)+"
_WORDS = "The list of words that a text has to use"
_SOURCES: dict[str, tuple[Callable[[str], str], bool]] = {
    "The whole prompt": (lambda text: text, False),
    "The prompt twice": (lambda text: f"{text}\n{text}", False),
    "All numbers of the prompt": (lambda text: " ".join(re.findall(_NUMBER, text)), False),
    "The arithmetic in the prompt": (lambda text: max(re.findall(_ARITHMETIC, text), key=len, default=""), False),
    "Every word of the prompt once": (lambda text: " ".join(dict.fromkeys(re.findall(r"\w+", text))), False),
    _WORDS: (words_for_a_text, False),
    "The first number of the prompt": (lambda text: _nth(_NUMBER, text, 0), True),
    "The last number of the prompt": (lambda text: _nth(_NUMBER, text, -1), True),
    "The last word of the prompt": (lambda text: _nth(r"\w[\w.'-]*", text, -1), True),
    "The last line of the prompt": (lambda text: text.strip().rpartition("\n")[2], True),
    "The quoted text in the prompt": (lambda text: _nth(r"[\"'`]([^\"'`\n]+)[\"'`]", text, -1), True),
}
"""How to build an answer from a prompt, and whether it commits to one answer."""
_MARK = (
    r"(?:(?:answer|solution|gold|ground[ _]?truth|expected|target|correct|label|was|should be)(?![,.])"
    r"\W{0,12}(?:is|was)?\W{0,6}"
    r"|(?:(?:example|e\.g\.|for instance|such as)\b(?:(?!\. )[^\n]){0,80}?(?<!\w)))"
)


@check("G506", share=6)
def copying_is_not_gold(subject: Subject) -> Iterator[Item]:
    """Neither the prompt, nor a part of it, nor the answer of another row scores as much as gold."""
    rows = rows_of(subject)[: MOST_ROWS[subject.effort]]
    for name, (make, single) in _SOURCES.items():
        won, of, deserved = _copied(subject, rows, make, _says if single else _is)
        share, cheated = Share(len(won), of), Share(len(won) - deserved, of - deserved)
        if cheated.low >= (MOSTLY if single else PAYS) and (golds(subject) or not single):
            yield _copy_finding(subject, name, won[0], cheated, "error")
            return
        if share.low >= MOSTLY and single:
            sure = golds(subject) and cheated.low >= MOSTLY
            yield _copy_finding(subject, name, won[0], share, "error" if sure else "warning")
            return
    yield from _exchanged(subject, rows)


@check("G507", needs=("gold",), severity="error", share=4)
def the_answer_is_not_revealed(subject: Subject) -> Iterator[Item]:
    """Neither the prompt, nor a tool called at random, nor the reply to a wrong answer reveals the answer."""
    known = list(golds(subject).values())
    form = form_of([gold.text for gold in known])
    cores = {gold.row: _core(gold, form) for gold in known}
    varied = len(set(cores.values())) > 2
    for place, shown in (("The prompt", _prompts(subject, known)), *_replies(subject, known)):
        leaks = [
            (row, hit) for row in shown if (hit := _marked(shown[row], cores[row])) and _of_this_row(row, shown, cores)
        ]
        share = Share(len(leaks), len(shown))
        if leaks and varied and share.low >= PAYS:
            yield _leak_finding(place, leaks[0], cores, f"on {share}", "error")
            continue
        leaks = [(row, hit) for row, hit in leaks if not _one_of_several_examples(hit, shown[row])]
        if leaks and varied and all(len(cores[row]) > 2 and not _by_place(hit, shown, cores) for row, hit in leaks):
            yield _leak_finding(place, leaks[0], cores, f"on {len(leaks)} of {len(shown)} rows", "warning")


def _is(copy: str, core: str) -> bool:
    return bare(copy) == core


def _says(copy: str, core: str) -> bool:
    """Whether a copy has gold in it, or is a part of gold, in some writing."""
    one, other = (re.sub(r"[\s,]|\.0+\b", "", bare(text)) for text in (copy, core))
    return one in other or other in one


def _copied(
    subject: Subject, rows: Sequence[int], make: Callable[[str], str], is_right: Callable[[str, str], bool]
) -> tuple[list[Episode], int, int]:
    """The episodes that copying wins, the number of rows, and how often the copy is the gold answer."""
    known = golds(subject)
    form = form_of([gold.text for gold in known.values()])
    copies = {row: text for row in rows if (text := make(prompt_text(subject, row)))}
    won: dict[int, Episode] = {}
    for some in (list(copies)[:: max(1, len(copies) // FIRST_ROWS)], list(copies)):
        pairs = [(row, template.format(copies[row])) for row in some for template in _templates(form)]
        won = {item.row_index: item for item in play_answers(subject, pairs) if as_good_as_gold(subject, item)}
        if not won:
            break
    deserved = sum(row in known and is_right(copies[row], _core(known[row], form)) for row in won)
    silent = {
        item.row_index for item in play_answers(subject, [(row, "") for row in won]) if as_good_as_gold(subject, item)
    }
    return [item for row, item in won.items() if row not in silent], len(rows), deserved


def _exchanged(subject: Subject, rows: Sequence[int]) -> Iterator[Item]:
    """The gold answer of a row drawn at random, on rows with a different gold answer: others may take turns."""
    known = golds(subject)
    have = [row for row in rows if row in known]
    pairs = [
        (row, other) for row, other in zip(have, subject.random.sample(have, len(have)), strict=True)
        if bare(known[row].text) != bare(known[other].text)
    ]  # fmt: skip
    episodes = play_answers(subject, [(row, known[other].turns) for row, other in pairs])
    won = won_of(subject, episodes)
    share = Share(len(won), len(episodes))
    if share.low >= MOSTLY or (len(won) == len(episodes) >= 3):
        yield _copy_finding(subject, "The gold answer of another row", won[0], share, "error")


def _copy_finding(subject: Subject, name: str, episode: Episode, share: Share, severity: str) -> Finding:
    turns = own_turns(episode.completion)
    answer = turns[0]["content"] if len(turns) == 1 else turns
    wrong = severity == "error"
    return Finding(
        f"{name} scores as much as {gold_name(subject)} on {share}"
        f"{', although it is not the gold answer' if wrong and golds(subject) else ''}.",
        "Check that the answer is a text and no list, such as by the words between those that it has to use."
        if name == _WORDS
        else "Compare the whole answer with the right answer of this row."
        if wrong
        else "If copying is not the task, take the answer out of the prompt.",
        row=episode.row_index, input=answer, output=episode.reward,
        expected=less_than_gold(subject, episode), severity="error" if wrong else "warning",
    )  # fmt: skip


def _prompts(subject: Subject, known: Sequence[Gold]) -> dict[int, str]:
    return {gold.row: prompt_text(subject, gold.row) for gold in known}


def _replies(subject: Subject, known: Sequence[Gold]) -> Iterator[tuple[str, dict[int, str]]]:
    """The results of tools called at random, and the replies to wrong answers while the episode continues."""
    if subject.traits.kind == "single-turn":
        return
    few = [gold.row for gold in known[: MOST_ROWS[subject.effort] // 2]]
    for tool in subject.tools:
        name, rows = name_of(tool), [row for row in few if offers(subject, row, name_of(tool))]
        drawn = call_message(name, **random_arguments(tool, subject.random, ["lorem"]))
        yield f"The tool {name}, called with random arguments,", _replies_to(subject, rows, [drawn, ""])
        yield f"The tool {name}, called without arguments,", _replies_to(subject, rows, [call_message(name), ""])
    yield "The reply to an empty answer", _replies_to(subject, few, ["", ""])
    yield "The reply to a wrong answer", _replies_to(subject, few, ["lorem", "ipsum"])


def _replies_to(subject: Subject, rows: Sequence[int], turns: Any) -> dict[int, str]:
    """The text shown before the last turn, which the model could still use."""
    found = {}
    for episode in play_answers(subject, [(row, turns) for row in rows]):
        completion = episode.completion
        last = max(places_of_turns(completion), default=0)
        found[episode.row_index] = "\n".join(texts_of(completion[:last]))
    return found


def _leak_finding(place: str, leak: tuple[int, str], cores: dict[int, str], where: str, severity: str) -> Finding:
    row, hit = leak
    return Finding(
        f"{place} reveals the answer {where}: {quoted(hit)} in row {row}.",
        "Remove the answer from what the model sees; keep it in a column of its own.",
        row=row, input=hit, output=cores[row], expected="a text without the answer",
        severity="error" if severity == "error" else "warning",
    )  # fmt: skip


def _of_this_row(row: int, shown: dict[int, str], cores: dict[int, str]) -> bool:
    """Whether only this row reveals this answer; a text that all rows show, such as a rule, reveals nothing."""
    others = [text for other, text in shown.items() if cores[other] != cores[row]][:20]
    return not any(_marked(text, cores[row]) for text in others)


def _by_place(hit: str, shown: dict[int, str], cores: dict[int, str]) -> bool:
    """Whether answers follow a word in this way in most texts, so that the word that looks like a mark is data."""
    between = "".join(re.findall(r"\W+", hit)[-1:])
    alike = [re.search(rf"\w{re.escape(between + cores[row])}(?!\w)", text, re.I) for row, text in shown.items()]
    return len(between.strip()) > 0 and sum(map(bool, alike)) > len(shown) / 2


def _one_of_several_examples(hit: str, text: str) -> bool:
    """Whether it is the result of one of several worked examples, which on a few rows is the right one by chance."""
    return hit.lower().startswith("example") and len(re.findall(r"\bexample\b", text, re.IGNORECASE)) > 1


def _marked(text: str, core: str) -> str:
    """The part of a text that presents this value as the answer, or an empty string."""
    if not core:
        return ""
    found = re.search(_MARK + re.escape(core) + r"(?!\w)", " ".join(text.split()), re.IGNORECASE)
    return found.group() if found else ""


def _core(gold: Gold, form: tuple[str, str]) -> str:
    """The gold answer without the format that all gold answers share."""
    return bare(without_form(gold.text, form))


def _templates(form: tuple[str, str]) -> list[str]:
    before, after = (part.replace("{", "{{").replace("}", "}}") for part in form)
    return list(dict.fromkeys(["{}", f"{before}{{}}{after}"]))


def _nth(pattern: str, text: str, place: int) -> str:
    found = re.findall(pattern, text)
    return found[place] if found else ""
