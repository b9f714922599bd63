"""Whether prompts and answers are whole: not cut off, no values that are missing, no names of columns in braces."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds
from grpo_env_sdk.checking.evidence.prompts.cut_passages import as_long_as_all, cut_passages
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.filled_keys import filled_keys_note
from grpo_env_sdk.late_patterns import regex

FEWEST_CUT, SOME, MOSTLY = 3, 0.05, 0.8
SHORT, MOST_WORD, MOST_MISSING, MOST_ROWS = 40, 16, 0.5, 2_000
_WHOLE = regex(r"[^\w\s,;\u2013\u2014-]\s*\Z|\.\.\.\Z|…\Z")
_DOTS = regex(r"(?:\.\.\.|…)\s*\Z")
_CODE = regex(
    r"```|\b(?:code|python|javascript|json|sql|pandas|program|function|variable|template)\b",
    re.IGNORECASE,
)
"""Words of a task in which such values are meant."""
_MISSING = regex(
    r"(?:[:=(]|\b(?:is|was|are|of|for|by|at|to|costs?|has|in|on|than)) ?"
    r"(?:nan|NaN|NaT|<NA>|None|undefined|\[object Object\])(?![\w-])(?! of\b)"
)
_OBJECT = regex(
    r"<[\w.]+ object at 0x|<(?:function|generator object|bound method) |\bnp\.(?:float|int|str)\w*\(|\bDecimal\('"
    r"|\bdatetime\.(?:date|datetime|time)\w*\(|\bdict_(?:keys|values|items)\("
)
_NO_ANSWERS = ("nan", "none", "null", "n/a", "<na>", "nat", "undefined", "#ref!", "#n/a", "#value!", "tbd", "todo")


@check("C147", needs=("rows",))
def texts_are_not_cut_off(subject: Subject) -> Iterator[Finding]:
    """No prompts or answers are as long as the longest one, and end within a sentence where others do not."""
    prompts = {row: prompt_text(subject, row) for row in subject.rows.indices[:MOST_ROWS]}
    longest = {row: max(text.split("\n"), key=len) for row, text in prompts.items()}
    answers = {row: gold.text for row, gold in golds(subject).items()} if subject.gold_source else {}
    for name, texts in (("prompt", prompts), ("longest line of the prompt", longest), ("gold answer", answers)):
        if cut := _cut(texts):
            row = min(cut)
            yield Finding(
                f"The {name} of {len(cut)} of {len(texts)} rows is cut off: it ends within a sentence after "
                f"{len(texts[row])} characters, such as {quoted('...' + texts[row][-40:])} in row {row}.",
                "Leave out what is too long, or keep all of it.",
                row, input=texts[row][-600:],
            )  # fmt: skip
            return
    if short := _shortened(longest):
        row = min(short)
        yield Finding(
            f"The longest line of {len(short)} of {len(prompts)} prompts is shortened: it ends with dots after "
            f"{len(longest[row])} characters, such as {quoted('...' + longest[row][-40:])} in row {row}, and none is "
            f"longer than {max(map(len, longest.values()))}.",
            "Leave out what is too long, or keep all of it; what is asked may be in the part that is missing.",
            row, input=longest[row][-600:],
        )  # fmt: skip
        return
    passages = cut_passages(prompts) or as_long_as_all(prompts)
    if len(passages) >= FEWEST_CUT:
        row, passage = next(iter(passages.items()))
        yield Finding(
            f"A passage in {len(passages)} of {len(prompts)} prompts is cut off: it ends within a sentence after "
            f"{len(passage)} characters ({len(passage.split())} words), such as {quoted('...' + passage[-40:])}.",
            "Leave out what is too long, or keep all of it; what is asked may be in the part that is missing.",
            row, input=passage[-600:],
        )  # fmt: skip


@check("C148", needs=("rows",))
def texts_have_their_values(subject: Subject) -> Iterator[Finding]:
    """No prompt holds the name of a column in braces, a value that is missing or an object of Python, and no answer."""
    prompts = {row: prompt_text(subject, row) for row in subject.rows.indices[:MOST_ROWS]}
    columns = [name for name in subject.rows.columns if name not in ("prompt", "case_idx")]
    braces = regex(rf"\{{\{{? ?(?:{'|'.join(map(re.escape, columns))}) ?\}}?\}}") if columns else None
    unfilled = {row: found.group() for row, text in prompts.items() if braces and (found := braces.search(text))}
    plain = {row: text for row, text in prompts.items() if not _CODE.search(text)}
    missing = {row: found.group() for row, text in plain.items() if (found := _MISSING.search(text))}
    objects = {row: found.group() for row, text in plain.items() if (found := _OBJECT.search(text))}
    missing = missing if len(missing) <= MOST_MISSING * len(prompts) else {}
    texts = {row: gold.text for row, gold in golds(subject).items()} if subject.gold_source else {}
    empty = {row: text for row, text in texts.items() if _no_answer(text, prompt_text(subject, row))}
    empty = empty if len(empty) <= MOST_MISSING * len(texts) else {}
    note = filled_keys_note(map(subject.row, prompts)) if missing or empty else ""
    for what, found_in in (
        ("The prompt holds a name in place of its value", unfilled),
        ("The prompt holds a value that is missing", missing),
        ("The prompt holds an object of Python", objects),
        ("Gold is no answer", empty),
    ):
        if found_in:
            row = min(found_in)
            yield Finding(
                f"{what} on {len(found_in)} of {len(prompts)} rows: {quoted(found_in[row])} in row {row}.",
                f"Fill it in, or leave such rows out. {note if found_in in (missing, empty) else ''}".strip(),
                row, input=prompt_text(subject, row)[-600:], output=found_in[row],
            )  # fmt: skip


def _cut(texts: Mapping[int, str]) -> list[int]:
    """The rows whose texts are as long as the longest one and do not end as the others do."""
    most = max(map(len, texts.values()), default=0)
    cut = [row for row, text in texts.items() if len(text) >= most - 1]  # a space at its end may be left out
    others = [text for text in texts.values() if len(text) < most - 1]
    if most < SHORT or len({texts[row] for row in cut}) < max(FEWEST_CUT, SOME * len(texts)) or not others:
        return []
    broken = sum(not _WHOLE.search(texts[row]) or bool(_DOTS.search(texts[row])) for row in cut)
    whole = sum(bool(_WHOLE.search(text)) and not _DOTS.search(text) for text in others)
    ends = Counter(end for row in cut for end in re.findall(r"\w+\W*\Z", texts[row]))
    alike = max(ends.values(), default=0) > MOSTLY * len(cut)  # a line of a template, which goes on in the next one
    return cut if broken >= MOSTLY * len(cut) and whole >= MOSTLY * len(others) and not alike else []


def _shortened(lines: Mapping[int, str]) -> list[int]:
    """The rows whose lines end with dots within a word of the length of the longest one, where others end otherwise."""
    most = max(map(len, lines.values()), default=0)
    dotted = [row for row, text in lines.items() if _DOTS.search(text)]
    as_long = all(len(lines[row]) > most - MOST_WORD for row in dotted)
    several = len({lines[row] for row in dotted}) >= FEWEST_CUT
    long = most >= (2 if len(dotted) <= MOSTLY * len(lines) else 5) * SHORT
    return dotted if several and as_long and long else []


def _no_answer(text: str, prompt: str) -> bool:
    said = text.strip().casefold()
    return said in _NO_ANSWERS and said not in prompt.casefold()
