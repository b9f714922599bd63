"""Whether the reply to a message that nobody understands names what a guessing game wants to be found out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import NEARLY, play_answers, reward_of
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, properties_of, required_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.quoted_answers import quoted, reward_with_parts
from grpo_env_sdk.checking.evidence.secret_words import says
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode, Message

MOST_ROWS, MOSTLY, FEWEST_VALUES, MOST_WORDS, MOST_FORMS = 8, 0.75, 3, 5, 16
UNCLEAR = ("Hello?", "lorem ipsum blip", "help", "")
"""What no game understands, or answers with its rules."""
GAME = regex(
    r"\byes or no\b|\bguess\w*|\bsecret\w*|\briddles?\b|\bmyster\w+|\bsuspects?\b|\bthief\b|\bculprit\b|\bdeduc\w+|"
    r"\bdetective\b|\bhangman\b|\bletter by letter\b|\bmastermind\b|"
    r"\bhidden\b|\b(?:think|thought)\w* of\b|\bcode ?word\b|\bpass(?:word|code)\b",
    re.IGNORECASE,
)
"""What prompts say in which something has to be found out, and nobody tells it who is asked politely."""
_BEFORE_BLANK = regex(r"((?:(?<!\w)[a-z]\w*:? ){1,3})(?=[A-Z]{2,}\b|<\w+>|\{\w+\}|\.\.\.|\u2026)")
_TOKEN = regex(r"\w[\w-]*|[^\w\s]")
Act = str | Message


@dataclass(frozen=True, slots=True)
class Slip:
    """What was said in a row, the reply, and the words of it that other rows have others for."""

    said: str
    reply: str
    words: str


@check("G615", kinds=("tools", "multi-turn"))
def nonsense_is_not_answered_with_the_secret(subject: Subject) -> Iterator[Finding]:
    """In a game of finding out, the reply to nonsense has nothing that scores the top when it is said next."""
    listens = subject.traits.kind == "multi-turn" or subject.traits.user == "method"
    rows = [row for row in subject.sample(MOST_ROWS) if GAME.search(prompt_text(subject, row))] if listens else []
    if len(rows) < FEWEST_ROWS or subject.gold_source is not None:
        return  # G519 plays gold after such replies
    for said in UNCLEAR:
        slips = _slips(subject, rows, said)
        if len(slips) < MOSTLY * len(rows) or len({one.words for one in slips.values()}) < FEWEST_VALUES:
            continue
        for write in _forms(subject, next(iter(slips))):
            won = _won(subject, slips, write)
            if len(won) >= MOSTLY * len(slips) and 2 * len(_won(subject, _turned(slips), write)) < len(slips):
                yield _finding(slips[won[0].row_index], won, len(rows))
                return


def _slips(subject: Subject, rows: Sequence[int], said: str) -> dict[int, Slip]:
    """By row, the part of the reply to a message that differs from row to row, where the prompt does not tell it."""
    played = play_answers(subject, [(row, [said, ""]) for row in rows])
    replies = {one.row_index: reply for one in played if (reply := reply_to(one))}
    texts = [_TOKEN.findall(text) for text in replies.values()]
    start = _alike(texts)
    end = _alike([words[start:][::-1] for words in texts])
    found = {}
    for row, reply in replies.items():
        words = list(_TOKEN.finditer(reply))[start:]
        kept = words[: len(words) - end]
        own = reply[kept[0].start() : kept[-1].end()].strip(".,;:!?\"'() ") if kept else ""
        if own and len(own.split()) <= MOST_WORDS:
            found[row] = Slip(said, reply, own)
    known = {one.words for one in found.values()}
    return {row: one for row, one in found.items() if not _is_told(prompt_text(subject, row), one.words, known)}


def _alike(texts: Sequence[Sequence[str]]) -> int:
    """How many words all texts begin with."""
    return sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, zip(*texts, strict=False)))


def _is_told(prompt: str, words: str, known: set[str]) -> bool:
    """Whether a prompt has these words, and those of no other row."""
    return says(prompt, words) and not any(says(prompt, other) for other in known if other != words)


@dataclass(frozen=True, slots=True)
class Form:
    """How what was told is said: as a text behind some words, or as the argument of a tool."""

    before: str = ""
    tool: str = ""
    parameter: str = ""

    def of(self, words: str) -> Act:
        """The act that says it."""
        return call_message(self.tool, **{self.parameter: words}) if self.tool else f"{self.before}{words}"


def _forms(subject: Subject, row: int) -> list[Form]:
    calls = [
        Form(tool=name_of(tool), parameter=required_of(tool)[0])
        for tool in subject.tools_of(row)
        if len(required_of(tool)) == 1 and properties_of(tool)[required_of(tool)[0]].get("type") == "string"
    ]
    before = [words.split() for words in _BEFORE_BLANK.findall(prompt_text(subject, row))]
    texts = dict.fromkeys(f"{' '.join(words[-number:])} " for words in before for number in range(1, len(words) + 1))
    return [*calls, Form(), *map(Form, list(texts)[:MOST_FORMS])]


def _won(subject: Subject, slips: Mapping[int, Slip], form: Form) -> list[Episode]:
    """The episodes that score the top with what was told."""
    tried: list[tuple[int, Completion]] = [
        (row, [one.said, form.of(one.words), *(["Done."] if form.tool else [])]) for row, one in slips.items()
    ]
    top = subject.traits.reward_range[1]
    return [one for one in play_answers(subject, tried) if not one.error and reward_of(one) >= top - NEARLY]


def _turned(slips: Mapping[int, Slip]) -> dict[int, Slip]:
    """Each row with what was told in another one."""
    others = [*list(slips.values())[1:], next(iter(slips.values()))]
    return {
        row: Slip(one.said, one.reply, other.words) for (row, one), other in zip(slips.items(), others, strict=True)
    }


def _finding(slip: Slip, won: Sequence[Episode], of: int) -> Finding:
    return Finding(
        f"The reply to {quoted(slip.said)}, which is not understood, tells what has to be found out, on {len(won)} of "
        f"{of} rows: {quoted(slip.words)} in {quoted(slip.reply, 120)}, and saying it next scores {won[0].reward:g}.",
        "Answer what is not understood with words that are the same on every row.",
        won[0].row_index, own_turns(won[0].completion), reward_with_parts(won[0]), "a reward for finding it out",
        severity="error",
    )  # fmt: skip
