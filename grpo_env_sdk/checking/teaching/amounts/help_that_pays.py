"""Whether help that the prompt says costs something raises the score of an answer."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from grpo_env_sdk.checking.evidence.golds import NEARLY, golds, nothing_of, play_scored, reward_of
from grpo_env_sdk.checking.evidence.playing.read_columns import columns_read
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import functions_of, own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, FEWEST_ROWS, TASTED, TIMES, MOSTLY, MOST_CHARS = 8, 4, 2, 2, 0.75, 100
"""On how many rows, on how many at least, on how many first, how often help is asked for, on what share of the rows it
pays, and the most characters of an answer."""
HELP = regex(
    r"(?:\b|_)(hint|clue|tip|joker|help|lifeline|peek|Hinweis|Tipp|Hilfe|indice|pista|ayuda|aide)s?(?:\b|_)",
    re.IGNORECASE,
)
_COSTS = regex(
    r"\b(?:costs?|minus|loses?|deduct\w*|penal\w+|subtract\w*|takes? off|lowers?|reduces?|kostet|coûte|cuesta)\b",
    re.IGNORECASE,
)
_OF_TURNS = regex(r"\b(?:turns?|moves?|steps?|tries|time|minutes?|calls?)\b", re.IGNORECASE)
_OF_THE_SCORE = regex(r"\b(?:points?|scores?|rewards?|earns?)\b", re.IGNORECASE)
"""What a sentence says where a cost is one of turns alone, and where it is one of the score."""
_PAYS = regex(r"\b(?:earn|add|bonus|gain)\w*|\bmore for\b", re.IGNORECASE)
Turns = Sequence[str | Message]
Answers = Mapping[int, Turns]


def help_that_costs_pays(subject: Subject) -> Iterator[Finding]:
    """The finding that an answer scores more with each time that such help was asked for, on most rows."""
    rows = list(golds(subject))[:MOST_ROWS] or subject.sample(MOST_ROWS)
    for named, act in _acts(subject, rows[0]):
        for answers in _answers(subject, rows):
            tasted = dict(list(answers.items())[:TASTED])
            if len(answers) < FEWEST_ROWS or len(_rising(subject, tasted, act)) < TASTED:
                continue
            rising = _rising(subject, answers, act)
            if len(rising) >= max(FEWEST_ROWS, MOSTLY * len(answers)):
                yield _finding(subject, named, rising, len(answers))
                return


def _sentence(subject: Subject, row: int, word: str) -> str:
    """The sentence that says that something of this name costs some score; empty if none does, or if another pays."""
    named = regex(rf"\b{re.escape(word)}", re.IGNORECASE)
    said = [one for one in sentences_of(prompt_text(subject, row)) if named.search(one)]
    costs = [one for one in said if _COSTS.search(one)]
    if any(_PAYS.search(one) for one in said if one not in costs):
        return ""
    return next((one for one in costs if _OF_THE_SCORE.search(one) or not _OF_TURNS.search(one)), "")


def _acts(subject: Subject, row: int) -> Iterator[tuple[str, str | Message]]:
    """Tools without arguments, and words, that may be the help that costs; each with the word for it in the prompt."""
    for tool in subject.tools_of(row):
        words = re.findall(r"[^\W\d_]{3,}", name_of(tool))
        helps = HELP.search(name_of(tool)) or only_looks(tool)
        named = next((word for word in words if helps and _sentence(subject, row, word)), "")
        if named and not required_of(tool):
            yield named, call_message(name_of(tool))
    if subject.traits.kind == "multi-turn":
        for word in dict.fromkeys(word.lower() for word in HELP.findall(prompt_text(subject, row))):
            if _sentence(subject, row, word):
                yield word, word


def _answers(subject: Subject, rows: Sequence[int]) -> Iterator[Answers]:
    """Gold of some rows; where there is none, the values of each column that the scorer reads."""
    known = golds(subject)
    if known:
        yield {row: known[row].turns for row in rows}
        return
    for name in sorted(columns_read(subject)):
        values = {row: subject.row(row).get(name) for row in rows}
        yield {
            row: [str(value)]
            for row, value in values.items()
            if isinstance(value, str | int | float) and 0 < len(str(value)) <= MOST_CHARS
        }


def _rising(subject: Subject, answers: Answers, act: str | Message) -> list[list[Episode]]:
    """Of each row on which help pays each time, the episodes of its answer without any, after one and after more."""
    bare = {row: [turn for turn in turns if not _is_same(turn, act)] for row, turns in answers.items()}
    fitting = {row: turns for row, turns in bare.items() if len(turns) + TIMES <= subject.traits.max_turns}
    tried = [(row, [*[act] * times, *turns]) for row, turns in fitting.items() for times in range(TIMES + 1)]
    of_rows: dict[int, list[Episode]] = {row: [] for row in fitting}
    for episode in play_scored(subject, tried):
        of_rows[episode.row_index].append(episode)
    return [played for played in of_rows.values() if len(played) > TIMES and _rises(subject, played)]


def _is_same(turn: str | Message, act: str | Message) -> bool:
    """Whether a turn of an answer asks for help."""
    if isinstance(act, str) or isinstance(turn, str):
        return (turn if isinstance(turn, str) else turn.get("content")) == act
    names = [call["name"] for call in functions_of([turn])]
    return names == [call["name"] for call in functions_of([act])]


def _rises(subject: Subject, played: Sequence[Episode]) -> bool:
    """Whether an answer scores something without help, and more each time after some; no call of it fails."""
    scores = list(map(reward_of, played))
    more = all(two > one + NEARLY for one, two in pairwise(scores))
    earns = scores[0] > nothing_of(subject, subject.traits.reward_range[1]) + NEARLY
    return more and earns and not any(call["error"] for episode in played for call in episode.tool_calls)


def _finding(subject: Subject, named: str, rising: Sequence[Sequence[Episode]], of: int) -> Finding:
    without, *_, helped = rising[0]
    return Finding(
        f"Asking for what costs something raises the score on {len(rising)} of {of} rows, although the prompt says "
        f"{quoted(_sentence(subject, without.row_index, named), 120)}: an answer scores {without.reward:g} without it "
        f"and {helped.reward:g} after {TIMES}.",
        "Take the cost off for each that was used, not for each that is left.",
        helped.row_index, own_turns(helped.completion), reward_with_parts(helped), f"less than {without.reward:g}",
        "error" if HELP.search(named) else "warning",
    )  # fmt: skip
