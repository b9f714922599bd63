"""Whether the schemas of a row's tools tell what gold says: as a default, in a description, as the only value."""

from collections import defaultdict
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.evidence.golds import Gold, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import canonical_json

MOSTLY, DIFFERENT = 0.75, 3
"""On what share of the rows, and with how many different values, schemas have to differ by gold's value alone."""


@check("G534", needs=("tools", "gold"))
def schemas_do_not_tell_the_answer(subject: Subject) -> Iterator[Finding]:
    """The tools of different rows do not differ by what gold says in each."""
    if not subject.traits.tools_of_rows:
        return
    known = some_golds(subject)
    told: dict[str, dict[int, str]] = defaultdict(dict)
    for gold in known:
        schemas = canonical_json(subject.tools_of(gold.row))
        for value in _values(subject, gold):
            if value in schemas:
                told[schemas.replace(value, "\0")].setdefault(gold.row, value)
    of_rows: dict[int, str] = max(told.values(), key=len, default={})
    if len(of_rows) >= max(FEWEST_ROWS, MOSTLY * len(known)) and len(set(of_rows.values())) >= DIFFERENT:
        row, value = next(iter(of_rows.items()))
        yield Finding(
            f"The schemas of the tools tell what gold says, on {len(of_rows)} of {len(known)} rows: they differ from "
            f"row to row by it alone, such as {quoted(value)} in row {row}, which the prompt does not have.",
            "Describe the tools in the same way on all rows: look for defaults, examples and descriptions with values.",
            row, subject.tools_of(row), value, "schemas without it",
        )  # fmt: skip


def _values(subject: Subject, gold: Gold) -> list[str]:
    """The values of gold's calls and its last text, without those in the prompt."""
    values = [value for _, given in gold.calls for value in given.values()]
    texts = [str(value) for value in [*values, gold.text] if isinstance(value, str | int | float)]
    prompt = prompt_text(subject, gold.row)
    return [text for text in dict.fromkeys(texts) if 1 < len(text) <= 60 and text not in prompt]
