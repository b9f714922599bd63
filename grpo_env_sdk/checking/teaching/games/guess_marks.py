"""Whether the marks of a guess count each letter or peg of the secret once, as the games do that are known for it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, play_answers, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.evidence.variants import prompt_text, texts_of
from grpo_env_sdk.checking.findings.finding import Finding

MOST_GUESSES, FEWEST_LEARNT = 8, 6
"""How many guesses are made in a row, and how many marks without doubles have to agree before others are judged."""
_ONCE = re.compile(
    r"mastermind|wordle|bulls|\b(?:is|are|be) counted (?:only )?once|\bcounted twice|"
    r"no (?:peg|letter|digit)[^.]{0,30}twice|"
    r"\beach (?:peg|letter|digit)[^.]{0,30}\bonce\b",
    re.IGNORECASE,
)
Marks = Callable[[str, str], str]


@check("G587", kinds=("multi-turn",), needs=("gold",))
def marks_count_each_letter_once(subject: Subject) -> Iterator[Finding]:
    """The marks of a guess with a letter twice are those of the game, as the marks of other guesses are."""
    known = [gold for gold in some_golds(subject) if re.fullmatch(r"\w{3,8}", gold.text.strip())]
    if len(known) < FEWEST_ROWS or not _ONCE.search(prompt_text(subject, known[0].row)):
        return
    seen = _replies(subject, known)
    for marks in (_by_place, _counted):
        learnt: dict[str, set[str]] = {}
        for _, guess, secret, reply in seen:
            if len(set(guess)) == len(guess):
                learnt.setdefault(marks(guess, secret), set()).add(reply)
        if len(learnt) < 3 or any(len(replies) > 1 for replies in learnt.values()):
            continue
        usual = {mark: next(iter(replies)) for mark, replies in learnt.items()}
        judged = [one for one in seen if marks(one[1], one[2]) in usual]
        wrong = [one for one in judged if one[3] != usual[marks(one[1], one[2])]]
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


def _replies(subject: Subject, known: Sequence[Gold]) -> list[tuple[int, str, str, str]]:
    """The row, a guess, the secret and the reply, for the secrets of other rows and these with a letter twice."""
    secrets = list(dict.fromkeys(gold.text.strip() for gold in known))
    asked: list[tuple[int, str, str]] = []
    for gold in known:
        secret = gold.text.strip()
        same = [other for other in secrets if len(other) == len(secret)]
        doubled = [secret[:1] + secret[:-1], secret[1:] + secret[-1:], secret[0] * 2 + secret[2:]]
        turned = [secret[::-1], secret[1:] + secret[:1], secret[:2][::-1] + secret[2:]]
        guesses = [one for one in dict.fromkeys([*turned, *doubled, *same]) if one != secret]
        asked += [(gold.row, guess, secret) for guess in guesses[: MOST_GUESSES + 4]]
    played = play_answers(subject, [(row, [guess]) for row, guess, _ in asked])
    return [
        (row, guess.casefold(), secret.casefold(), texts[0])
        for (row, guess, secret), episode in zip(asked, played, strict=False)
        if not episode.error and (texts := texts_of([one for one in episode.completion if one["role"] != "assistant"]))
    ]


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
