"""Whether the right answer is among the options of its row, on all rows, and is not given away by the wrong ones."""

import re
from collections import Counter
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs, as_a_part, halves, pairs_of
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex

FEWEST_ROWS, FEWEST_OPTIONS, FEWEST_MISSING = 20, 3, 3
SOME, SURE, BETTER = 0.1, 0.8, 0.25
_LETTER, _MARKED = regex(r"[A-H]"), regex(r"(?<!\w)\(?([A-H])[).:]\s")
_LINE = regex(r"^\s*(?:\(?[A-Ha-h1-9][).:]|[-*])\s+(.+?)\s*$", re.MULTILINE)
_LIST = regex(r"[^,:;.?!\n()\[\]]+(?:, ?[^,:;.?!\n()\[\]]+){2,}")


@check("C137", needs=("gold",), kinds=("single-turn",))
def the_right_option_is_among_the_options(subject: Subject) -> Iterator[Finding]:
    """Where prompts list answers to choose from, the right one is in the list, and the others do not give it away."""
    pairs = pairs_of(subject)
    if found := _letter_without_option(pairs):
        yield found
        return
    texts = {answer for *_, answer in pairs}
    listed = {row: options for row, prompt, _ in pairs if (options := _options(prompt, texts))}
    if len(pairs) < FEWEST_ROWS or len(listed) < (1 - SOME) * len(pairs):
        return
    missing = [(row, prompt, answer) for row, prompt, answer in pairs if row in listed and answer not in listed[row]]
    absent = all(not re.search(as_a_part(answer), prompt, re.IGNORECASE) for _, prompt, answer in missing)
    of_golds = all(2 * sum(option in texts for option in options) >= len(options) for options in listed.values())
    usual = Counter(answer for *_, answer in missing).most_common(1)
    if (
        absent
        and of_golds
        and SOME * len(listed) <= len(missing) <= (1 - SOME) * len(listed)
        and usual[0][1] * 2 <= len(missing)
    ):
        row, prompt, answer = missing[0]
        yield Finding(
            f"The right answer is among the options of {len(listed) - len(missing)} of {len(listed)} prompts, and not "
            f"among those of the others: {quoted(answer)} in row {row}.",
            "Draw the wrong options from the others, and add the right one.",
            row, input=prompt[-600:], output=answer,
        )  # fmt: skip
    elif not missing and (share := _never_wrong(pairs, listed)) is not None:
        row, prompt, answer = pairs[0]
        yield Finding(
            f"Wrong options are never right on any row: the one option that other rows do not have as a wrong one is "
            f"right on {share} that this was not fitted on, such as {quoted(answer)} in row {row}.",
            "Draw wrong options from the right answers of other rows.",
            row, input=prompt[-600:], output=answer, severity="warning",
        )  # fmt: skip


def _letter_without_option(pairs: Pairs) -> Finding | None:
    """The finding that gold is the letter of an option that its prompt does not have, and does not speak of."""
    if len(pairs) < FEWEST_ROWS or not all(_LETTER.fullmatch(answer.upper()) for *_, answer in pairs):
        return None
    marked = {row: set(_MARKED.findall(prompt)) for row, prompt, _ in pairs}
    missing = [
        (row, prompt, answer.upper())
        for row, prompt, answer in pairs
        if len(marked[row]) >= FEWEST_OPTIONS and not re.search(as_a_part(answer.upper()), prompt)
    ]
    if not FEWEST_MISSING <= len(missing) <= (1 - SOME) * len(pairs):
        return None
    row, prompt, answer = missing[0]
    return Finding(
        f"Gold is the letter of an option that {len(missing)} of {len(pairs)} prompts do not have: {answer!r} in row "
        f"{row}, whose options are {', '.join(sorted(marked[row]))}.",
        "Add the right option to these rows, or say in the prompt which letter means that none is right.",
        row, input=prompt[-600:], output=answer,
    )  # fmt: skip


def _options(prompt: str, texts: set[str]) -> tuple[str, ...]:
    """The options that a prompt lists, in lines or with commas; empty where no two of them are answers of rows."""
    found = [[bare(option) for option in _LINE.findall(prompt)]]
    found += [re.split(r", ?(?:or )?| or ", bare(text)) for text in _LIST.findall(prompt)]
    lists = [tuple(options) for options in found if len(set(options)) == len(options) >= FEWEST_OPTIONS]
    return max(lists, key=lambda options: sum(option in texts for option in options), default=()) if lists else ()


def _never_wrong(pairs: Pairs, listed: dict[int, tuple[str, ...]]) -> Share | None:
    """How often the one option that is not wrong on the other half of the rows is right; None if not often."""
    right, chance = 0, 0.0
    first, second = halves([one for one in pairs if one[0] in listed])
    for fitted, held_out in ((first, second), (second, first)):
        wrong = {option for row, _, answer in fitted for option in listed[row] if option != answer}
        for row, _, answer in held_out:
            right += [option for option in listed[row] if option not in wrong] == [answer]
            chance += 1 / len(listed[row])
    share = Share(right, len(listed))
    return share if share.low >= max(SURE, chance / len(listed) + BETTER) else None
