"""Cities in texts, and the time zones that they are in."""

import re
from functools import lru_cache
from zoneinfo import available_timezones

from grpo_env_sdk.late_patterns import regex

_OF_COUNTRIES = {
    "Asia/Kolkata": "New Delhi|Delhi|Mumbai|Bangalore|Bengaluru|Chennai",
    "Asia/Shanghai": "Beijing|Shenzhen|Guangzhou",
    "Asia/Tokyo": "Osaka|Kyoto",
    "America/New_York": "Boston|Miami|Philadelphia|Atlanta",
    "America/Chicago": "Houston|Dallas",
    "America/Los_Angeles": "San Francisco|Seattle|San Diego|Las Vegas",
    "America/Sao_Paulo": "Rio de Janeiro|Brasília|São Paulo",
    "America/Toronto": "Montreal|Ottawa",
    "Australia/Sydney": "Canberra",
    "Europe/Berlin": "Munich|Hamburg|Frankfurt|Cologne",
    "Europe/Madrid": "Barcelona",
    "Europe/Rome": "Milan|Venice",
    "Europe/Zurich": "Geneva|Zürich",
    "Africa/Johannesburg": "Cape Town",
}
"""Large cities whose names no time zone has."""


def cities_in(text: str) -> list[str]:
    """The cities that a text names and whose time zones are known, each once, in the order of the text."""
    return list(dict.fromkeys(_named().findall(text)))


def zone_of(city: str) -> str:
    """The name of the time zone of a city that `cities_in` found."""
    return _zones()[city]


@lru_cache(maxsize=1)
def _named() -> re.Pattern[str]:
    longest_first = sorted(_zones(), key=len, reverse=True)
    return regex(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    zones = (zone for zone in sorted(available_timezones()) if "/" in zone and not zone.startswith("Etc/"))
    named = {zone.rpartition("/")[2].replace("_", " "): zone for zone in zones}
    return {city: zone for zone, cities in _OF_COUNTRIES.items() for city in cities.split("|")} | named
