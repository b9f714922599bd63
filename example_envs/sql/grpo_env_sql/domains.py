"""The domains of databases: six, with three tables each and several names for every column."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in questions, its possible names in a database, and its possible values."""

    said: str
    names: tuple[str, ...]
    values: tuple[str, ...] | range


@dataclass(frozen=True, slots=True)
class Table:
    """A table of people, things or events; events have no label and no group."""

    one: str
    many: str
    first: Column
    second: Column
    label: Column | None = None
    group: Column | None = None


@dataclass(frozen=True, slots=True)
class Domain:
    """Three tables: each child belongs to a parent, and each event to a child."""

    parent: Table
    child: Table
    event: Table


_PEOPLE = tuple(
    f"{first} {last}"
    for first in ("Ada", "Bela", "Carla", "Dario", "Elif", "Farid", "Greta", "Hugo")
    for last in ("Adler", "Berg", "Costa", "Duval", "Eriksen", "Fontana", "Grant")
)
_TITLES = tuple(
    f"{colour} {thing}"
    for colour in ("Amber", "Blue", "Crimson", "Dark", "Early", "Frozen", "Golden", "Hidden")
    for thing in ("Anchor", "Bridge", "Castle", "Dream", "Echo", "Forest", "Garden")
)
_COUNTRIES = ("Chile", "Ghana", "Japan", "Latvia", "Norway")


def _column(said: str, *names: str, values: tuple[str, ...] | range) -> Column:
    return Column(said, (said, *names), values)


_PERSON = _column("name", "full_name", "known_as", values=_PEOPLE)
_TITLE = _column("title", "heading", "entitled", values=_TITLES)
_PRODUCT = _column("name", "label", "product_name", values=_TITLES)
_COUNTRY = _column("country", "nation", "homeland", values=_COUNTRIES)
_AGE = _column("age", "age_years", "years_old", values=range(20, 66))
_YEAR = _column("year", "in_year", "yr", values=range(2018, 2025))


DOMAINS = (
    Domain(
        Table("author", "authors", _AGE, _column("prizes", "prize_count", "won", values=range(9)),
              _PERSON, _COUNTRY),
        Table("book", "books", _column("price", "cost", "euros", values=range(5, 60)),
              _column("length", "pages", "page_count", values=range(80, 700, 10)),
              _TITLE, _column("genre", "category", "sort", values=("Crime", "Essay", "Novel", "Poetry"))),
        Table("loan", "loans", _column("days", "day_count", "lasted", values=range(1, 40)), _YEAR),
    ),
    Domain(
        Table("supplier", "suppliers", _AGE, _column("rating", "score", "stars", values=range(1, 11)),
              _PERSON, _COUNTRY),
        Table("product", "products", _column("price", "cost", "euros", values=range(3, 90)),
              _column("weight", "grams", "mass", values=range(50, 900, 10)),
              _PRODUCT, _column("material", "stuff", "made_of", values=("Cork", "Glass", "Wool"))),
        Table("sale", "sales", _column("quantity", "amount", "pieces", values=range(1, 30)), _YEAR),
    ),
    Domain(
        Table("keeper", "keepers", _AGE, _column("experience", "served", "seniority", values=range(1, 25)),
              _PERSON, _column("shift", "works_at", "duty", values=("Dawn", "Day", "Dusk", "Night"))),
        Table("animal", "animals", _column("weight", "kilos", "mass", values=range(4, 400, 3)),
              _column("height", "tall", "size_cm", values=range(20, 260, 5)),
              _PRODUCT, _column("species", "kind", "breed", values=("Bear", "Crane", "Lynx", "Otter"))),
        Table("feeding", "feedings", _column("portion", "grams", "fed", values=range(50, 900, 25)), _YEAR),
    ),
    Domain(
        Table("coach", "coaches", _AGE, _column("trophies", "cups", "won", values=range(9)),
              _PERSON, _COUNTRY),
        Table("player", "players", _column("height", "tall", "height_cm", values=range(160, 212)),
              _column("salary", "wage", "pay", values=range(20, 300, 5)),
              _PERSON, _column("position", "plays_as", values=("Centre", "Guard", "Wing"))),
        Table("game", "games", _column("points", "scored", "pts", values=range(40)), _YEAR),
    ),
    Domain(
        Table("director", "directors", _AGE, _column("awards", "award_count", "won", values=range(9)),
              _PERSON, _COUNTRY),
        Table("film", "films", _column("length", "minutes", "runtime", values=range(60, 200)),
              _column("budget", "cost", "millions", values=range(1, 120)),
              _TITLE, _column("genre", "category", "style", values=("Comedy", "Drama", "Western"))),
        Table("screening", "screenings", _column("visitors", "sold", "guests", values=range(5, 300)),
              _YEAR),
    ),
    Domain(
        Table("teacher", "teachers", _AGE, _column("experience", "taught", "seniority", values=range(1, 30)),
              _PERSON, _column("school", "campus", "site", values=("East", "North", "South", "West"))),
        Table("course", "courses", _column("fee", "price", "euros", values=range(20, 400, 5)),
              _column("duration", "weeks", "lasts", values=range(2, 40)),
              _TITLE, _column("level", "grade", "stage", values=("Advanced", "Basic", "Middle"))),
        Table("exam", "exams", _column("marks", "score", "result", values=range(101)), _YEAR),
    ),
)  # fmt: skip
