"""Whether prompts give their answers away: by an example, or across the splits."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.contract.masked_twins import masked_twins, right_as_well, right_by_row
from grpo_env_sdk.checking.contract.near_twins import near_twins, reworded_twins, shuffled_twins
from grpo_env_sdk.checking.contract.numbered_twins import in_digits, numbered_twins
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import as_a_part, pairs_of
from grpo_env_sdk.checking.evidence.gold.gold_source import ANSWER_COLUMNS
from grpo_env_sdk.checking.evidence.playing.read_columns import columns_read
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.form_features import without_ids
from grpo_env_sdk.checking.evidence.prompts.option_features import LISTED
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import prompt_messages, readable_text
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message

FEWEST_TWINS = 8
SURE, BETTER = 0.8, 0.25
"""The accuracy of a rule on rows that it was not fitted on, and how much better than the most frequent answer."""
ALIKE = 0.95
"""The share of rows with a twin in other words that have the gold of their twin."""
Pair = tuple[int, int]
_MARKED = regex(
    r"^(?:q|question|input|text|sentence|problem|statement|review):[ \t]*(\S[^\n]{5,})"
    r"(?:\n+(?:a|answer|output|label|solution|sentiment):[ \t]*([^\n]*))?",
    re.MULTILINE,
)
"""A line that is marked as a question, and the line of its answer where there is one."""
SOME, MANY, NEAR = 0.1, 0.3, 50
"""The share of rows from which an example with the answer is an error, that of rows of `test` with the same numbers as
one of `train`, and the characters between an example and its answer."""
_OF_A_ROW = regex(r"(?:^|_)(?:id|idx|index|row|number|n|seed|case_idx)$|prompt")
"""The names of columns that tell rows apart."""


@check("C125", needs=("gold",), kinds=("single-turn",), severity="warning")
def examples_are_of_other_rows(subject: Subject) -> Iterator[Finding]:
    """The last line of a prompt is not found earlier in it, followed by its answer."""
    pairs = [(row, prompt, answer) for row, prompt, answer in pairs_of(subject) if "\n" in prompt.strip()]
    shown = [
        (row, prompt, answer) for row, prompt, answer in pairs
        if _answered_before(prompt, answer) or _answered_in_turns(prompt_messages(subject.row(row)["prompt"]), answer)
    ]  # fmt: skip
    if shown:
        row, prompt, answer = shown[0]
        yield Finding(
            f"{len(shown)} of {len(pairs)} prompts ask their question earlier already, with its answer "
            f"{quoted(answer)}: row {row}.",
            "Draw the examples of a prompt from other rows than its own.",
            row, input=prompt[-600:], output=answer, severity="error" if len(shown) >= SOME * len(pairs) else "warning",
        )  # fmt: skip


@check("C127", needs=("rows",), severity="error")
def test_rows_are_not_training_rows_in_other_words(subject: Subject) -> Iterator[Finding]:
    """No row of `test` is a row of `train` in other case, spaces, punctuation, number words, order or words."""
    first = subject.rows.of_train
    if first is None:
        return
    whole = list(subject.rows.indices)
    texts = {row: prompt_text(subject, row) for row in whole}
    digits = {row: in_digits(text) for row, text in texts.items()}
    normal = {row: _words_alone(text) for row, text in digits.items()}
    train = {normal[row]: row for row in whole[:first]}
    exact = {texts[row] for row in whole[:first]}
    others = [row for row in whole[first:] if texts[row] not in exact]
    twins = [(row, train[normal[row]]) for row in others if normal[row] in train]
    how = "in other case, spaces, punctuation or number words"
    if len(twins) < max(1, SOME * (len(whole) - first)):
        rows = [{row: normal[row] for row in half} for half in (whole[:first], others)]
        twins = [pair for pair in near_twins(*rows) if _same_gold(subject, texts, *pair)]
        how = "with a few words or letters changed"
        of_train, of_test = ({row: texts[row] for row in half} for half in (whole[:first], others))
        reworded = _with_same_gold(subject, texts, reworded_twins(of_train, of_test))
        if len(reworded) > max(len(twins), FEWEST_TWINS, MANY * len(others)):
            twins, how = reworded, "with what is asked in other words"
        numbered = numbered_twins(of_train, of_test, digits, lambda row, twin: _same_gold(subject, texts, row, twin))
        if len(numbered) > max(len(twins), FEWEST_TWINS, MANY * len(others)):
            twins, how = numbered, "with the same numbers in other words"
        renamed = [pair for pair in _under_another_id(of_train, of_test, normal) if _same_gold(subject, texts, *pair)]
        if len(renamed) > len(twins):
            twins, how = renamed, "with another id or number"
        shuffled = shuffled_twins(of_train, of_test)
        shuffled = [pair for pair in shuffled if _same_told(subject, texts, *pair)]
        if len(shuffled) >= max(1, len(twins)):
            twins, how = shuffled, "with their sentences or options in another order"
        if len(twins) < FEWEST_TWINS and subject.traits.kind == "single-turn":
            masked = right_as_well(subject, masked_twins(of_train, of_test, right_by_row(subject)))
            if len(masked) > max(len(twins), MANY * len(others)):
                twins, how = masked, "but for one number or id, which decides on no row what is right"
    if len(twins) >= max(1, SOME * (len(whole) - first)):
        row, twin = twins[0]
        sure = len(train) >= 50 or len(twins) >= max(FEWEST_TWINS, (len(whole) - first) / 2)
        yield Finding(
            f"{len(twins)} of {len(whole) - first} rows of `test` are rows of `train` {how}, such as row {row}, like "
            f"row {twin}.",
            "Split what the rows are about before writing prompts, so that no question is in both splits.",
            row, input=texts[row], output=texts[twin], severity="error" if sure else "warning",
        )  # fmt: skip


def _with_same_gold(subject: Subject, texts: Mapping[int, str], pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs with the same gold; none where some of them, or pairs of other rows, have it about as often."""
    same = [pair for pair in pairs if _same_gold(subject, texts, *pair)]
    turned = zip(pairs, [*pairs[1:], *pairs[:1]], strict=True)
    by_chance = sum(_same_gold(subject, texts, row, twin) for (row, _), (_, twin) in turned)
    return same if len(same) >= max(ALIKE * len(pairs), by_chance + BETTER * len(pairs)) else []


def _under_another_id(
    train: Mapping[int, str], test: Mapping[int, str], normal: Mapping[int, str]
) -> list[tuple[int, int]]:
    """Rows of test that are rows of train but for the id in front, where that is not what tells rows of train apart."""

    def without_id(row: int, text: str) -> str:
        plain = without_ids(text)
        return normal[row] if plain == text else _normal(plain)

    known = {without_id(row, text): row for row, text in train.items()}
    if len(known) < SURE * len(train):
        return []
    plain = {row: without_id(row, text) for row, text in test.items()}
    return [(row, known[text]) for row, text in plain.items() if text in known]


def _same_answer(subject: Subject, row: int, twin: int) -> bool:
    """Whether the columns of answers are equal, where there are any."""
    one, other = subject.row(row), subject.row(twin)
    return all(one.get(name) == other.get(name) for name in ANSWER_COLUMNS)


def _same_gold(subject: Subject, texts: Mapping[int, str], row: int, twin: int) -> bool:
    """Whether nothing shows that the rows have different answers: what scorers read, or the numbers of the rows."""
    one, other = subject.row(row), subject.row(twin)
    numbers = () if columns_read(subject) else (name for name in one if not _OF_A_ROW.search(name))
    return (
        _same_answer(subject, row, twin)
        and _same_told(subject, texts, row, twin)
        and all(one[name] == other.get(name) for name in numbers if isinstance(one[name], int | float))
    )


def _same_told(subject: Subject, texts: Mapping[int, str], row: int, twin: int) -> bool:
    """Whether the columns that scorers read are equal, or marks of the same line in the list of each prompt."""
    lines = [{bare(mark): bare(text) for mark, text in LISTED.findall(texts[one])} for one in (row, twin)]
    pairs = [(subject.row(row).get(name), subject.row(twin).get(name)) for name in columns_read(subject)]
    told = [[listed.get(bare(str(value))) for listed, value in zip(lines, pair, strict=True)] for pair in pairs]
    return all(
        one == other or (text is not None and text == text_there)
        for (one, other), (text, text_there) in zip(pairs, told, strict=True)
    )


def _answered_before(prompt: str, answer: str) -> bool:
    """Whether the last line, or the last question that is marked as one, is in a prompt before, with the answer."""
    *before, last = prompt.strip().split("\n")
    last, earlier = last.strip(), "\n".join(before)
    found = earlier.find(last) if len(last) >= 6 else -1
    if found >= 0 and re.search(as_a_part(answer), earlier[found + len(last) :][:NEAR], re.IGNORECASE):
        return True
    asked = _MARKED.findall(prompt.casefold())
    said = [bare(reply) for question, reply in asked[:-1] if question.strip() == asked[-1][0].strip()]
    return answer in said


def _answered_in_turns(messages: Sequence[Message], answer: str) -> bool:
    """Whether the last message of a prompt is an example as well, which the assistant has answered."""
    last = messages[-1].get("content") if messages else None
    return any(
        one.get("content") == last and reply["role"] == "assistant" and bare(readable_text(reply["content"])) == answer
        for one, reply in pairwise(messages)
        if last
    )


def _normal(text: str) -> str:
    """A text without case, spaces and punctuation, with digits for number words."""
    return _words_alone(in_digits(text))


def _words_alone(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))
