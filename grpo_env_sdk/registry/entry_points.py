"""The entry points of installed distributions, read from their metadata without importing any."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distributions

from grpo_env_sdk.errors import GrpoEnvWarning, did_you_mean

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
    """Every entry point of our groups; of two distributions with one name the first counts, as for `import`."""
    found: dict[str, list[Offer]] = {}
    for dist in distributions():
        text = _read(dist, "entry_points.txt")
        if "grpo_env_sdk." in text and (offered := list(_offers(dist, text))):
            found.setdefault(normalised(offered[0].distribution), offered)
    return tuple(offer for offered in found.values() for offer in offered)


def forget() -> None:
    """Read the metadata again at the next call; for tests, and after this process installed something."""
    offers.cache_clear()


def normalised(distribution: str) -> str:
    """A distribution's name in one spelling, for comparisons."""
    return distribution.lower().replace("_", "-").replace(".", "-")


def version_of(distribution: str) -> str | None:
    """The version of an installed distribution, or None; much faster than `importlib.metadata.version`."""
    try:
        return _headers(Distribution.from_name(distribution)).get("version")
    except PackageNotFoundError:
        return None


def _offers(dist: Distribution, text: str) -> Iterator[Offer]:
    """The entry points of our groups; an invalid line has an empty value, which is an error when it is used."""
    head = _headers(dist)
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[]")
            if group.startswith("grpo_env_sdk.") and group not in (ENVS, PLUGINS):
                _warn_of_group(group, head.get("name", "?"))
        elif group in (ENVS, PLUGINS) and line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield Offer(
                name.strip(), value.partition("[")[0].strip(), group,
                head.get("name", "?"), head.get("version", "?"), head.get("summary", ""),
            )  # fmt: skip


def _warn_of_group(group: str, distribution: str) -> None:
    hint = did_you_mean(group, (ENVS, PLUGINS))
    text = f"{distribution} has entry points in the group {group!r}, which this SDK does not read. {hint}".strip()
    warnings.warn(text, GrpoEnvWarning, stacklevel=4)


def _headers(dist: Distribution) -> dict[str, str]:
    """Name, version and summary, without the e-mail parser, which is slower than the rest of a listing."""
    text = _read(dist, "METADATA") or _read(dist, "PKG-INFO")
    head: dict[str, str] = {}
    for line in text.split("\n\n", 1)[0].splitlines():
        key, separator, value = line.partition(": ")
        if separator and key in ("Name", "Version", "Summary"):
            head[key.lower()] = value.strip()
    return head


def _read(dist: Distribution, filename: str) -> str:
    """A file of the metadata, even if it is not valid UTF-8; empty if there is none."""
    try:
        return dist.read_text(filename) or ""
    except UnicodeDecodeError as exc:
        return exc.object.decode(errors="replace")
