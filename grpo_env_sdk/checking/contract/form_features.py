"""What may be read off the form of a prompt: its spaces and marks, the number and the end of its id, its options."""

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

Feature = Callable[[str], str]
"""The value of a feature in a prompt, or an empty string where the prompt has none."""
MOST_CHARS = 4_000
"""The characters of a prompt in which ids are looked for."""
MOST_BINS, FEWEST_IN_BIN = 24, 8
"""How many ranges the numbers of all prompts are cut into, and how many of them are in each at least."""
_OPTION = re.compile(r"^\s*\(?([A-Ha-h1-8])[).:]\s+(.+)$", re.MULTILINE)
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
)
_ID = re.compile(
    r"(?<![\w/.-])(?:#\d+|(?=[\w/.-]*\d)(?=[\w/-]*[^\W\d_])\w+(?:[-/_]\w+)+(?:\.\w{1,4})?|[^\W\d_]{1,4}\d{1,6}"
    rf"|\w+\.[a-z]{{2,4}}|(?:{'|'.join(f'(?<={re.escape(word)})' for word in _NUMBERED)})\d+|(?<=\[)\d+(?=\]))"
    r"(?![\w/-])",
    re.IGNORECASE,
)
"""A word with a digit and a separator or a few letters, the name of a file, or the number of a question."""
_ABOUT_IDS = re.compile(
    r"\b(?:digits?|even|odd|parity|divi\w+|multiples?|remainders?|modulo|mod|codes?|serials?|plates?|extensions?|"
    r"suffix\w*|prefix\w*|checksums?|identifiers?|(?:file|user) ?names?|tags?|versions?|rooms?|flights?|grades?|"
    r"seats?|gates?|sku|sizes?|models?|isbn|vin|dates?|months?|years?|weekdays?|quarters?|seasons?)\b",
    re.IGNORECASE,
)
"""Words of a task that is about the number or the name itself."""
_ABOUT_MARKS = re.compile(
    r"\b(?:question mark|punctuat|statement|exclam|sentence|question or|space|indent)", re.IGNORECASE
)
_ABOUT_FORM = re.compile(
    rf"{_ABOUT_MARKS.pattern}|\b(?:capital|upper|lower|case|bracket|comma|digit|decimal|words?\b|letter|number)",
    re.IGNORECASE,
)
"""Words of a task that is about how its options are written."""
_ABOUT_MIDDLE = re.compile(r"\b(?:middle|median|medium|between|average|mean|typical|nearest|closest)\b", re.IGNORECASE)
_ABOUT_COUNTS = re.compile(
    r"\b(?:how (?:many|long|often)|numbers?|count\w*|lines?|sentences?|lists?|long\w*|short\w*|more|fewer|less|most|"
    r"least|poems?|verses?|haiku|items?|all|any|each|every|total|sum|steps?|majority)\b",
    re.IGNORECASE,
)
"""Words of a task that is about how many of something a prompt has."""
_ODD_SPACES = re.compile(r"[\t\r\xa0\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]")


@lru_cache(maxsize=2_048)
def first_id(prompt: str) -> str:
    """The first id, name of a file or number of a question in a prompt."""
    found = _ID.search(prompt[:MOST_CHARS])
    return found.group() if found else ""


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


def _modulo(divisor: int) -> Feature:
    def read(name: str) -> str:
        numbers = re.findall(r"\d+", name)
        return f"{int(numbers[-1]) % divisor} modulo {divisor}" if numbers else ""

    return read


def _option_of(choose: Callable[..., tuple[str, str]]) -> Feature:
    """The letter of the option that is the longest or shortest; empty where most options are single words."""

    def letter(prompt: str) -> str:
        options = _OPTION.findall(prompt)
        about_length = re.search(r"\b(long|short)", prompt.partition(options[0][1])[0]) if options else None
        of_words = sum(len(text.split()) > 1 for _, text in options)
        if len(options) < 3 or about_length or 2 * of_words < len(options):
            return ""
        return choose(options, key=lambda option: len(option[1]))[0].casefold()

    return letter


def _odd_one_out(read: Callable[[str], bool]) -> Feature:
    """The letter of the one option that differs from all others in its form."""

    def letter(prompt: str) -> str:
        options = _OPTION.findall(prompt)
        values = [read(text) for _, text in options]
        for value in (True, False):
            if len(options) > 2 and values.count(value) == 1 and not _ABOUT_FORM.search(prompt):
                return str(options[values.index(value)][0]).casefold()
        return ""

    return letter


def _agreeing(prompt: str) -> str:
    """The letter of the one option that has most words, or most of its values, in common with the others."""
    options = _OPTION.findall(prompt)
    if len(options) < 3 or any(len(text.split()) < 2 for _, text in options):
        return ""
    parts = [set(re.split(r"\s*[/|;,]\s+", text.strip())) for _, text in options]
    if min(map(len, parts)) < 2:
        parts = [set(re.findall(r"\w+", text.casefold())) for _, text in options]
    return _most(options, [sum(len(one & other) for other in parts) - len(one) for one in parts])


def _in_the_middle(prompt: str) -> str:
    """The letter of the one option whose number is nearest to those of all others; empty where that is asked for."""
    options = _OPTION.findall(prompt)
    numbers = [re.findall(r"-?\d+(?:\.\d+)?", text.replace(",", "")) for _, text in options]
    if len(options) < 3 or any(len(found) != 1 for found in numbers) or _ABOUT_MIDDLE.search(prompt):
        return ""
    values = [float(found[0]) for found in numbers]
    return _most(options, [-sum((one - other) ** 2 for other in values) for one in values])


def _most(options: Sequence[tuple[str, str]], counted: Sequence[float]) -> str:
    best = max(counted)
    return options[counted.index(best)][0].casefold() if counted.count(best) == 1 else ""


def _end_marks(prompt: str) -> str:
    """The marks that a prompt ends with."""
    return "" if _ABOUT_MARKS.search(prompt) else repr(re.findall(r"[^\w\s]*\s*$", prompt)[0])


OF_OPTIONS: dict[str, Feature] = {
    "The longest option": _option_of(max),
    "The shortest option": _option_of(min),
    "The option that has most in common with the others": _agreeing,
    "The option in the middle of the others": _in_the_middle,
    "The one option with a full stop, or without one": _odd_one_out(lambda text: text.rstrip().endswith(".")),
    "The one option with a space behind it, or without one": _odd_one_out(lambda text: text != text.rstrip()),
    "The one option with a comma, or without one": _odd_one_out(lambda text: "," in text),
    "The one option with a capital, or without one": _odd_one_out(lambda text: text != text.lower()),
    "The one option that begins with a capital, or does not": _odd_one_out(lambda text: text[:1].isupper()),
    "The one option with a number, or without one": _odd_one_out(lambda text: bool(re.search(r"\d", text))),
    "The one option with a decimal, or without one": _odd_one_out(lambda text: bool(re.search(r"\d\.\d", text))),
    "The one option in brackets, or without them": _odd_one_out(lambda text: "(" in text),
    "The one option of one word, or of several": _odd_one_out(lambda text: len(text.split()) == 1),
}
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
    **{f"The number of the id in a prompt modulo {n}": _of_id(_modulo(n)) for n in range(2, 8)},
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
