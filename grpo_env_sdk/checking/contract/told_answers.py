"""Whether prompts tell their answers: on some rows, in one place, or in the name of the row."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.attempts.answer_pairs import Pairs, as_a_part, halves, pairs_of
from grpo_env_sdk.checking.evidence.attempts.guesses import form_of, without_form
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers, usable_gold
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.bare_text import bare
from grpo_env_sdk.checking.evidence.prompts.form_features import are_about_ids, first_id, without_ids
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.images import column_images, images_in
from grpo_env_sdk.data.opening import row_messages
from grpo_env_sdk.evaluation.stats import Share
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import canonical_json

FEWEST_ROWS, FEWEST_OF_ALL, FEWEST_ANSWERS = 20, 6, 4
SURE, NEARLY_ALL, BETTER = 0.8, 0.6, 0.2
"""The share of rows whose names hold the answer, and of marked rows that were not used to find the mark; and how much
more that has to be than the most frequent answer."""
MOST_OPTIONS, LOOKED_AT = 12, 6
MOST_TWINS = 12
SOME, CHANCE = 0.1, 0.2
"""The share of rows with and without a mark, and of rows in which any answer is found by accident."""
PAYS, AROUND = 0.5, 4
"""The share of rows on which one place has to hold the answer for an error, and the letters that tell the place."""
WORDS, PLACES = 12, 5
"""The letters before an answer that mark it, and how many places are looked at."""
_NAMED = regex(
    r"\b(?:answer|solution|gold|label|right one|correct one)\b(?: is| was| will be|:| =)+ ?['\"]?$", re.IGNORECASE
)
_HEADER = regex(r"^\s*[\[(][^\])\n]{3,120}[\])]|[\[(][^\])\n]{3,120}[\])]\s*$|<!--.{1,200}?-->")


@check("C126", needs=("gold",), kinds=("single-turn",))
def answers_are_not_in_most_prompts(subject: Subject) -> Iterator[Finding]:
    """The answer is a word of the prompt on all rows, or on few."""
    pairs = _without_shared(pairs_of(subject))
    ways = (_in_most, _behind_words, _behind_its_name)
    if len(pairs) >= FEWEST_ROWS and (found := next(filter(None, (way(subject, pairs) for way in ways)), None)):
        yield found


@check("C133", needs=("gold",), kinds=("single-turn",), severity="warning")
def names_of_rows_do_not_hold_answers(subject: Subject) -> Iterator[Finding]:
    """No id, name of a file or header of a prompt holds the answer."""
    pairs = pairs_of(subject)
    held = [
        (row, prompt, answer, name)
        for row, prompt, answer in pairs
        if (name := _name_with(answer, prompt) or _code_of(answer, prompt))
    ]
    share = Share(len(held), len(pairs))
    rest = _without_shared([(row, prompt.replace(name, ""), answer) for row, prompt, answer, name in held])
    asked = {without_ids(prompt) for _, prompt, _ in rest}
    differ = len({prompt for _, prompt, _ in rest}) > 1  # else they may list all answers
    elsewhere = sum(differ and bool(re.search(as_a_part(answer), prompt, re.I)) for _, prompt, answer in rest)
    on_all = len(held) == len(pairs) >= FEWEST_OF_ALL
    shown = all(_has_picture(subject, row) for row, *_ in held[:LOOKED_AT])  # what is asked is not in the text
    if (
        (on_all or (len(pairs) >= FEWEST_ROWS and share.low >= SURE))
        and len({answer for *_, answer, _ in held}) >= (2 if shown else FEWEST_ANSWERS)
        and (shown or len(asked) >= len(held) / 2)
        and elsewhere <= len(held) / 2
    ):
        row, prompt, answer, name = held[0]
        yield Finding(
            f"The answer is a part of an id, a name or a header on {share}: {quoted(answer)} in {quoted(name)}.",
            "Take it out, unless the task is to read it there: names are often written with the answer at hand.",
            row, input=prompt[-600:], output=answer,
        )  # fmt: skip


@check("C134", needs=("gold",), kinds=("single-turn",), severity="error")
def a_prompt_has_one_gold(subject: Subject) -> Iterator[Finding]:
    """What is gold on one row is gold on another row with the same prompt, whatever columns the answers are in."""
    of_prompt: dict[str, list[int]] = defaultdict(list)
    for row in subject.rows.indices:
        of_prompt[canonical_json(row_messages(subject.row(row)))].append(row)
    twins = [(rows[0], other) for rows in of_prompt.values() for other in rows[1:4]][:MOST_TWINS]
    golden = {row: episode for pair in twins for row in pair if (episode := usable_gold(subject, row))}
    pairs = [(one, other) for one, other in twins if one in golden and other in golden]
    for (one, other), episode in zip(
        pairs, play_answers(subject, [(other, own_turns(golden[one].completion)) for one, other in pairs]), strict=False
    ):
        wanted = golden[other].reward or 0.0
        if loses_half(subject, episode, wanted):
            yield Finding(
                f"Rows {one} and {other} have the same prompt, and what scores {golden[one].reward:g} on one scores "
                f"{episode.reward:g} on the other, where gold scores {wanted:g}.",
                "Look for prompts that were joined with another row's answer; put what is different into the prompt.",
                other, input=episode.completion, output=episode.reward, expected=wanted,
            )  # fmt: skip
            return


def _has_picture(subject: Subject, row: int) -> bool:
    """Whether a row shows a picture, so that what it asks need not be in its text."""
    shown = subject.row(row)
    return bool(images_in(row_messages(shown)) or column_images(shown))


def _name_with(answer: str, prompt: str) -> str:
    """The id or header of a prompt that holds an answer beside something else, or an empty string."""
    name = "" if are_about_ids([prompt]) else first_id(prompt)
    stem = re.sub(r"\.[a-z]{2,4}$", "", name.casefold())
    if answer and any(stem.endswith(f"{mark}{answer}") or stem.startswith(f"{answer}{mark}") for mark in "-_/."):
        return name
    if len(answer) > 2 and answer.isalpha() and answer in re.split(r"[-_/.]", stem):
        return name  # amid others, as in field7/rust_1234.png
    digits = re.sub(r"[\W_]", "", answer)
    parts = re.split(r"[-_/.]", stem)
    padded = [part.lstrip("0") for part in parts if part.startswith("0")]
    if digits.isdigit() and (
        digits.lstrip("0") in padded or (len(digits) > 2 and digits != answer and digits in parts)
    ):
        return name  # without its signs, or with zeros before it, as in clock_0730.png
    for found in _HEADER.finditer(prompt) if answer else ():
        if re.search(rf"\w[-_/:|=,# ]+{re.escape(answer)}\W*$", found.group(), re.IGNORECASE):
            return found.group()
    return ""


def _code_of(answer: str, prompt: str) -> str:
    """The id of a prompt with the first letters of an answer, as BIL-4100 for "billing", or an empty string."""
    name = "" if are_about_ids([prompt]) else first_id(prompt)
    letters = re.findall(r"[^\W\d_]{3,}", name)
    return name if re.search(r"\d", name) and any(answer.startswith(one.casefold()) for one in letters) else ""


def _in_most(subject: Subject, whole: Pairs) -> Finding | None:
    """The finding that answers of some letters are in most prompts, and not in the others."""
    pairs = [(row, prompt, answer) for row, prompt, answer in whole if len(answer) >= 4]
    found = [(row, prompt, answer) for row, prompt, answer in pairs if re.search(as_a_part(answer), prompt, re.I)]
    others = {answer for *_, answer in pairs}
    chance = sum(
        bool(re.search(as_a_part(answer), prompt, re.I))
        for (_, prompt, _), answer in zip(pairs, _turned(pairs), strict=True)
    )
    if (
        len(pairs) < FEWEST_ROWS
        or len(others) < FEWEST_ANSWERS
        or not 0.6 <= len(found) / len(pairs) <= 0.97
        or chance > CHANCE * len(pairs)
        or _share_one([answer for row, _, answer in pairs if row not in {one for one, *_ in found}])
    ):
        return None
    row, prompt, answer = found[0]
    at = prompt.casefold().find(answer.casefold())
    share = _held_there(pairs)
    copied = f" What stands there earns {golds(subject)[row].reward:g} on {share} that the place was not chosen on."
    return Finding(
        f"The answer is in the prompt of {len(found)} of {len(pairs)} rows, and not in the others: {quoted(answer)} in "
        f"{quoted(prompt[max(0, at - 30) : at + len(answer) + 20])}.{copied if share.low >= PAYS else ''}",
        "If the task is not to find it in the prompt, take it out: names of files, ids and captions often hold it.",
        row, input=prompt[-600:], output=answer, severity="error" if share.low >= PAYS else "warning",
    )  # fmt: skip


def _behind_words(subject: Subject, pairs: Pairs) -> Finding | None:
    """The finding that some prompts have words with the answer behind them, and the others do not hold it at all."""
    fitted, held_out = halves(pairs)
    places: Counter[str] = Counter()
    for _, prompt, answer in fitted:
        places.update(
            {prompt[max(0, found.start() - WORDS) : found.start()].casefold() for found in _parts(answer, prompt)}
        )
    words = next((words for words, _ in places.most_common(PLACES) if len(words.strip()) > 3), "")
    marked = {row for row, prompt, _ in pairs if words and words in prompt.casefold()}
    held = [(row, prompt, answer) for row, prompt, answer in held_out if row in marked]
    right = [
        one for one in held if any(one[1][: part.start()].casefold().endswith(words) for part in _parts(one[2], one[1]))
    ]
    rest = [(prompt, answer) for row, prompt, answer in pairs if row not in marked]
    answers = Counter(answer for *_, answer in pairs)
    options = list(answers) if len(answers) <= MOST_OPTIONS else []
    known = sum(any(_parts(answer, prompt)) and not _lists(prompt, options) for prompt, answer in rest)
    share = Share(len(right), len(held))
    if (
        share.low < max(NEARLY_ALL, answers.most_common(1)[0][1] / len(pairs) + BETTER)
        or not SOME * len(pairs) <= len(rest) <= (1 - SOME) * len(pairs)
        or known > CHANCE * len(rest)
        or _share_one([answer for _, answer in rest])
    ):
        return None
    row, prompt, answer = right[0]
    return Finding(
        f"The answer is behind {words.strip()!r} in {len(marked)} of {len(pairs)} prompts, and not in the others: "
        f"what stands there earns {golds(subject)[row].reward:g} on {share} that these words were not chosen on.",
        "Take it out: a hint that only some rows have is often left from writing the data.",
        row, input=prompt[:600], output=answer,
    )  # fmt: skip


def _behind_its_name(subject: Subject, pairs: Pairs) -> Finding | None:
    """The finding that some prompts say what the answer is, where all of them have it among others."""
    told = [(row, prompt, answer, words) for row, prompt, answer in pairs if (words := _named_before(prompt, answer))]
    words = Counter(words for *_, words in told).most_common(1)[0][0] if told else ""
    marked = [answer for _, prompt, answer in pairs if words and words in prompt.casefold()]
    right = [(row, prompt, answer) for row, prompt, answer, before in told if before == words]
    share = Share(len(right), len(marked))
    if (
        len(right) < FEWEST_OF_ALL
        or len({answer for *_, answer in right}) < FEWEST_ANSWERS
        or share.low < NEARLY_ALL
        or len(marked) > (1 - SOME) * len(pairs)
    ):
        return None
    row, prompt, answer = right[0]
    return Finding(
        f"{len(marked)} of {len(pairs)} prompts say what the answer is, and it is so on {share}: {quoted(answer)} "
        f"behind {words.strip()!r}.",
        "Take it out: a hint that only some rows have is often left from writing the data.",
        row, input=prompt[:600], output=answer,
    )  # fmt: skip


def _named_before(prompt: str, answer: str) -> str:
    """The words that name an answer right before it, where no list of options follows."""
    for found in _parts(answer, prompt):
        named = _NAMED.search(prompt[: found.start()])
        if named and not re.match(r"['\"]?(?:,| or\b| and\b|/)", prompt[found.end() :]):
            return named.group().casefold()
    return ""


def _share_one(answers: list[str]) -> bool:
    """Whether most of several answers are the same, which says that in these rows there is nothing to find."""
    return Counter(answers).most_common(1)[0][1] * 2 > len(answers) > 1


def _lists(prompt: str, options: list[str]) -> bool:
    """Whether a prompt lists the options, so that the answer is there with the others."""
    return len(options) > 1 and sum(any(_parts(option, prompt)) for option in options) >= max(2, len(options) / 2)


def _parts(answer: str, prompt: str) -> Iterator[re.Match[str]]:
    return re.finditer(as_a_part(answer), prompt, re.IGNORECASE) if answer else iter(())


def _held_there(pairs: Pairs) -> Share:
    """How often the text between the same few letters is the answer, on the half of the rows not used to find them."""
    places: Counter[tuple[str, str]] = Counter()
    fitted, held_out = halves(pairs)
    for _, prompt, answer in fitted:
        for found in re.finditer(as_a_part(answer), prompt, re.IGNORECASE):
            places[prompt[max(0, found.start() - AROUND) : found.start()], prompt[found.end() : found.end() + 1]] += 1
    best = places.most_common(1)[0][0] if places else ("\0", "")
    between = regex(rf"{re.escape(best[0])}(.+?){re.escape(best[1]) or '$'}", re.IGNORECASE)
    held = [(between.search(prompt), answer) for _, prompt, answer in held_out]
    return Share(sum(found is not None and bare(found[1]) == answer for found, answer in held), len(held))


def _without_shared(pairs: Pairs) -> Pairs:
    """The pairs with prompts without the words that all of them begin and end with, such as a list of all labels."""
    before, after = form_of([prompt for _, prompt, _ in pairs])
    form = re.sub(r"\S+\Z", "", before), re.sub(r"\A\S+", "", after)
    return [(row, without_form(prompt, form), answer) for row, prompt, answer in pairs]


def _turned(pairs: Pairs) -> list[str]:
    """The answers of other rows."""
    answers = [answer for *_, answer in pairs]
    half = len(answers) // 2
    return answers[half:] + answers[:half]
