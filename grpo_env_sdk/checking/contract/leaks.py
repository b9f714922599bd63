"""Whether prompts give their answers away: by a form, by an example, by a hint on most rows, or across the splits."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.near_twins import framed_twins, near_twins
from grpo_env_sdk.checking.evidence.gold_source import ANSWER_COLUMNS
from grpo_env_sdk.checking.evidence.golds import bare, golds, quoted
from grpo_env_sdk.checking.evidence.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Row

FEWEST_ROWS, MOST_ANSWERS = 24, 12
FEWEST_TWINS = 8
SURE, BETTER = 0.8, 0.25
"""The accuracy of a rule on rows that it was not fitted on, and how much better than the most frequent answer."""
PAYS, AROUND = 0.5, 4
"""The share of rows on which one place has to hold the answer for an error, and the letters that tell the place."""
SOME, NEAR = 0.1, 50
"""The share of rows from which an example with the answer is an error, and the characters between the two."""
_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_OPTION_COLUMNS = ("options", "choices", "candidates", "alternatives")
Pairs = list[tuple[int, str, str]]
"""Row, prompt and answer."""


@check("C124", needs=("gold",), kinds=("single-turn",), severity="error")
def form_does_not_tell_the_answer(subject: Subject) -> Iterator[Finding]:
    """No rule about the form of a prompt, fitted on half of the rows, gives the answers of the other half."""
    pairs = _pairs(subject)
    if placed := _in_one_place(subject, pairs):
        yield placed
        return
    answers = Counter(answer for *_, answer in pairs)
    if len(pairs) < FEWEST_ROWS or not 2 <= len(answers) <= MOST_ANSWERS:
        return
    for name, feature in _FEATURES.items():
        seen = [(row, feature(prompt), answer) for row, prompt, answer in pairs]
        share, example = _proven(seen)
        usual = answers.most_common(1)[0][1] / len(pairs)
        if example is not None and share.low >= max(SURE, usual + BETTER):
            row, value, answer = example
            yield Finding(
                f"{name} gives the answer away: a rule fitted on half of the rows is right on {share} of the others, "
                f"e.g. {value!r} is always {quoted(answer)}.",
                f"Give all answers prompts of the same form: {name[0].lower()}{name[1:]} may not depend on the answer.",
                row, input=prompt_text(subject, row)[-300:], output=answer,
            )  # fmt: skip
            return


@check("C125", needs=("gold",), kinds=("single-turn",), severity="warning")
def examples_are_of_other_rows(subject: Subject) -> Iterator[Finding]:
    """The last line of a prompt is not found earlier in it, followed by its answer."""
    pairs = [(row, prompt, answer) for row, prompt, answer in _pairs(subject) if "\n" in prompt.strip()]
    shown = [(row, prompt, answer) for row, prompt, answer in pairs if _answered_before(prompt, answer)]
    if shown:
        row, prompt, answer = shown[0]
        yield Finding(
            f"{len(shown)} of {len(pairs)} prompts ask their question earlier already, with its answer "
            f"{quoted(answer)}: row {row}.",
            "Draw the examples of a prompt from other rows than its own.",
            row, input=prompt[-600:], output=answer, severity="error" if len(shown) >= SOME * len(pairs) else "warning",
        )  # fmt: skip


@check("C126", needs=("gold",), kinds=("single-turn",))
def answers_are_not_in_most_prompts(subject: Subject) -> Iterator[Finding]:
    """The answer is a word of the prompt on all rows, or on few."""
    pairs = [(row, prompt, answer) for row, prompt, answer in _without_shared(_pairs(subject)) if len(answer) >= 4]
    found = [(row, prompt, answer) for row, prompt, answer in pairs if re.search(_as_a_part(answer), prompt, re.I)]
    others = {answer for *_, answer in pairs}
    chance = sum(
        bool(re.search(_as_a_part(answer), prompt, re.I))
        for (_, prompt, _), answer in zip(pairs, _turned(pairs), strict=True)
    )
    if (
        len(pairs) < FEWEST_ROWS
        or len(others) < 4
        or not 0.6 <= len(found) / len(pairs) <= 0.97
        or chance > 0.2 * len(pairs)
    ):
        return
    rest = Counter(answer for row, _, answer in pairs if row not in {one for one, *_ in found})
    if rest.most_common(1)[0][1] * 2 > sum(rest.values()) > 1:
        return  # what the others share says that there is nothing to find
    row, prompt, answer = found[0]
    at = prompt.casefold().find(answer.casefold())
    share = _held_there(pairs)
    copied = f" What stands there earns {golds(subject)[row].reward:g} on {share} that the place was not chosen on."
    yield Finding(
        f"The answer is in the prompt of {len(found)} of {len(pairs)} rows, and not in the others: {quoted(answer)} in "
        f"{quoted(prompt[max(0, at - 30) : at + len(answer) + 20])}.{copied if share.low >= PAYS else ''}",
        "If the task is not to find it in the prompt, take it out: names of files, ids and captions often hold it.",
        row, input=prompt[-600:], output=answer, severity="error" if share.low >= PAYS else "warning",
    )  # fmt: skip


def _held_there(pairs: Pairs) -> Share:
    """How often the text between the same few letters is the answer, on the half of the rows not used to find them."""
    places: Counter[tuple[str, str]] = Counter()
    for _, prompt, answer in pairs[::2]:
        for found in re.finditer(_as_a_part(answer), prompt, re.IGNORECASE):
            places[prompt[max(0, found.start() - AROUND) : found.start()], prompt[found.end() : found.end() + 1]] += 1
    best = places.most_common(1)[0][0] if places else ("\0", "")
    between = re.compile(rf"{re.escape(best[0])}(.+?){re.escape(best[1]) or '$'}", re.IGNORECASE)
    held = [(between.search(prompt), answer) for _, prompt, answer in pairs[1::2]]
    return Share(sum(found is not None and bare(found[1]) == answer for found, answer in held), len(held))


@check("C127", needs=("rows",), severity="error")
def test_rows_are_not_training_rows_in_other_words(subject: Subject) -> Iterator[Finding]:
    """No row of `test` is a row of `train` in other case, spaces, punctuation, number words or with a word changed."""
    first = subject.rows.of_train
    if first is None:
        return
    whole = list(subject.rows.indices)
    texts = {row: prompt_text(subject, row) for row in whole}
    train = {_normal(texts[row]): row for row in whole[:first]}
    exact = {texts[row] for row in whole[:first]}
    others = [row for row in whole[first:] if texts[row] not in exact]
    twins = [(row, train[_normal(texts[row])]) for row in others if _normal(texts[row]) in train]
    how = "in other case, spaces, punctuation or number words"
    if len(twins) < max(1, SOME * (len(whole) - first)):
        rows = [{row: _normal(texts[row]) for row in half} for half in (whole[:first], others)]
        twins = [pair for pair in near_twins(*rows) if _same_answer(subject, *pair)]
        framed = framed_twins(*rows)
        same = [pair for pair in framed if _same_answer(subject, *pair)]
        if len(same) > max(len(twins), SURE * len(framed), FEWEST_TWINS):  # not as often by chance
            twins = same
        how = "with a few words or letters changed"
    if len(twins) >= max(1, SOME * (len(whole) - first)):
        row, twin = twins[0]
        sure = len(train) >= 50 or len(twins) >= max(FEWEST_TWINS, (len(whole) - first) / 2)
        yield Finding(
            f"{len(twins)} of {len(whole) - first} rows of `test` are rows of `train` {how}, such as row {row}, like "
            f"row {twin}.",
            "Split what the rows are about before writing prompts, so that no question is in both splits.",
            row, input=texts[row], output=texts[twin], severity="error" if sure else "warning",
        )  # fmt: skip


def _same_answer(subject: Subject, row: int, twin: int) -> bool:
    """Whether the columns of answers are equal, where there are any."""
    one, other = subject.row(row), subject.row(twin)
    return all(one.get(name) == other.get(name) for name in ANSWER_COLUMNS)


def _pairs(subject: Subject) -> Pairs:
    """Row, prompt and answer without the form that all answers share."""
    known = golds(subject)
    form = form_of([gold.text for gold in known.values()])
    return [(row, prompt_text(subject, row), bare(without_form(gold.text, form))) for row, gold in known.items()]


def _in_one_place(subject: Subject, pairs: Pairs) -> Finding | None:
    """The finding that the right one of the options in a prompt has the same place on nearly all rows."""
    offered = {row: _options(subject.row(row), prompt) for row, prompt, _ in pairs}
    of_rows = [(row, answer, options) for row, _, answer in pairs if answer in (options := offered[row])]
    different = len({tuple(sorted(options)) for *_, options in of_rows})
    if len(of_rows) < FEWEST_ROWS or 2 * different < len(of_rows):
        return None
    place, count = Counter(options.index(answer) for _, answer, options in of_rows).most_common(1)[0]
    share, chance = Share(count, len(pairs)), max(1 / len(options) for *_, options in of_rows)
    if share.low < max(SURE, chance + BETTER):
        return None
    row, answer, options = next(one for one in of_rows if one[2].index(one[1]) == place)
    return Finding(
        f"The right option has the same place on {share}: it is number {place + 1} of {len(options)}, "
        f"such as {quoted(answer)} in row {row}.",
        "Shuffle the options of each row, with a random.Random that is seeded.",
        row, input=prompt_text(subject, row)[-300:], output=answer,
    )  # fmt: skip


def _options(row: Row, prompt: str) -> list[str]:
    """The options of a row in the order of its prompt: those of a column, or of the last "a, b or c"."""
    shown = prompt.casefold()
    for name in _OPTION_COLUMNS:
        given = row.get(name)
        texts = [bare(str(option)) for option in given] if isinstance(given, list) else []
        if len(texts) > 2 and all(text in shown for text in texts):
            return sorted(texts, key=shown.rfind)
    before, _, after = prompt.rpartition(" or ")
    first, last = re.split(r"[.:;?!\n]", before)[-1], re.split(r"[,.:;?!\n]", after)[0]
    return [bare(option) for option in (*first.removesuffix(",").split(", "), last)] if ", " in first else []


def _without_shared(pairs: Pairs) -> Pairs:
    """The pairs with prompts without what all of them begin and end with, such as a list of all labels."""
    form = form_of([prompt for _, prompt, _ in pairs])
    return [(row, without_form(prompt, form), answer) for row, prompt, answer in pairs]


def _proven(seen: Sequence[tuple[int, str, str]]) -> tuple[Share, tuple[int, str, str] | None]:
    """How often the most frequent answer of a value, on every other row, is right on the rest; and one such row."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for _, value, answer in seen[::2]:
        counted[value][answer] += 1
    rest = [(row, value, answer) for row, value, answer in seen[1::2] if value]
    right = [item for item in rest if item[1] in counted and counted[item[1]].most_common(1)[0][0] == item[2]]
    return Share(len(right), len(seen[1::2])), right[0] if right and len(counted) > 1 else None


def _option_of(choose: Callable[..., tuple[str, str]]) -> Callable[[str], str]:
    """The letter of the option that is the longest or shortest; empty where most options are single words."""

    def letter(prompt: str) -> str:
        options = re.findall(r"^\s*\(?([A-Ha-h1-8])[).:]\s+(.+)$", prompt, re.MULTILINE)
        about_length = re.search(r"\b(long|short)", prompt.partition(options[0][1])[0]) if options else None
        of_words = sum(len(text.split()) > 1 for _, text in options)
        if len(options) < 3 or about_length or 2 * of_words < len(options):
            return ""
        return choose(options, key=lambda option: len(option[1]))[0].casefold()

    return letter


def _id_end(prompt: str) -> str:
    """The last part of the first id: a word with digits and a separator, such as q-17-b."""
    found = re.search(r"(?<!\w)(?=[\w/-]*\d)(?=[\w/-]*[^\W\d_])\w+(?:[-/_]\w+)+", prompt)
    return re.split(r"[-/_]", found.group())[-1] if found else ""


_FEATURES: dict[str, Callable[[str], str]] = {
    "The longest option": _option_of(max),
    "The shortest option": _option_of(min),
    "The space at the end of a prompt": lambda prompt: repr(re.findall(r"\s*$", prompt)[0]),
    "The space at the start of a prompt": lambda prompt: repr(re.findall(r"^\s*", prompt)[0]),
    "The case of the first letter of a prompt": lambda prompt: str(prompt[:1].isupper()),
    "A double space in a prompt": lambda prompt: str("  " in prompt.strip()),
    "The end of the id in a prompt": _id_end,
}


def _answered_before(prompt: str, answer: str) -> bool:
    *before, last = prompt.strip().split("\n")
    last = last.strip()
    earlier = "\n".join(before)
    found = earlier.find(last) if len(last) >= 6 else -1
    return found >= 0 and bool(re.search(_as_a_part(answer), earlier[found + len(last) :][:NEAR], re.I))


def _as_a_part(answer: str) -> str:
    return rf"(?<![^\W_]){re.escape(answer)}(?![^\W_])"


def _turned(pairs: Pairs) -> list[str]:
    """The answers of other rows."""
    answers = [answer for *_, answer in pairs]
    half = len(answers) // 2
    return answers[half:] + answers[:half]


def _normal(text: str) -> str:
    """A text without case, spaces and punctuation, with digits for number words."""
    words = re.findall(r"\w+", text.casefold())
    numbers = {word: str(number) for number, word in enumerate(_NUMBER_WORDS)}
    return " ".join(numbers.get(word, word) for word in words)
