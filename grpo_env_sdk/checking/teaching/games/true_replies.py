"""Whether what a usual game replies to a guess is true: higher and lower, and the letters of a word with blanks."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools, prompt_text, reply_to
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

MOST_ROWS, FEWEST_WRONG, FEWEST_TIMES, MOSTLY = 8, 3, 6, 3
"""On how many rows guesses are made; on how many a reply has to be wrong; how often one has to be given before it is
said to mean a side, and how many times more often on this side than on the other."""
_APART = (1, 3, 10, 30)
_DIRECTION = regex(
    r"\b(?:higher|lower|too (?:high|low|large|small|big|little|much)|larger|smaller|bigger|greater|less|above|below|"
    r"gr(?:ö|oe)(?:ss|ß)er|kleiner|mayor|menor|plus (?:grand|petit))\b",
    re.IGNORECASE,
)
_LIES = regex(
    r"\b(?:lies?|liar|lying|untrue|opposite|wrongly|nois[ey]\w*|mislead\w*|modulo|around the|cyclic\w*|clock|"
    r"one (?:place|letter) at a time|(?:only|just) the first|first place|one of its places)\b",
    re.IGNORECASE,
)
"""Words of games whose replies may be untrue, or show less than there is."""
_RANGE = regex(r"\b(?:from|between) (\d+) (?:to|and|through|up to) (\d+)\b|(?<!\d)(\d+) ?[-\u2013] ?(\d+)(?!\d)")
_ABOVE = regex(r"\btoo (?:high|large|big|much|many)\b", re.IGNORECASE)
_BELOW = regex(r"\btoo (?:low|small|little|few)\b", re.IGNORECASE)
_SPACED = regex(r"(?<!\S)(?:[^\W\d]|_)(?: +(?:[^\W\d]|_)){2,}(?=[\s.,;:?!)]|$)")
_TOGETHER = regex(r"(?<!\w)(?=[^\W\d]*_)(?:[^\W\d]|_){3,}(?!\w)")


@dataclass(frozen=True, slots=True)
class Reply:
    """A guess for a secret, and what it was answered with."""

    row: int
    secret: str
    guess: str
    text: str

    @property
    def above(self) -> bool:
        """Whether the guess is more than the secret."""
        return int(self.guess) > int(self.secret)

    @property
    def bare(self) -> str:
        """The reply without its numbers."""
        return re.sub(r"\d+", "#", self.text)


@check("G642", kinds=("tools", "multi-turn"), needs=("gold",))
def replies_to_guesses_are_true(subject: Subject) -> Iterator[Finding]:
    """Higher and lower are said of guesses that are so, and a letter of a word is shown in all its places."""
    for choices in choices_of(subject).values():
        known = [one for one in choices if not _LIES.search(prompt_and_tools(subject, one.gold.row))]
        numbers = [
            one
            for one in known
            if str(one.value).isdecimal() and _DIRECTION.search(prompt_and_tools(subject, one.gold.row))
        ]
        if len(numbers) >= FEWEST_ROWS and (wrong := _wrong_side(_guessed(subject, numbers[:MOST_ROWS]))):
            yield _finding(wrong, "Which side a reply names", "compare numbers as numbers, and in this order")
            return
        words = {one.gold.row: word for one in known if (word := _hidden_word(subject, one.gold.row))}
        spelt = [one for one in known if one.gold.row in words and str(one.value).isalpha()][:MOST_ROWS]
        if len(spelt) >= FEWEST_ROWS and (wrong := _wrong_letters(_spelt(subject, spelt, words))):
            yield _finding(wrong, "Which letters a reply shows", "show a letter in each place of the word that has it")
            return


def _finding(wrong: Sequence[Reply], what: str, hint: str) -> Finding:
    one = wrong[0]
    return Finding(
        f"{what} is not true on {len({reply.row for reply in wrong})} rows: {quoted(one.guess)} for "
        f"{quoted(one.secret)} gets {quoted(one.text, 100)}.",
        f"Correct the reply: {hint}. Who believes it excludes the right answer.",
        one.row, one.guess, one.text, "a reply that is true",
    )  # fmt: skip


def _replies(subject: Subject, asked: Sequence[tuple[Choice, str, str]]) -> list[Reply]:
    """The replies to guesses for secrets, each as the first act of an episode."""
    tried: list[tuple[int, Completion]] = [(one.gold.row, [_act(one, guess), ""]) for one, _, guess in asked]
    return [
        Reply(one.gold.row, secret, guess, text)
        for (one, secret, guess), episode in zip(asked, play_answers(subject, tried), strict=False)
        if not episode.error and (text := reply_to(episode))
    ]


def _act(choice: Choice, guess: str) -> Message:
    """A guess in the form in which gold chooses; a letter as gold says one, where it does."""
    for turn in choice.gold.turns if len(guess) == 1 and guess.isalpha() else ():
        said = str(turn.get("content") or "")
        letters = list(re.finditer(r"(?<!\w)[^\W\d_](?!\w)", said))
        if letters and not turn.get("tool_calls"):
            return {**turn, "content": f"{said[: letters[-1].start()]}{guess}{said[letters[-1].end() :]}"}
    return choice.turns(type(choice.value)(guess), whole=False)[0]


def _guessed(subject: Subject, numbers: Sequence[Choice]) -> list[Reply]:
    """The replies to pairs of guesses, one as much below the secret as the other is above it."""
    most = max(int(one.value) for one in numbers)
    asked = []
    for one in numbers:
        secret, ranges = int(one.value), _RANGE.findall(prompt_text(subject, one.gold.row))
        low, high = [int(end) for end in ranges[0] if end] if len(ranges) == 1 else (1, most)
        for apart in dict.fromkeys([*_APART, secret - 9, secret - 99]):
            if apart > 0 and low <= secret - apart and secret + apart <= high:
                asked += [(one, str(secret), str(guess)) for guess in (secret - apart, secret + apart)]
    return _replies(subject, asked)


def _wrong_side(seen: Sequence[Reply]) -> list[Reply]:
    """The replies that mean one side and were given on the other, if enough rows have one."""
    above, below = Counter(one.bare for one in seen if one.above), Counter(one.bare for one in seen if not one.above)
    sides: dict[str, bool] = {}
    for text in above.keys() | below.keys():
        if above[text] + below[text] >= FEWEST_TIMES and max(above[text], below[text]) >= MOSTLY * min(
            above[text], below[text]
        ):
            sides[text] = _named_side(text, above[text] > below[text])
    if set(sides.values()) != {True, False}:
        return []
    wrong = [one for one in seen if one.bare in sides and one.above != sides[one.bare]]
    return wrong if len({one.row for one in wrong}) >= FEWEST_WRONG else []


def _named_side(text: str, mostly: bool) -> bool:
    """Whether a reply says that the guess is above: by its words, else by where it is mostly given."""
    if bool(_ABOVE.search(text)) != bool(_BELOW.search(text)):
        return bool(_ABOVE.search(text))
    return mostly


def _hidden_word(subject: Subject, row: int) -> str:
    """The one word of a row that has as many letters as the prompt has blanks, and is not in the prompt."""
    prompt = prompt_text(subject, row)
    blanks = {len(text) for text in _patterns(prompt)}
    columns = {name: value for name, value in subject.row(row).items() if name not in ("prompt", "case_idx")}
    words = {value for value in columns.values() if isinstance(value, str) and value.isalpha()}
    found = [word for word in words if {len(word)} == blanks and word.casefold() not in prompt.casefold()]
    return found[0] if len(found) == 1 else ""


def _patterns(text: str) -> list[str]:
    """The words with blanks that a text shows, without the spaces between their letters."""
    found = [one.replace(" ", "") for one in [*_SPACED.findall(text), *_TOGETHER.findall(text)]]
    return [one for one in found if "_" in one]


def _spelt(subject: Subject, choices: Sequence[Choice], words: dict[int, str]) -> list[Reply]:
    """The replies to letters of the words, first to those that are there more than once."""
    asked = []
    for one in choices:
        word = words[one.gold.row]
        letters = sorted(dict.fromkeys(word.casefold()), key=lambda letter: -word.casefold().count(letter))
        asked += [(one, word, letter) for letter in letters[:3]]
    return _replies(subject, asked)


def _wrong_letters(seen: Sequence[Reply]) -> list[Reply]:
    """The replies with a letter where the word has another, or a letter in some of its places only."""
    wrong: dict[int, list[Reply]] = defaultdict(list)
    for one in seen:
        secret = one.secret.casefold()
        shown = [text.casefold() for text in _patterns(one.text) if len(text) == len(secret)]
        if len(shown) == 1 and not _agrees(shown[0], secret, one.guess):
            wrong[one.row].append(one)
    return [one for replies in wrong.values() for one in replies] if len(wrong) >= FEWEST_WRONG else []


def _agrees(shown: str, secret: str, guess: str) -> bool:
    places = [one == guess for one, letter in zip(shown, secret, strict=True) if letter == guess]
    right = all(one in ("_", letter) for one, letter in zip(shown, secret, strict=True))
    return right and (all(places) or not any(places))
