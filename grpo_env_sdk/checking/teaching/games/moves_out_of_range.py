"""Whether a number out of the range that a prompt gives is carried out as a move, such as taking 0 or -1."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, golds, less_than_gold, play_answers
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import COUNT_WORDS, count_of, sentences_of
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message, canonical_json

MOST_ROWS, MOST_SEEN, MOST_LEGAL, MOST_PASSED = 6, 60, 4, 8
"""On how many rows numbers are tried and piles compared; how many legal ones, and how often it is passed before."""
OUT, NONSENSE = {"zero": 0, "below": -1, "above": 1, "far above": 97}, "lorem ipsum"
BELOW = ("zero", "below")
"""The numbers out of a range that are tried, the last two above its end; and what is no move at all."""
_LISTED = regex(r"(?<![\w.])(\d+)((?:, \d+)*),? (?:or|oder|ou|o) (\d+)(?![\w.]*\d)")
_RANGE = regex(
    r"\b(?:from|between) (\d+) (?:to|and|through) (\d+)\b|"
    r"\b(?:take|remove|eat|draw|say|pick|add|move)s? (\d+)(?: to |\s?[-\u2013]\s?)(\d+)\b"
)
_UP_TO = regex(r"\b(?:up to|at most|no more than) (\d+)\b")
_WORDS = regex(rf"\b(?:{COUNT_WORDS})\b", re.IGNORECASE)
_PASSES = regex(r"(?<![\w.])-?0(?![\w.]*\d)|\b(?:pass(?:es)?|skip(?:s|ped)?|zero|none|no move)\b", re.IGNORECASE)
_NO_PASS = regex(
    r"(?:\b(?:not|never|no|cannot|without)|n['\u2019]t)(?: be| a| to| your turn| allowed to)* (?:pass|skip)\w*|"
    r"\b(?:pass|skip)(?:es|ing)?(?: your turn| a turn)? (?:is|are|counts as|would be) "
    r"(?:not|forbidden|never|against|illegal|ruled out|n['\u2019]t)|"
    r"\b(?:pays?|paid|scores?|earns?|gets?|gives?|worth|loss|los(?:e|es|ing)|draw|tie|else|reward|rewarded|nothing)"
    r"(?: is| with| you)? 0\b(?!\.\d)|(?<![\w.])0(?:\.0)?(?: points?)? (?:otherwise|else|(?:for|if) (?:a|you) los\w+)",
    re.IGNORECASE,
)
"""How prompts speak of a pass and of 0, and how where there is none, and 0 is what is paid."""
Write = Callable[[int], str | Message]


@check("G591", kinds=("multi-turn", "tools"))
def moves_out_of_range_are_refused(subject: Subject) -> Iterator[Finding]:
    """A number out of the range of moves is refused."""
    told = {row: _told(subject, row) for row in subject.sample(MOST_ROWS)}
    rows = {row: legal for row, text in told.items() if (legal := range_of_moves(text)) and not _may_pass(text)}
    if len(rows) < FEWEST_ROWS:
        return
    for write in _ways(subject, next(iter(rows))):
        for out in OUT:
            if finding := _finding(subject, rows, write, out):
                yield finding
                return


def _told(subject: Subject, row: int) -> str:
    """The prompt, with what tools say of numbers where it says nothing of them."""
    prompt = prompt_text(subject, row)
    return prompt if range_of_moves(prompt) else f"{prompt}\n{canonical_json(subject.tools_of(row))}"


def _may_pass(prompt: str) -> bool:
    return _PASSES.search(_NO_PASS.sub(" ", prompt)) is not None


def _ways(subject: Subject, row: int) -> Iterator[Write]:
    """How a number is given as a move: as gold's first message does it, or by a tool with one number."""
    if subject.traits.kind == "multi-turn":
        first = golds(subject)[row].turns[0] if row in golds(subject) else {}
        parts = re.split(r"\d+", str(first.get("content") or ""))
        before, after = parts if len(parts) == 2 else ("", "")
        yield lambda number: f"{before}{number}{after}"
    for tool in subject.tools_of(row):
        needed = required_of(tool)
        schema = properties_of(tool).get(needed[0], {}) if len(needed) == 1 else {}
        if schema.get("type") == "integer" and not {"minimum", "enum"} & set(schema):
            yield partial(_call, name_of(tool), needed[0])


def _call(name: str, parameter: str, number: int) -> Message:
    return call_message(name, **{parameter: number})


def _finding(subject: Subject, rows: Mapping[int, range], write: Write, out: str) -> Finding | None:
    """The finding that a number out of the range is carried out on most rows."""
    if out not in BELOW:
        rows = {row: legal for row, legal in rows.items() if range_of_moves(_told(subject, row), False) == legal}
    done = [(row, one) for row, legal in rows.items() if (one := _carried_out(subject, row, write, legal, out))]
    if len(done) < max(FEWEST_ROWS, (0.8 if out in BELOW else 0.5) * len(rows)):  # more than there is ends a game
        return None
    won = _won(subject, rows, write, out)
    first, (reply, other_side_refused) = done[0]
    if won is None and not other_side_refused:
        return None
    row = won.row_index if won else first
    legal = next(iter(rows.values()))
    number = _number(out, rows.get(row, legal))
    said = f", and with it a game is won: {won.reward:g}" if won else f": {quoted(reply, 80)}"
    return Finding(
        f"The number {number}, which the prompt does not allow ({legal[0]} to {legal[-1]}), is carried out "
        f"as a move on {len(done)} of {len(rows)} rows, while others are not{said}.",
        "Refuse every number that is not in the range, on both sides.",
        row, own_turns(won.completion) if won else str(number), won.reward if won else reply,
        less_than_gold(subject, won) if won else "a refusal", severity="error" if won else "warning",
    )  # fmt: skip


def range_of_moves(prompt: str, up_to: bool = True) -> range:
    """The numbers that one sentence of a prompt says are moves; empty where it says none, or several ranges.

    "At most 8" may be said of the messages too, and is left out without `up_to`.
    """
    found: set[tuple[int, int]] = set()
    for sentence in sentences_of(_WORDS.sub(lambda word: str(count_of(word[0])), prompt)):
        for first, between, last in _LISTED.findall(sentence):
            numbers = [int(one) for one in re.findall(r"\d+", f"{first}{between}, {last}")]
            if numbers == list(range(numbers[0], numbers[-1] + 1)):
                found.add((numbers[0], numbers[-1]))
        found |= {(int(one[1] or one[3]), int(one[2] or one[4])) for one in _RANGE.finditer(sentence)}
        found |= {(1, int(high)) for high in _UP_TO.findall(sentence) if up_to}
    ends = {high for low, high in found if low == 1 < high}
    return range(1, ends.pop() + 1) if len(ends) == 1 else range(0)


def _number(out: str, legal: range) -> int:
    return OUT[out] if out in BELOW else legal[-1] + OUT[out]


def _carried_out(subject: Subject, row: int, write: Write, legal: range, out: str) -> tuple[str, bool] | None:
    """The reply to a number out of the range that is that to a legal one; whether those on the other side are refused.

    None where it is refused or read as the nearest legal number, or where nothing is refused.
    """
    played = {number: _reply(subject, row, write(number)) for number in (*legal[:MOST_LEGAL], *legal[-MOST_LEGAL:])}
    usual = {_bare(reply) for reply in played.values()} - {""}
    number = _number(out, legal)
    reply = _reply(subject, row, write(number))
    if _bare(reply) not in usual or reply == played[min(max(number, legal[0]), legal[-1])]:
        return None
    others = [other for one in OUT if (other := _number(one, legal)) != number]
    refused = [other for other in others if _is_refused(subject, row, write(other), usual)]
    other_side = [other for other in others if (other < legal[0]) != (number < legal[0])]
    if not refused and not _is_refused(subject, row, NONSENSE, usual):
        return None
    return reply, set(other_side) <= set(refused)


def _is_refused(subject: Subject, row: int, act: str | Message, usual: Collection[str]) -> bool:
    reply = _bare(_reply(subject, row, act) or _lost(subject, row, act))
    return bool(reply) and reply not in usual


def _reply(subject: Subject, row: int, act: str | Message) -> str:
    """What a first move is answered with, where the game goes on."""
    for episode in play_answers(subject, [(row, [act, ""])]):
        return reply_to(episode)
    return ""


def _lost(subject: Subject, row: int, act: str | Message) -> str:
    """What a first move is answered with, where it loses the game."""
    for episode in play_answers(subject, [(row, [act, ""])]):
        if len(own_turns(episode.completion)) == 1 and not episode.error and not as_good_as_gold(subject, episode):
            return " ".join(texts_of(episode.completion))
    return ""


def _bare(reply: str) -> str:
    return re.sub(r"-?\d+", "#", reply)


def _won(subject: Subject, rows: Mapping[int, range], write: Write, out: str) -> Episode | None:
    """A game that is won by such moves, and then a legal one; on the rows with the least to do."""
    legal = next(iter(rows.values()))
    prompts = {row: prompt_text(subject, row) for row in subject.sample(MOST_SEEN)}
    numbers = {row: max(map(int, re.findall(r"\d{1,4}", text)), default=0) for row, text in prompts.items()}
    alike = [row for row in numbers if range_of_moves(_told(subject, row)) == legal]
    over = ["Done."] if subject.traits.kind == "tools" else []
    passing = write(_number(out, legal))
    most_rows, most_times = (2, MOST_PASSED) if out in BELOW else (MOST_PASSED, 3)  # many at once leave less to do
    for row in sorted(alike, key=lambda row: numbers[row])[:most_rows]:
        last = {number: [write(number), *over] for number in legal[:MOST_LEGAL]}
        at_once = play_answers(subject, [(row, end) for end in last.values()])
        ends = [  # those that win by themselves prove nothing
            end for end, one in zip(last.values(), at_once, strict=False) if not as_good_as_gold(subject, one)
        ]
        games = [[*[passing] * passed, *end] for passed in range(1, most_times) for end in ends]
        for one in play_answers(subject, [(row, game) for game in games]):
            if as_good_as_gold(subject, one) and len(own_turns(one.completion)) > 1 + len(over):
                return one
    return None
