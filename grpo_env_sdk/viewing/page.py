"""The viewer's page as one file with styles, script and data inside."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.evaluation.comparison_text import notes
from grpo_env_sdk.isolation.values.json_values import valid_json
from grpo_env_sdk.report.html import asset, csp_hash
from grpo_env_sdk.viewing.index import RunIndex


def render(indexes: Sequence[RunIndex], whole: bool, version: int = 0) -> tuple[str, str]:
    """The HTML and its content security policy; `whole` includes every episode, for an exported file.

    A second index is the earlier run, which the first is compared with. `version` is what the page asks a server for.
    """
    before, after, policy = _around_data(whole)
    return "".join((before, *_data(indexes, whole, version), after)), policy


def pieces(indexes: Sequence[RunIndex]) -> Iterator[str]:
    """The HTML of an exported file, piece by piece, so that a run of any size fits into memory."""
    before, after, _ = _around_data(whole=True)
    yield before
    yield from _data(indexes, whole=True)
    yield after


def _around_data(whole: bool) -> tuple[str, str, str]:
    """The page before its data and after it, and its policy."""
    style, script, page = (asset("viewing", f"page.{kind}") for kind in ("css", "js", "html"))
    source, pictures = ("'none'", "data:") if whole else ("'self'", "'self' data:")
    policy = (
        f"default-src 'none'; script-src '{csp_hash(script)}'; style-src '{csp_hash(style)}'; "
        f"connect-src {source}; img-src {pictures}; base-uri 'none'; form-action 'none'"
    )
    for mark, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script)):
        page = page.replace(f"@@{mark}@@", text, 1)
    before, _, after = page.partition("@@DATA@@")
    return before, after, policy


def _data(indexes: Sequence[RunIndex], whole: bool, version: int = 0) -> Iterator[str]:
    """The JSON of the page's data, piece by piece."""
    comparison = _compared(indexes[1], indexes[0]) if len(indexes) > 1 else None
    yield f'{{"version": {version}, "comparison": {as_json(comparison)}'
    for key, parts in (("runs", map(_run, indexes)), ("records", map(_records, indexes) if whole else None)):
        yield f', "{key}": '
        yield from ("null",) if parts is None else _listed(parts)
    yield ', "images": '
    if not whole:
        yield "null}"
        return
    images = ((name, url) for index in indexes for name, url in index.images())
    yield from _joined("{", ((f"{as_json(name)}: {as_json(url)}",) for name, url in images), "}}")


def _run(index: RunIndex) -> Iterator[str]:
    yield as_json(index.about())[:-1] + ', "table": '
    yield from _listed((as_json(row),) for row in index.table)
    yield "}"


def _records(index: RunIndex) -> Iterator[str]:
    return _listed((as_json(record),) for record in index.records())


def _listed(items: Iterable[Iterable[str]]) -> Iterator[str]:
    return _joined("[", items, "]")


def _joined(opening: str, items: Iterable[Iterable[str]], closing: str) -> Iterator[str]:
    """The pieces of each item, with commas between the items."""
    yield opening
    for at, item in enumerate(items):
        yield ", " if at else ""
        yield from item
    yield closing


def _compared(before: RunIndex, after: RunIndex) -> dict[str, Any]:
    found = compare(before.run, after.run)
    data = found.as_json()
    same = data["rows"] - data["rose"] - data["fell"]
    over = " over clusters" if found.clusters else ""
    chance = "" if found.p_value is None else f" (p = {found.p_value:.3g}, sign test{over})"
    noted = "".join(f"; {note}" for note in notes(found))
    return {
        "text": f"{found.before} before, {found.after} after, difference {found.difference}; "
        f"of {data['rows']} rows {data['rose']} rose, {data['fell']} fell, {same} unchanged{chance}{noted}",
        "settings": found.settings,
    }


def as_json(data: Any) -> str:
    """JSON that is valid in every browser, and cannot end the script element that contains it."""
    text = valid_json(data)
    for unsafe in "<>&\u2028\u2029":
        text = text.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return text.encode("utf-8", "backslashreplace").decode()
