"""Whether pictures show what is asked for: not one picture on all rows, be it blank or the last that was drawn."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, loses_half, play_answers
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.images import images_in
from grpo_env_sdk.data.opening import row_messages
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.images.image import as_image
from grpo_env_sdk.late_patterns import regex

MOST_ROWS, FEWEST_ROWS, MOST_PAIRS = 40, 4, 12
"""How many pictures are looked at, on how many rows an answer has to lose, and how many answers are tried elsewhere."""
_OF_PICTURES = regex(
    r"\b(?:photo(?:graph)?s?|pictures?|images?|screenshots?|drawings?|charts?|diagrams?|scans?|figures?|plots?|maps?|"
    r"cards?|dials?|posters?|sketch(?:es)?|panels?|scenes?|shown|visible)\b",
    re.IGNORECASE,
)
_ONE_FOR_ALL = "Make a new image for each row (rows that hold one object show what was drawn last)"
_ON_A_COPY = "Draw on the image that is returned, and not on a copy of it (convert, resize and crop return copies)"
Colour = tuple[int, ...]
Pair = tuple[int, int]


@check("C158", needs=("gold",), kinds=("single-turn",))
def pictures_are_not_blank(subject: Subject) -> Iterator[Finding]:
    """Rows whose prompts ask about a picture do not all show the same plain colour, nor all the same picture."""
    rows = list(golds(subject))[:MOST_ROWS]
    if len(rows) < FEWEST_ROWS or not all(_OF_PICTURES.search(prompt_text(subject, row)) for row in rows):
        return
    pictures = [_pictures(subject, row) for row in rows]
    answers = {golds(subject)[row].text for row in rows}
    if not pictures[0] or any(shown != pictures[0] for shown in pictures) or len(answers) < 2:
        return
    lost = _lost(subject, _pairs(subject, rows))
    colour = _colour(pictures[0][0]) if len(set(map(_colour, pictures[0]))) == 1 else None
    if not lost and colour is None:
        return  # many questions about one picture
    what = "the same one" if colour is None else f"blank, in the same colour {colour}"
    row = lost[0][1] if lost else rows[0]
    yield Finding(
        f"The pictures of all {len(rows)} rows that were looked at are {what}, with {len(answers)} different "
        f"answers{_shown(subject, lost)}.",
        f"{_ONE_FOR_ALL if colour is None else _ON_A_COPY}; look at some of the pictures.",
        row, input=prompt_text(subject, row), output=golds(subject)[row].text,
        severity="error" if len(lost) >= FEWEST_ROWS else "warning",
    )  # fmt: skip


def _pictures(subject: Subject, row: int) -> list[Any]:
    """The pictures of a row, as images of Pillow; empty where one of them is none."""
    found = []
    for shown in images_in(row_messages(subject.row(row))):
        with suppress(GrpoEnvError):  # the checks of episodes report what is no image
            image = as_image(shown)
            if image is None:
                return []
            found.append(image.convert("RGBA"))
    return found


def _colour(image: Any) -> Colour | None:
    """The one colour of a picture; None where it shows something."""
    ranges: Sequence[tuple[int, int]] = image.getextrema()
    return tuple(low for low, _ in ranges) if all(low == high for low, high in ranges) else None


def _pairs(subject: Subject, rows: Sequence[int]) -> list[Pair]:
    """Rows with other answers, whose prompts are the same but for the running number of the row."""
    found: list[Pair] = []
    before: dict[str, int] = {}
    for row in rows:
        asked = _without_number(prompt_text(subject, row), row)
        other = before.get(asked)
        if other is not None and golds(subject)[other].text != golds(subject)[row].text:
            found.append((other, row))
        before[asked] = row
    return found[:MOST_PAIRS]


def _without_number(prompt: str, row: int) -> str:
    return re.sub(r"\d+", lambda found: "#" if int(found[0]) in (row, row + 1) else found[0], prompt)


def _lost(subject: Subject, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs of which the answer of one row does not count on the other, if these are most of them."""
    played = play_answers(subject, [(other, golds(subject)[one].turns) for one, other in pairs])
    lost = [pair for pair, episode in zip(pairs, played, strict=False) if loses_half(subject, episode)]
    return lost if 2 * len(lost) > len(pairs) else []


def _shown(subject: Subject, lost: Sequence[Pair]) -> str:
    if not lost:
        return ""
    one, other = lost[0]
    first, second = (quoted(golds(subject)[row].text) for row in lost[0])
    return f": {first} is right in row {one} and wrong in row {other}, which shows the same and wants {second}"
