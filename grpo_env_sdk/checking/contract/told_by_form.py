"""Whether a form tells the answer: a rule about options, ids or marks of prompts, or always the same place."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from statistics import median

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs, halves, pairs_of
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.form_features import (
    OF_COUNTS,
    OF_IDS,
    UNSEEN,
    Feature,
    are_about_ids,
    sizes_in_ids,
    without_ids,
)
from grpo_env_sdk.checking.evidence.prompts.option_features import (
    LISTED,
    OF_ENDS,
    OF_OPTIONS,
    OF_RANKS,
    listed_in_a_sentence,
    mark_of,
    options_of,
    question_of,
)
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.types import Row

FEWEST_ROWS, MOST_ANSWERS, FEWEST_QUESTIONS = 20, 12, 8
SURE, BETTER = 0.8, 0.25
"""The accuracy of a rule on rows that it was not fitted on, and how much better than the most frequent answer."""
BY_CHANCE = 1e-4
"""How likely it may be that one of the rules has no exception where places are drawn."""
_OPTION_COLUMNS = ("options", "choices", "candidates", "alternatives")


@check("C124", needs=("gold",), kinds=("single-turn",), severity="error")
def form_does_not_tell_the_answer(subject: Subject) -> Iterator[Finding]:
    """No rule about the form of a prompt, fitted on half of the rows, gives the answers of the other half."""
    pairs = pairs_of(subject)
    if placed := _in_one_place(subject, pairs):
        yield placed
        return
    for what, of_rows, features in _told(pairs) if len(pairs) >= FEWEST_ROWS else ():
        usual = Counter(answer for *_, answer in of_rows).most_common(1)[0][1] / len(of_rows)
        for name, feature in features.items():
            share, example = _proven(of_rows, feature)
            if example is not None and share.low >= max(SURE, usual + BETTER):
                row, value, answer = example
                yield Finding(
                    f"{name} gives {what} away: a rule is right on {share} that it was not fitted on, "
                    f"e.g. {value!r} is mostly {quoted(answer)}.",
                    f"Give all answers prompts of the same form: {name[0].lower()}{name[1:]} may not depend on the "
                    "answer.",
                    row, input=prompt_text(subject, row)[-300:], output=answer,
                    severity="warning" if name in OF_COUNTS | OF_ENDS else None,
                )  # fmt: skip
                return
    yield from _without_exception(subject, pairs)


def _without_exception(subject: Subject, pairs: Pairs) -> Iterator[Finding]:
    """The finding that a rule holds on all rows, be they few, which it hardly would if the right option were drawn."""
    chosen = [(row, prompt, mark) for row, prompt, answer in pairs if (mark := mark_of(prompt, answer))]
    offered = [options_of(prompt) for _, prompt, _ in chosen]
    questions = {without_ids(question_of(prompt)) for _, prompt, _ in chosen}
    if not chosen or len(chosen) < len(pairs) or 2 * len({str(options) for options in offered}) <= len(chosen):
        return
    if 2 * len(questions) <= len(chosen):
        return
    about_ids = are_about_ids([question_of(prompt) for _, prompt, _ in chosen])
    features = OF_OPTIONS | OF_RANKS | ({} if about_ids else OF_IDS)
    read = {name: [feature(prompt) for _, prompt, _ in chosen] for name, feature in features.items()}
    rules = {name: values for name, values in read.items() if all(values) and len(set(values)) > 1}
    for name, values in rules.items():
        told = {value: mark for value, (*_, mark) in zip(values, chosen, strict=True)}
        right = [told[value] == mark for value, (*_, mark) in zip(values, chosen, strict=True)]
        chance = min(map(len, offered)) ** (len(told) - len(chosen)) * len(rules)
        if all(right) and len(set(told.values())) > 1 and chance <= BY_CHANCE:
            row, _, mark = chosen[0]
            yield Finding(
                f"{name} gives the answer away on all {len(chosen)} rows, "
                f"e.g. {values[0]!r} is always {quoted(mark)}.",
                "Draw the place of the right option and what the options have in common independently of everything "
                "that the prompt shows.",
                row, input=prompt_text(subject, row)[-300:], output=mark,
                severity=None if name in OF_IDS or len(chosen) >= FEWEST_ROWS else "warning",
            )  # fmt: skip
            return


def _told(pairs: Pairs) -> Iterator[tuple[str, Pairs, dict[str, Feature]]]:
    """What a form may tell, the rows with that in place of the answer, and the features that would be no accident."""
    chosen = [(row, prompt, mark) for row, prompt, answer in pairs if (mark := mark_of(prompt, answer))]
    if len(chosen) >= SURE * len(pairs):
        differ = 2 * len({question_of(prompt) for _, prompt, _ in chosen}) > len(chosen)  # else options alone decide
        yield "the answer", chosen, OF_OPTIONS | (OF_RANKS | OF_ENDS if differ else {})
    answers = {answer for *_, answer in pairs}
    asked = {without_ids(prompt) for _, prompt, _ in pairs}
    if 2 <= len(answers) <= MOST_ANSWERS:
        prompts = [prompt for _, prompt, _ in pairs]
        of_ids = len(asked) >= FEWEST_QUESTIONS and not are_about_ids(prompts)
        ids = OF_IDS | dict(sizes_in_ids(prompts)) if of_ids else {}
        yield "the answer", pairs, UNSEEN | ids | OF_COUNTS
    elif all(answer.isdecimal() for answer in answers):
        middle = median(int(answer) for answer in answers)
        yield "whether the answer is even", [(n, text, str(int(one) % 2 == 0)) for n, text, one in pairs], UNSEEN
        yield "whether the answer is large", [(n, text, str(int(one) > middle)) for n, text, one in pairs], UNSEEN


def _in_one_place(subject: Subject, pairs: Pairs) -> Finding | None:
    """The finding that the right one of the options in a prompt has the same place on nearly all rows."""
    offered = {row: _marks(prompt, answer) or _options(subject.row(row), prompt) for row, prompt, answer in pairs}
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


def _marks(prompt: str, answer: str) -> list[str]:
    """The ids in front of the lines that a prompt lists, or the lines, where the answer is one of three or more."""
    lines = LISTED.findall(prompt)
    for found in ([bare(mark) for mark, _ in lines], [bare(text) for _, text in lines]):
        if len(found) > 2 and len(set(found)) == len(found) and answer in found:
            return found
    return []


def _options(row: Row, prompt: str) -> list[str]:
    """The options of a row in the order of its prompt: those of a column, or of the last "a, b or c"."""
    shown = prompt.casefold()
    for name in _OPTION_COLUMNS:
        given = row.get(name)
        texts = [bare(str(option)) for option in given] if isinstance(given, list) else []
        if len(texts) > 2 and all(text in shown for text in texts):
            return sorted(texts, key=shown.rfind)
    return [bare(option) for option in listed_in_a_sentence(prompt)]


def _proven(pairs: Pairs, feature: Feature) -> tuple[Share, tuple[int, str, str] | None]:
    """How often the usual answer of a value in one half of the rows is right in the other, and one such row."""
    first, second = ([(row, feature(prompt), answer) for row, prompt, answer in half] for half in halves(pairs))
    right: Pairs = []
    values: set[str] = set()
    for fitted, held_out in ((first, second), (second, first)):
        counted: dict[str, Counter[str]] = defaultdict(Counter)
        for _, value, answer in fitted:
            counted[value][answer] += 1
        values.update(counted)
        right += [one for one in held_out if one[1] and one[1] in counted and _usual(counted[one[1]]) == one[2]]
    return Share(len(right), len(pairs)), min(right, default=None) if len(values) > 1 else None


def _usual(counted: Counter[str]) -> str:
    return counted.most_common(1)[0][0]
