"""What may be read off the form of a prompt: its spaces and marks, the number and the end of its id, its options."""

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from grpo_env_sdk.late_patterns import regex

Feature = Callable[[str], str]
"""The value of a feature in a prompt, or an empty string where the prompt has none."""
MOST_CHARS = 4_000
"""The characters of a prompt in which ids are looked for."""
MOST_BINS, FEWEST_IN_BIN = 24, 8
"""How many ranges the numbers of all prompts are cut into, and how many of them are in each at least."""
DIVISORS = range(2, 13)
"""A counter that is taken modulo one of these tells whose turn it was where rows are built in turns."""
_NUMBERED = (
    "question ",
    "item ",
    "task ",
    "case ",
    "ticket ",
    "example ",
    "exercise ",
    "problem ",
    "no. ",
    "id ",
    "id: ",
    *("request ", "ref ", "ref. ", "ref: ", "reference ", "message ", "record ", "entry ", "sample ", "review "),
    *("document ", "nr. ", "nr ", "fall ", "frage ", "aufgabe ", "numéro ", "n° ", "caso ", "pregunta "),
    *("file ", "docket ", "puzzle ", "riddle "),
)
_ID = regex(
    r"(?<![\w/.-])(?:[.~]{0,2}/)?(?:#\d+|(?=[\w/.-]*\d)(?=[\w/-]*[^\W\d_])\w+(?:[-/_]\w+)+(?:\.\w{1,4})?|[^\W\d_]{1,4}\d{1,6}"
    rf"|\w+\.[a-z]{{2,4}}|(?:{'|'.join(f'(?<={re.escape(word)})' for word in _NUMBERED)})\d+|(?<=\[)\d+(?=\]))"
    r"(?![\w/-])",
    re.IGNORECASE,
)
"""A word with a digit and a separator or a few letters, the path or name of a file, or the number of a question."""
_LEADING = regex(r"(?:^|\n)(\d{1,4})[.)] [^\n]*\?")
"""The number in front of a question."""
_ABOUT_IDS = regex(
    r"\b(?:digits?|even|odd|parity|divisib\w+|divid\w+|divisors?|multiples?|remainders?|modulo|mod|codes?|serials?|"
    r"plates?|extensions?|"
    r"suffix\w*|prefix\w*|checksums?|identifiers?|(?:file|user) ?names?|tags?|versions?|rooms?|flights?|grades?|"
    r"seats?|gates?|sku|sizes?|models?|isbn|vin|dates?|months?|years?|weekdays?|quarters?|seasons?)\b",
    re.IGNORECASE,
)
"""Words of a task that is about the number or the name itself."""
ABOUT_MARKS = regex(r"\b(?:question mark|punctuat|statement|exclam|sentence|question or|space|indent)", re.IGNORECASE)
_ABOUT_COUNTS = regex(
    r"\b(?:how (?:many|long|often)|numbers?|count\w*|lines?|sentences?|lists?|long\w*|short\w*|more|fewer|less|most|"
    r"least|poems?|verses?|haiku|items?|all|any|each|every|total|sum|steps?|majority)\b",
    re.IGNORECASE,
)
"""Words of a task that is about how many of something a prompt has."""
_ODD_SPACES = regex(r"[\t\r\xa0\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]")


@lru_cache(maxsize=2_048)
def first_id(prompt: str) -> str:
    """The first id, name of a file or number of a question in a prompt."""
    found = _ID.search(prompt[:MOST_CHARS])
    leading = _LEADING.search(prompt[:MOST_CHARS])
    return found.group().lstrip("./~") if found else leading[1] if leading else ""


def are_about_ids(prompts: Sequence[str]) -> bool:
    """Whether the task is about such things: many prompts name them where they ask something, or beside the id."""
    return sum(bool(_ABOUT_IDS.search(without_ids(_question(prompt)))) for prompt in prompts) > len(prompts) / 2


def _question(prompt: str) -> str:
    """The sentences that ask something, and the one with the id; the whole prompt where none asks."""
    sentences = re.split(r"(?<=[.!?])\s+|\n", prompt[:MOST_CHARS])
    if not any("?" in one for one in sentences):
        return prompt
    return " ".join(one for one in sentences if "?" in one or first_id(prompt) in one)


@lru_cache(maxsize=2_048)
def without_ids(prompt: str) -> str:
    """A prompt without its ids: what it asks, whatever it is called."""
    return _ID.sub("", prompt[:MOST_CHARS])


def _of_id(read: Feature) -> Feature:
    """A feature of the first id."""
    return lambda prompt: read(found) if (found := first_id(prompt)) else ""


def _segment(place: int) -> Feature:
    """One of the parts of an id that has several: q-17-b has three."""

    def read(name: str) -> str:
        parts = re.split(r"[-/_.]", name)
        return parts[place].casefold() if -len(parts) <= place < len(parts) > 1 else ""

    return read


def _number_in(place: int) -> Feature:
    """One of the numbers in an id, such as the rating in 0123_9.txt."""

    def read(name: str) -> str:
        numbers = re.findall(r"\d+", name)
        return str(int(numbers[place])) if place < len(numbers) else ""

    return read


def _letters_in(place: int) -> Feature:
    """One of the groups of letters in an id, such as the b in q17-b44."""

    def read(name: str) -> str:
        groups = re.findall(r"[^\W\d_]+", name)
        return groups[place].casefold() if place < len(groups) > 1 else ""

    return read


def _counted(pattern: str) -> Feature:
    """How often something is in a prompt; empty where the task is about how many of something there are."""
    return lambda prompt: "" if _ABOUT_COUNTS.search(prompt) else str(len(re.findall(pattern, prompt)))


def _modulo(place: int, divisor: int) -> Feature:
    read = _number_in(place)
    return lambda name: f"{int(number) % divisor} modulo {divisor}" if (number := read(name)) else ""


def _end_marks(prompt: str) -> str:
    """The marks that a prompt ends with."""
    return "" if ABOUT_MARKS.search(prompt) else repr(re.findall(r"[^\w\s]*\s*$", prompt)[0])


UNSEEN: dict[str, Feature] = {
    "The space at the end of a prompt": lambda prompt: repr(re.findall(r"\s*$", prompt)[0]),
    "The space at the start of a prompt": lambda prompt: repr(re.findall(r"^\s*", prompt)[0]),
    "A double space in a prompt": lambda prompt: str("  " in prompt.strip()),
    "An unusual space in a prompt": lambda prompt: "".join(sorted(set(_ODD_SPACES.findall(prompt)))) or "none",
    "The case of the first letter of a prompt": lambda prompt: str(prompt[:1].isupper()),
    "The marks at the end of a prompt": _end_marks,
}
"""What nobody reads, so that no task is about it."""
OF_COUNTS: dict[str, Feature] = {
    "The number of lines in a prompt": _counted(r"\n"),
    "The number of sentences in a prompt": _counted(r"[.!?](?=\s|\Z)"),
}
"""What a model counts easily, and a task may be about in words that nobody foresees."""
OF_IDS: dict[str, Feature] = {
    "The end of the id in a prompt": _of_id(_segment(-1)),
    "The start of the id in a prompt": _of_id(_segment(0)),
    "The last character of the id in a prompt": _of_id(lambda name: name[-1].casefold()),
    "The first digit of the id in a prompt": _of_id(lambda name: "".join(re.findall(r"\d", name)[:1])),
    **{
        f"Number {place + 1} in the id of a prompt modulo {divisor}": _of_id(_modulo(place, divisor))
        for place in range(4)
        for divisor in DIVISORS
    },
    **{f"Number {place + 1} in the id of a prompt": _of_id(_number_in(place)) for place in range(4)},
    **{f"Letters {place + 1} in the id of a prompt": _of_id(_letters_in(place)) for place in range(3)},
    **{f"Part {place + 1} of the id in a prompt": _of_id(_segment(place)) for place in range(1, 4)},
}


def sizes_in_ids(prompts: Sequence[str]) -> Iterator[tuple[str, Feature]]:
    """The range that a number of an id is in, for each of its numbers that differs on most rows."""
    for place in range(3):
        read = _of_id(_number_in(place))
        values = [int(text) for prompt in prompts if (text := read(prompt))]
        if 2 * len(set(values)) > len(prompts):
            yield f"The size of number {place + 1} in the id of a prompt", in_ranges(values, read)


def in_ranges(values: Sequence[int], read: Feature) -> Feature:
    """The range that a number is in, of several that hold as many of these values each."""
    bins = max(2, min(MOST_BINS, len(values) // FEWEST_IN_BIN))
    edges = sorted({sorted(values)[len(values) * n // bins] for n in range(1, bins)})

    def range_of(prompt: str) -> str:
        if not (text := read(prompt)):
            return ""
        place = bisect(edges, int(text))
        return f"{edges[place - 1] if place else 'at most'} to {edges[place] if place < len(edges) else 'more'}"

    return range_of
