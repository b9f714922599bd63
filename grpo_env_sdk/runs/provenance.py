"""Whether the rewards of a run are not those of one evaluation of one environment, by its manifest."""

from collections.abc import Mapping
from typing import Any


def provenance_marks(manifest: Mapping[str, Any]) -> list[str]:
    """A word for each, such as `rescored`, for lists."""
    return ["rescored"] * ("rescored_from" in manifest) + ["resumed with --force"] * bool(manifest.get("forced"))


def provenance_notes(manifest: Mapping[str, Any]) -> list[str]:
    """A sentence for each: from which run it was rescored, and what had changed where it was resumed with --force."""
    first = manifest.get("rescored_from")
    notes = [] if first is None else [f"rescored from {first}: its transcripts, and no model was asked."]
    for forced in manifest.get("forced", ()):
        notes.append(f"resumed with --force although {'; '.join(forced['differences'])}.")
    return notes
