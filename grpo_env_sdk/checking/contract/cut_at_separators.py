"""Whether gold ends at a comma of its own, as lines were split at every comma when the rows were written."""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds, loses_half, play_scored
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import canonical_json

FEWEST_ROWS, FEWEST_CUT, MOST_PLAYED, MOSTLY, LONG, MOST_LINES, MOST_LIKE = 6, 2, 8, 0.5, 8, 20_000, 8
"""How many rows have to be found in their source, how many of them cut off, how many are played; the share of lines
with the usual number of fields; how long a field is that
shows which prompt a line belongs to, how many lines are read, and how many of one answer."""
_SEPARATORS = (",", ";", "\t", "|")
_FILES, _MOST_FILES, _MOST_BYTES = ("*.csv", "*.tsv", "*.txt", "*/*.csv", "*/*.tsv", "*/*.txt"), 12, 400_000


@dataclass(frozen=True, slots=True)
class Source:
    """The fields of the line that a row was written from, and which of them is gold."""

    gold: Gold
    fields: list[str]
    place: int

    @property
    def is_spaced(self) -> bool:
        """Whether a space follows a separator."""
        return any(field.startswith(" ") for field in self.fields[1:])

    def whole(self, separator: str, usual: int) -> str:
        """Gold with the fields behind it that are too many; empty where these are no continuation of a sentence."""
        more = len(self.fields) - usual
        behind = self.fields[self.place + 1 : self.place + 1 + more]
        others = [*self.fields[1 : self.place + 1], *self.fields[self.place + 1 + more :]]
        if more < 1 or not all(field.startswith(" ") for field in behind) or any(one.startswith(" ") for one in others):
            return ""
        return separator.join([self.fields[self.place], *behind]).strip(' "')


@check("C160", needs=("gold",), kinds=("single-turn",))
def gold_is_not_cut_at_a_separator(subject: Subject) -> Iterator[Finding]:
    """Gold is the whole text of its source, also where this has the comma that stands between fields."""
    lines = _lines_of(subject)
    for separator in _SEPARATORS if len(lines) >= FEWEST_ROWS else ():
        found = _sources(subject, [line.split(separator) for line in lines if separator in line])
        usual = _usual(found)
        cut = [(one, text) for one in found if usual and (text := one.whole(separator, usual))]
        cut = [(one, text) for one, text in cut if not _keeps_the_rest(subject, one)]
        if len(cut) >= FEWEST_CUT:
            yield from _proven(subject, cut[:MOST_PLAYED], usual, len(cut), len(found), separator)
            return


def _proven(
    subject: Subject, cut: Sequence[tuple[Source, str]], usual: int, count: int, of: int, separator: str
) -> Iterator[Finding]:
    """The finding, where the whole text is refused in place of gold on all of these rows."""
    is_sure = all(one.place < usual - 1 for one, _ in cut)  # else other right answers may be what follows
    texts = {one.gold.row: one.gold.text.replace(one.fields[one.place].strip(), text) for one, text in cut}
    played = play_scored(subject, [(one.gold.row, [*one.gold.turns[:-1], texts[one.gold.row]]) for one, _ in cut])
    refused = [one for one in played if loses_half(subject, one)]
    if len(refused) == len(cut):
        row = refused[0].row_index
        yield Finding(
            f"Gold is cut at a {separator!r} on {count} of {of} rows: it is {quoted(golds(subject)[row].text)}, and "
            f"the line that the row was written from has {quoted(texts[row])}, which scores {refused[0].reward:g}.",
            "Read such lines with the csv module and quote what has a separator in it, or split them only so often.",
            row, texts[row], refused[0].reward, golds(subject)[row].reward, severity="error" if is_sure else "warning",
        )  # fmt: skip


def _lines_of(subject: Subject) -> list[str]:
    """The lines of the texts of the environment's module, and of the tables beside it."""
    module = sys.modules.get(type(subject.loaded.env).__module__)
    values = list(vars(module).values()) if module else []
    texts = [value for value in values if type(value) is str and value.count("\n") >= FEWEST_ROWS]
    lists = [value for value in values if type(value) in (list, tuple)]
    texts += ["\n".join(value) for value in lists if value and all(type(one) is str for one in value)]
    texts += list(_tables(str(getattr(module, "__file__", "") or "")))
    return [line for text in texts for line in text.splitlines()][:MOST_LINES]


def _tables(file: str) -> Iterator[str]:
    folder = Path(file).parent
    found = [path for pattern in _FILES if file for path in sorted(folder.glob(pattern))][:_MOST_FILES]
    for path in found:
        try:
            if path.stat().st_size <= _MOST_BYTES:
                yield path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue


def _sources(subject: Subject, lines: Sequence[list[str]]) -> list[Source]:
    """The only line of each row that has gold as a field, and another field that is in the prompt."""
    places: dict[str, list[tuple[list[str], int]]] = defaultdict(list)
    for fields in lines:
        for place, field in enumerate(fields):
            places[field.strip()].append((fields, place))
    found = []
    for gold in golds(subject).values():
        prompt = prompt_text(subject, gold.row)
        own = [
            Source(gold, fields, place) for fields, place in places[gold.text.strip()][:MOST_LIKE]
            if any(len(one) >= LONG and one.strip() in prompt for one in [*fields[:place], *fields[place + 1 :]])
        ]  # fmt: skip
        found += own if len(own) == 1 else []
    return found


def _usual(found: Sequence[Source]) -> int:
    """How many fields most lines have, none of them with a space before it; 0 where they do not agree."""
    if len(found) < FEWEST_ROWS:
        return 0
    (usual, times) = Counter(len(one.fields) for one in found).most_common(1)[0]
    plain = [one for one in found if len(one.fields) == usual]
    same = len({one.place for one in plain}) == 1 and not any(one.is_spaced for one in plain)
    return usual if same and times > MOSTLY * len(found) else 0


def _keeps_the_rest(subject: Subject, one: Source) -> bool:
    """Whether the row has what is behind gold as well, such as other right answers."""
    row = {name: value for name, value in subject.row(one.gold.row).items() if name != "prompt"}
    return one.fields[one.place + 1].strip() in canonical_json(row)
