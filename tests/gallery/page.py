"""The gallery as a page of the docs."""

from pathlib import Path

from tests.gallery.catalogue import BROKEN, SOUND, Exhibit
from tests.gallery.playing import opened

PAGE = Path(__file__).parents[2] / "docs" / "checks" / "gallery.md"
SINGLE_TURN = {"alarm_at_import", "cache_at_import", "seeds_at_import"}
"""Not imported here, as importing them has side effects."""

TOP = """\
# The gallery

The checks are measured on {broken} small environments with one realistic mistake each, of which {found} are found
by a check for that mistake, and on {sound} sound ones that look unusual, in which no check reports an error. A test
verifies every line of these tables, and `python -m tests.gallery` writes them.

## Broken
"""
SOUND_TOP = """
## Sound

No errors and no warnings, although they look unusual.
"""


def gallery_page() -> str:
    """The whole page."""
    found = sum(bool(exhibit.found_by) for exhibit in BROKEN)
    broken = [("environment", "kind", "mistake", "where", "found by", "as"), *map(_broken, BROKEN)]
    sound = [("environment", "kind", "what looks unusual"), *((one.name, _kind(one), one.mistake) for one in SOUND)]
    top = TOP.format(broken=len(BROKEN), found=found, sound=len(SOUND))
    return f"{top}\n{_table(broken)}{SOUND_TOP}\n{_table(sound)}"


def _broken(exhibit: Exhibit) -> tuple[str, ...]:
    ids = ", ".join(exhibit.found_by)
    severity = str(exhibit.severity) if ids else ""
    return exhibit.name, _kind(exhibit), exhibit.mistake, exhibit.row_or_place, ids or "not yet", severity


def _kind(exhibit: Exhibit) -> str:
    return "single-turn" if exhibit.name in SINGLE_TURN else opened(exhibit.name).traits.kind


def _table(rows: list[tuple[str, ...]]) -> str:
    head, *others = rows
    return "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---"] * len(head), *others])
