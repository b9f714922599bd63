"""Whether a number out of the range that a prompt gives is carried out as a move, such as taking 0 or -1."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, less_than_gold, play_answers, quoted
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.broken_form import sentences_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.evidence.variants import prompt_text, reply_to, texts_of
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

MOST_ROWS, MOST_SEEN, MOST_LEGAL, MOST_PASSED = 6, 60, 4, 8
"""On how many rows numbers are tried and piles compared; how many legal ones, and how often it is passed before."""
_LISTED = re.compile(r"(?<![\w.])(\d+)((?:, \d+)*),? or (\d+)(?![\w.]*\d)")
_RANGE = re.compile(r"\b(?:from|between) (\d+) (?:to|and|through) (\d+)\b")
_UP_TO = re.compile(r"\b(?:up to|at most|no more than) (\d+)\b")
_PASSES = re.compile(r"(?<![\w.])-?0(?![\w.]*\d)|\b(?:pass(?:es)?|skip(?:s|ped)?|zero|none|no move)\b", re.IGNORECASE)


@check("G591", kinds=("multi-turn",))
def moves_out_of_range_are_refused(subject: Subject) -> Iterator[Finding]:
    """A number below the range of moves is refused, where one above it is."""
    ranges = {row: range_of_moves(prompt_text(subject, row)) for row in subject.sample(MOST_ROWS)}
    rows = {row: legal for row, legal in ranges.items() if legal and not _PASSES.search(prompt_text(subject, row))}
    if len(rows) < FEWEST_ROWS:
        return
    for below in (0, -1):
        done = [(row, reply) for row, legal in rows.items() if (reply := _carried_out(subject, row, legal, below))]
        if len(done) < max(FEWEST_ROWS, 0.8 * len(rows)):
            continue
        won = _won(subject, rows, below)
        row, reply = (won.row_index, "") if won else done[0]
        legal = next(iter(rows.values()))
        said = f", and with it a game is won: {won.reward:g}" if won else f": {quoted(reply, 80)}"
        yield Finding(
            f"The number {below}, which the prompt does not allow ({legal[0]} to {legal[-1]}), is carried out "
            f"as a move on {len(done)} of {len(rows)} rows, while larger ones are refused{said}.",
            "Refuse every number that is not in the range, on both sides.",
            row, own_turns(won.completion) if won else str(below), won.reward if won else reply,
            less_than_gold(subject, won) if won else "a refusal", severity="error" if won else "warning",
        )  # fmt: skip
        return


def range_of_moves(prompt: str) -> range:
    """The numbers that one sentence of a prompt says are moves; empty where it says none, or several ranges."""
    found: set[tuple[int, int]] = set()
    for sentence in sentences_of(prompt):
        for first, between, last in _LISTED.findall(sentence):
            numbers = [int(one) for one in re.findall(r"\d+", f"{first}{between}, {last}")]
            if numbers == list(range(numbers[0], numbers[-1] + 1)):
                found.add((numbers[0], numbers[-1]))
        found |= {(int(low), int(high)) for low, high in _RANGE.findall(sentence)}
        found |= {(1, int(high)) for high in _UP_TO.findall(sentence)}
    low, high = found.pop() if len(found) == 1 else (0, 0)
    return range(low, high + 1) if low == 1 and high > low else range(0)


def _carried_out(subject: Subject, row: int, legal: range, below: int) -> str:
    """The reply to a number below the range, if it is that to a legal one, and those above the range get another."""
    numbers = dict.fromkeys([*legal[:MOST_LEGAL], *legal[-MOST_LEGAL:]])
    usual = {_bare(_reply(subject, row, number)) for number in numbers} - {""}
    above = {_bare(_reply(subject, row, legal[-1] + more) or _lost(subject, row, legal[-1] + more)) for more in (1, 97)}
    reply = _reply(subject, row, below)
    return reply if _bare(reply) in usual and above - {""} and not above & usual else ""


def _reply(subject: Subject, row: int, number: int) -> str:
    """What a first message with a number is answered with, where the game goes on."""
    for episode in play_answers(subject, [(row, [str(number), ""])]):
        return reply_to(episode)
    return ""


def _lost(subject: Subject, row: int, number: int) -> str:
    """What a first message with a number is answered with, where it loses the game."""
    for episode in play_answers(subject, [(row, [str(number), ""])]):
        if len(_said(episode)) == 1 and not episode.error and not as_good_as_gold(subject, episode):
            return " ".join(texts_of(episode.completion))
    return ""


def _bare(reply: str) -> str:
    return re.sub(r"-?\d+", "#", reply)


def _won(subject: Subject, rows: dict[int, range], below: int) -> Episode | None:
    """A game that is won by passing with such moves, and then with a legal one; on the rows with the least to do."""
    legal = next(iter(rows.values()))
    prompts = {row: prompt_text(subject, row) for row in subject.sample(MOST_SEEN)}
    numbers = {row: max(map(int, re.findall(r"\d{1,4}", text)), default=0) for row, text in prompts.items()}
    alike = [row for row in numbers if range_of_moves(prompts[row]) == legal]
    for row in sorted(alike, key=lambda row: numbers[row])[:2]:
        last = [str(number) for number in legal[:MOST_LEGAL]]
        at_once = {
            end for end in last for one in play_answers(subject, [(row, [end])]) if as_good_as_gold(subject, one)
        }
        ends = [end for end in last if end not in at_once]  # those that win by themselves prove nothing
        games = [[*[str(below)] * passed, end] for passed in range(1, MOST_PASSED) for end in ends]
        for one in play_answers(subject, [(row, game) for game in games]):
            if as_good_as_gold(subject, one) and len(_said(one)) > 1:
                return one
    return None


def _said(episode: Episode) -> list[str]:
    return [str(one["content"]) for one in own_turns(episode.completion)]
