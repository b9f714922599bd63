"""Whether pictures show something: blank ones in one colour, where prompts ask what is to be seen."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import golds, play_answers, quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import prompt_text
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.images import images_in
from grpo_env_sdk.data.opening import row_messages
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.images.image import as_image

MOST_ROWS, FEWEST_ROWS, MOST_PAIRS = 40, 4, 12
"""How many pictures are looked at, on how many rows an answer has to lose, and how many answers are tried elsewhere."""
_OF_PICTURES = re.compile(
    r"\b(?:photo(?:graph)?s?|pictures?|images?|screenshots?|drawings?|charts?|diagrams?|scans?)\b", re.IGNORECASE
)
Colour = tuple[int, ...]
Pair = tuple[int, int]


@check("C158", needs=("gold",), kinds=("single-turn",))
def pictures_are_not_blank(subject: Subject) -> Iterator[Finding]:
    """Rows whose prompts ask about a picture do not all show the same plain colour."""
    rows = list(golds(subject))[:MOST_ROWS]
    if len(rows) < FEWEST_ROWS or not all(_OF_PICTURES.search(prompt_text(subject, row)) for row in rows):
        return
    colours = {row: _plain_colour(subject, row) for row in rows}
    if None in colours.values() or len(set(colours.values())) > 1:
        return
    answers = {golds(subject)[row].text for row in rows}
    if len(answers) < 2:
        return
    lost = _lost(subject, _pairs(subject, rows))
    row = lost[0][1] if lost else rows[0]
    yield Finding(
        f"The pictures of all {len(rows)} rows that were looked at are blank, in the same colour "
        f"{colours[rows[0]]}, with {len(answers)} different answers{_shown(subject, lost)}.",
        "Draw on the image that is returned, and not on a copy of it (convert, resize and crop return copies); "
        "look at some of the pictures.",
        row, input=prompt_text(subject, row), output=golds(subject)[row].text,
        severity="error" if len(lost) >= FEWEST_ROWS else "warning",
    )  # fmt: skip


def _plain_colour(subject: Subject, row: int) -> Colour | None:
    """The one colour of all pictures of a row; None where one of them shows something, or there is none."""
    found: set[Colour | None] = set()
    for shown in images_in(row_messages(subject.row(row))):
        with suppress(GrpoEnvError):  # the checks of episodes report what is no image
            image = as_image(shown)
            found.add(None if image is None else _colour(image))
    return found.pop() if len(found) == 1 else None


def _colour(image: object) -> Colour | None:
    rgba = image.convert("RGBA")  # type: ignore[attr-defined]  # an image of Pillow
    ranges: Sequence[tuple[int, int]] = rgba.getextrema()
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
    lost = [
        pair
        for pair, episode in zip(pairs, played, strict=False)
        if episode.error is None and (episode.reward or 0.0) < golds(subject)[pair[1]].reward / 2
    ]
    return lost if 2 * len(lost) > len(pairs) else []


def _shown(subject: Subject, lost: Sequence[Pair]) -> str:
    if not lost:
        return ""
    one, other = lost[0]
    first, second = (quoted(golds(subject)[row].text) for row in lost[0])
    return f": {first} is right in row {one} and wrong in row {other}, which shows the same and wants {second}"
