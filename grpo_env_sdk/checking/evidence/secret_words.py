"""The words of gold that a model has to work out: what nothing had said when gold used them."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from unicodedata import normalize

from grpo_env_sdk.checking.evidence.golds import Gold, gold_episodes, golds
from grpo_env_sdk.checking.evidence.playing.turns import functions_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

ByRow = dict[int, set[str]]
MOST_OPTIONS = 12
SAYS_WRONG = regex(
    r"error|invalid|wrong|mismatch|incorrect|denied|not found|no such|did you mean|expected|fail", re.IGNORECASE
)
"""What a reply says that refuses or corrects something."""
FILE_NAME = regex(r"[\w./-]*\w\.[a-z]\w{0,4}\b")
TOKEN = regex(r"\w+(?:[.'-]\w+)*")


def secrets(subject: Subject) -> ByRow:
    """By row, the values that gold uses before the prompt or a reply has said them."""

    def unsaid(gold: Gold) -> set[str]:
        return {word for word, told, _ in _used(subject, gold) if word not in told}

    return _rare(subject, "secrets", unsaid)


def answers(subject: Subject) -> ByRow:
    """By row, the words of gold's last message that the prompt does not say."""

    def said_last(gold: Gold) -> set[str]:
        return words_of(gold.text) - words_of(prompt_text(subject, gold.row))

    return _rare(subject, "answers", said_last)


def choices(subject: Subject) -> ByRow:
    """By row, the ids that gold chose among others of their form that replies had shown, and not the prompt."""

    def chosen(gold: Gold) -> set[str]:
        asked = words_of(prompt_text(subject, gold.row))
        return {
            word for word, told, in_call in _used(subject, gold)
            if in_call and word in told - asked and any(one.isdecimal() for one in word) and mates_of(word, told)
        }  # fmt: skip

    return _rare(subject, "choices", chosen)


def looked_up(subject: Subject) -> ByRow:
    """By row, the values that gold uses and that only tools had told it."""

    def found(gold: Gold) -> set[str]:
        said = [one for one in gold_episodes(subject)[gold.row].completion if one["role"] == "user"]
        asked = words_of(" ".join([prompt_text(subject, gold.row), *texts_of(said)]))
        return {word for word, told, _ in _used(subject, gold) if word in told - asked}

    return _rare(subject, "looked up", found)


def options(subject: Subject) -> tuple[ByRow, set[str]]:
    """By row, the one of a few options that gold names, where prompt or schemas list them and no reply of gold does."""
    found: ByRow = {}
    listed: set[str] = set()
    schemas = "" if subject.traits.tools_of_rows else canonical_json(subject.tools).casefold()
    for values in _named(golds(subject).values()).values():
        known = set(values.values())
        if not 2 < len(known) <= MOST_OPTIONS or len(values) < 2 * len(known):
            continue
        for row, value in values.items():
            prompt = prompt_text(subject, row).casefold()
            shown = prompt + schemas
            replies = " ".join(texts_of(gold_episodes(subject)[row].completion)).casefold()
            is_told = {one for one in known if one in prompt} == {value}
            if not is_told and value not in replies and sum(one in shown for one in known) > 2:
                found.setdefault(row, set()).add(value)
                listed |= known
    return found, listed


def _named(known: Iterable[Gold]) -> dict[str, dict[int, str]]:
    """The short values of gold by place and row: the arguments of each tool, and the last text."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for gold in known:
        places = [(f"{tool} {name}", value) for tool, given in gold.calls for name, value in given.items()]
        for place, value in [*places, ("", gold.text)]:
            if isinstance(value, str) and 3 < len(value) <= 40:
                found[place][gold.row] = value.casefold()
    return found


def hinted(option: str, reply: str) -> bool:
    """Whether a reply has an option, or half of it or more as a word."""
    if option in reply:
        return True
    parts = re.findall(r"[^\W\d_]{5,}", reply)
    return any(part in option and 2 * len(part) >= len(option) for part in parts)


def says_wrong(reply: str) -> bool:
    """Whether a reply refuses or corrects something; the name of a file such as errors.log does not."""
    return SAYS_WRONG.search(FILE_NAME.sub("", reply)) is not None


def says(text: str, value: str) -> bool:
    """Whether a text has a value as a word of its own, in any case."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def has_word(text: str, word: str) -> bool:
    """Whether a text has a word of its own, in the same case."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def mates_of(word: str, others: set[str]) -> set[str]:
    """The words of the same form, such as other ids."""
    return {other for other in others if other != word and form_of_word(other) == form_of_word(word)}


def words_of(text: str) -> set[str]:
    """The words of a text, ids as one word each; accents are part of their letters."""
    return {word.casefold() for word in TOKEN.findall(text if text.isascii() else normalize("NFC", text))}


def _used(subject: Subject, gold: Gold) -> Iterator[tuple[str, set[str], bool]]:
    """Each word of gold with what had been said by then, and whether it is in a call."""
    told = words_of(prompt_text(subject, gold.row))
    for message in gold_episodes(subject)[gold.row].completion:
        content = str(message.get("content") or "")
        if message["role"] != "assistant":
            told = told | words_of(content)
            continue
        for text, in_call in ((content, False), (_arguments(message), True)):
            yield from ((word, told, in_call) for word in words_of(text))


def _arguments(message: Message) -> str:
    calls = [function["arguments"] for function in functions_of([message])]
    return " ".join(str(value) for given in calls if isinstance(given, dict) for value in given.values())


def _rare(subject: Subject, name: str, of: Callable[[Gold], set[str]]) -> ByRow:
    """The words of each row, without those of one letter and those of most rows; shared by the checks by this name."""

    def found() -> ByRow:
        words_by_row = {gold.row: of(gold) for gold in golds(subject).values()}
        everywhere = Counter(word for words in words_by_row.values() for word in words)
        limit = max(1, len(words_by_row) / 2)
        return {
            row: {word for word in words if len(word) > 1 and everywhere[word] <= limit}
            for row, words in words_by_row.items()
        }

    return subject.once(("gold", "words", name), found)


def form_of_word(word: str) -> str:
    """What a word has in common with others of its form: where it has letters, digits and signs."""
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "9", word))
