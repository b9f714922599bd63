"""Whether an answer in SQL changes what later answers get, as the scorer runs it on data that all answers share."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, golds
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Episode

MOST_ROWS, MOSTLY, SECONDS = 3, 0.5, 60.0
"""How many rows are tried, on what share of them gold has to be a query, and what a statement and its end may take."""
_QUERY = regex(r"(?is)(?<!\w)(?:select|with)\s.+?(?=\s*;?\s*(?:```|</|\Z))")
_TABLE = regex(r"\b(?:from|join)\s+[\"`\[]?([a-z_]\w*)", re.IGNORECASE)
_NAMED_INSIDE = regex(r"\b(\w+)\s+as\s*(?:not\s+)?(?:materialized\s+)?\(", re.IGNORECASE)
"""The name of a part of the query itself."""
_HIDE, _SHOW = "CREATE TEMPORARY TABLE {0} AS SELECT * FROM {0} WHERE 1 = 0", "DROP TABLE temp.{0}"
"""A statement after which queries of the session read an empty table, and the one that ends this; no data is lost."""


@dataclass(frozen=True, slots=True)
class Query:
    """The query of a gold answer, where it is in its text, and a table that it reads."""

    gold: Gold
    place: slice
    table: str

    def answer(self, statement: str) -> str:
        """The answer with another statement in place of the query."""
        text = self.gold.text
        return text[: self.place.start] + statement + text[self.place.stop :]

    @property
    def text(self) -> str:
        """The query alone."""
        return self.gold.text[self.place]


@check("G643", kinds=("single-turn",), needs=("gold",))
def statements_change_nothing_for_later_answers(subject: Subject) -> Iterator[Finding]:
    """Where gold is a query in SQL, a statement that changes the data does not change what later answers get."""
    known = list(golds(subject).values())
    queries = [query for gold in known if (query := _query(gold))]
    if not queries or len(queries) < MOSTLY * len(known):
        return
    for query in queries[:MOST_ROWS]:
        for behind in ("", f"{query.text}; "):  # some scorers look at how an answer begins, and run all of it
            statement = behind + _HIDE.format(query.table)
            if (episode := _lost_by(subject, query, statement, behind)) is not None:
                yield Finding(
                    f"The scorer runs statements that write, and what they change stays for later answers: after "
                    f"{quoted(statement, 120)} the gold answer of row {query.gold.row} scores {episode.reward or 0:g} "
                    f"instead of {query.gold.reward:g}.",
                    "Run each answer on a copy of the data or in a new connection, and open the data read-only or "
                    "refuse whatever is not one SELECT.",
                    query.gold.row, query.answer(statement), episode.reward, query.gold.reward,
                )  # fmt: skip
                return


def _query(gold: Gold) -> Query | None:
    """The query of gold; None where it is none, or reads no table."""
    found = _QUERY.search(gold.text)
    inside = set(_NAMED_INSIDE.findall(found[0])) if found else set()
    tables = [name for name in _TABLE.findall(found[0]) if name not in inside] if found else []
    return Query(gold, slice(*found.span()), tables[0]) if found and tables else None


def _lost_by(subject: Subject, query: Query, statement: str, behind: str) -> Episode | None:
    """The episode of gold after a statement, if it scores less, and as much as ever once that is taken back."""
    if not _is_right(subject, _played(subject, query, query.text)):
        return None
    with subject.with_time(SECONDS):  # what was hidden is always shown again
        _played(subject, query, statement)
        after = _played(subject, query, query.text)
        _played(subject, query, behind + _SHOW.format(query.table))
        again = _played(subject, query, query.text)
    return after if after and not _is_right(subject, after) and _is_right(subject, again) else None


def _played(subject: Subject, query: Query, statement: str) -> Episode | None:
    """An episode of its own: what is kept from earlier ones would not show what has changed."""
    played = subject.answers([(query.gold.row, [*query.gold.turns[:-1], query.answer(statement)])])
    return played[0] if played else None


def _is_right(subject: Subject, episode: Episode | None) -> bool:
    return episode is not None and not episode.error and as_good_as_gold(subject, episode)
