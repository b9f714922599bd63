"""The text of a request, and the rules at the beginning of every prompt."""

from random import Random

from grpo_env_hotel.requests import Request

RULES = (
    "You book hotel rooms with tools. Book the one hotel that fits the request best, for the right number of "
    "nights, and book nothing else. Then answer with one line and nothing more: 'Booked ID.' with the id of "
    "the hotel for ID. Where no hotel fits, book nothing and answer: 'No hotel fits.'"
)
NOTHING_FITS = "No hotel fits."

_FORMS = (
    "Please book us {nights} nights in {city}, {needs}, {wish}.{otherwise}",
    "We are looking for a hotel in {city} for {nights} nights: {needs}, and {wish}.{otherwise}",
    "In {city}, {nights} nights, {needs}, {wish}.{otherwise}",
)
_WISHES = {
    "price": "as cheap as can be",
    "distance": "as close to the station as can be",
    "stars": "with as many stars as can be (the cheapest of those)",
}


def booked(hotel: str) -> str:
    """The answer that names the hotel that was booked."""
    return f"Booked {hotel}."


def in_words(request: Request, rng: Random) -> str:
    """The request as a guest would write it."""
    otherwise = f" If nothing fits there, then in {request.other_city}." if request.other_city else ""
    return rng.choice(_FORMS).format(
        city=request.city,
        nights=request.nights,
        needs=", ".join(_needs(request)),
        wish=_WISHES[request.wish],
        otherwise=otherwise,
    )


def _needs(request: Request) -> list[str]:
    needs = []
    if request.max_price is not None:
        needs.append(f"at most {request.max_price} a night")
    if request.min_stars is not None:
        needs.append(f"at least {request.min_stars} stars")
    if request.max_distance is not None:
        needs.append(f"at most {request.max_distance} metres from the station")
    if request.amenities:
        needs.append(f"with {' and '.join(request.amenities)}")
    return needs
