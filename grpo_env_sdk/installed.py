"""What installed distributions offer, read from their metadata in one pass, importing none."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, distributions

ENVS = "grpo_env_sdk.envs"
PLUGINS = "grpo_env_sdk.plugins"


@dataclass(frozen=True, slots=True)
class Offer:
    """One entry point of a distribution."""

    name: str
    value: str
    group: str
    distribution: str
    version: str
    summary: str


@lru_cache(maxsize=1)
def offers() -> tuple[Offer, ...]:
    """Every entry point of our groups; the first of two distributions of one name counts, as for `import`."""
    found: dict[str, list[Offer]] = {}
    for dist in distributions():
        text = dist.read_text("entry_points.txt")
        if text and "grpo_env_sdk." in text:
            offered = list(_offers(dist))
            found.setdefault(normalised(offered[0].distribution) if offered else "", offered)
    return tuple(offer for offered in found.values() for offer in offered)


def forget() -> None:
    """Look again at the next call; for tests, and after an installation by this process."""
    offers.cache_clear()


def normalised(distribution: str) -> str:
    """A distribution's name as comparisons want it."""
    return distribution.lower().replace("_", "-").replace(".", "-")


def distribution_versions(prefix: str) -> dict[str, str]:
    """The versions of installed distributions whose normalised name starts so."""
    named = (_headers(dist) for dist in distributions())
    return {
        head["name"]: head.get("version", "?") for head in named if normalised(head.get("name", "")).startswith(prefix)
    }


def _offers(dist: Distribution) -> Iterator[Offer]:
    head = _headers(dist)
    for point in dist.entry_points:
        if point.group in (ENVS, PLUGINS):
            yield _offer(point, head)


def _offer(point: EntryPoint, head: dict[str, str]) -> Offer:
    return Offer(
        point.name,
        point.value,
        point.group,
        head.get("name", "?"),
        head.get("version", "?"),
        head.get("summary", ""),
    )


def _headers(dist: Distribution) -> dict[str, str]:
    """Name, version and summary, without the e-mail parser that costs more than all the rest of a listing."""
    text = dist.read_text("METADATA") or dist.read_text("PKG-INFO") or ""
    head: dict[str, str] = {}
    for line in text.split("\n\n", 1)[0].splitlines():
        key, separator, value = line.partition(": ")
        if separator and key in ("Name", "Version", "Summary"):
            head[key.lower()] = value.strip()
    return head
