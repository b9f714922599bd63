"""Whether the marks of a guess count each letter or peg of the secret once, as the games do that are known for it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.choices import Choice, choices_of
from grpo_env_sdk.checking.evidence.golds import play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_and_tools, texts_of
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex

MOST_GUESSES, FEWEST_LEARNT, MOST_PLAIN, MOST_SIGNS = 12, 6, 6, 10
"""How many guesses are made in a row, how many marks have to be known before others are judged, how many guesses
without doubles are made, and of how few signs secrets are where any signs are a guess."""
_SIGN = r"(?:peg|letter|digit|colou?r|symbol|sign|figure|bead|ball|marble|stone|gem|shape|character|pin|tile|note)s?"
_ONCE = regex(
    r"mastermind|wordle|bulls|\b(?:is|are|be) counted (?:only |just |at most |no more than )?once|"
    r"\b(?:counted (?:twice|for two)|double[- ]count\w*)|\bcounts? (?:only |just |at most )?once\b|"
    rf"\bno {_SIGN}[^.]{{0,30}}twice|"
    rf"\b(?:each|every) {_SIGN}[^.]{{0,70}}\b(?:once|at most one|(?:only|just|at most|no more than) one)\b|"
    rf"\b(?:each|every) {_SIGN}[^.]{{0,40}}\bone {_SIGN}[^.]{{0,20}} (?:at most|only)\b",
    re.IGNORECASE,
)
_WORDS = regex(r"[^\W\d_]+")
Marked = tuple[int, str, str, str]
"""A row, a guess, the secret and the reply."""


@check("G587", kinds=("multi-turn", "tools"), needs=("acts",))
def marks_count_each_letter_once(subject: Subject) -> Iterator[Finding]:
    """The marks of a guess with a letter twice are those of the game, as the marks of other guesses are."""
    for choices in choices_of(subject).values():
        known = [one for one in choices if re.fullmatch(r"\w{3,8}", str(one.value))]
        if len(known) >= FEWEST_ROWS and _counts_once(subject, known[0].gold.row):
            yield from _other_marks(_replies(subject, known))


def _counts_once(subject: Subject, row: int) -> bool:
    """Whether the prompt or the schemas say that a letter counts once, or name a game in which it does."""
    return _ONCE.search(prompt_and_tools(subject, row)) is not None


def _other_marks(seen: Sequence[Marked]) -> Iterator[Finding]:
    """The finding that guesses with a letter twice get other marks than other guesses do for the same."""
    for marks in (_by_place, _counted):
        learnt: dict[str, set[str]] = {}
        for _, guess, secret, reply in seen:
            if len(set(guess)) == len(guess):
                learnt.setdefault(marks(guess, secret), set()).add(reply)
        if len(learnt) < 3 or any(len(replies) > 1 for replies in learnt.values()):
            continue
        usual = {mark: next(iter(replies)) for mark, replies in learnt.items()}
        judged = [one for one in seen if marks(one[1], one[2]) in usual]
        wrong = [
            one for one in judged
            if one[3] != usual[marks(one[1], one[2])] and _is_mark(one[3], set(usual.values()))
        ]  # fmt: skip
        rows = len({row for row, *_ in wrong})
        if len(judged) >= FEWEST_LEARNT and rows >= FEWEST_ROWS - 1:
            row, guess, secret, reply = wrong[0]
            yield Finding(
                f"A guess with a letter twice gets other marks than the rule says, on {rows} rows: {guess!r} for "
                f"{secret!r} gets {quoted(reply)}, where {quoted(usual[marks(guess, secret)])} is right.",
                "Mark the right places first, and take each letter of the secret out once it is counted.",
                row, guess, reply, usual[marks(guess, secret)],
            )  # fmt: skip
            return


def _is_mark(reply: str, usual: set[str]) -> bool:
    """Whether a reply has the form of those to usual guesses, and does not refuse the guess."""
    known = {word.casefold() for one in usual for word in _WORDS.findall(one)}
    words = {word.casefold() for word in _WORDS.findall(reply)}
    signs = {sign for one in usual for sign in one}
    return words <= known or (len(reply) in map(len, usual) and set(reply) <= signs)


def _replies(subject: Subject, known: Sequence[Choice]) -> list[Marked]:
    """The replies to the secrets of other rows and to these with a letter twice."""
    secrets = list(dict.fromkeys(str(one.value) for one in known))
    asked = [(one, guess) for one in known for guess in _guesses(one.value, secrets)]
    tried: list[tuple[int, Completion]] = [
        (one.gold.row, one.turns(type(one.value)(guess), whole=False)[:1]) for one, guess in asked
    ]
    return [
        (one.gold.row, guess.casefold(), str(one.value).casefold(), texts[0])
        for (one, guess), episode in zip(asked, play_answers(subject, tried), strict=False)
        if not episode.error
        and (texts := texts_of([said for said in episode.completion if said["role"] != "assistant"]))
    ]


def _guesses(value: str | int, secrets: Sequence[str]) -> list[str]:
    """The secrets of other rows, this one with a letter twice and turned round, and others without doubles."""
    secret = str(value)
    same = [other for other in secrets if len(other) == len(secret)]
    doubled = [secret[:1] + secret[:-1], secret[1:] + secret[-1:], secret[0] * 2 + secret[2:]]
    turned = [secret[::-1], secret[1:] + secret[:1], secret[:2][::-1] + secret[2:]]
    plain = [*(one for one in same if len(set(one)) == len(one)), *_plain(secret, secrets)][:MOST_PLAIN]
    found = [one for one in dict.fromkeys([*turned, *doubled, *plain, *same]) if one != secret]
    if isinstance(value, int):
        found = [one for one in found if not one.startswith("0")]
    return found[:MOST_GUESSES]


def _plain(secret: str, secrets: Sequence[str]) -> Iterator[str]:
    """Guesses of signs of the secrets, each once, for games of digits or colours, where any signs are a guess."""
    signs = sorted({sign for one in secrets for sign in one})
    if len(secret) > len(signs) or not (secret.isdecimal() or len(signs) <= MOST_SIGNS):
        return
    ordered = [*dict.fromkeys(secret), *(sign for sign in signs if sign not in secret)]
    for start in range(len(ordered)):
        yield "".join((ordered * 2)[start : start + len(secret)])


def _counted(guess: str, secret: str) -> str:
    """How many are in their place, and how many of the others are elsewhere."""
    exact = sum(a == b for a, b in zip(guess, secret, strict=True))
    return f"{exact}/{(Counter(guess) & Counter(secret)).total() - exact}"


def _by_place(guess: str, secret: str) -> str:
    """A mark for each letter."""
    left = Counter(b for a, b in zip(guess, secret, strict=True) if a != b)
    found = ""
    for a, b in zip(guess, secret, strict=True):
        elsewhere = a != b and left[a] > 0
        left[a] -= elsewhere
        found += "=" if a == b else "~" if elsewhere else "."
    return found
