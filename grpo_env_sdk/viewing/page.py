"""The viewer's page as one file with styles, script and data inside."""

import json
from collections.abc import Sequence
from typing import Any

from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.report.html import asset, source_hash
from grpo_env_sdk.viewing.index import RunIndex


def render(indexes: Sequence[RunIndex], whole: bool) -> tuple[str, str]:
    """The HTML and its content security policy; `whole` includes every episode, for an exported file.

    A second index is the earlier run, which the first is compared with.
    """
    style, script, page = (asset("viewing", f"page.{kind}") for kind in ("css", "js", "html"))
    data: dict[str, Any] = {
        "runs": [{**index.about(), "table": index.table} for index in indexes],
        "comparison": _compared(indexes[1], indexes[0]) if len(indexes) > 1 else None,
        "images": {name: url for index in indexes for name, url in index.images().items()} if whole else None,
        "records": [[index.record(row["i"]) for row in index.table] for index in indexes] if whole else None,
    }
    source, pictures = ("'none'", "data:") if whole else ("'self'", "'self' data:")
    policy = (
        f"default-src 'none'; script-src '{source_hash(script)}'; style-src '{source_hash(style)}'; "
        f"connect-src {source}; img-src {pictures}; base-uri 'none'; form-action 'none'"
    )
    # The data comes last, so that no mark is ever looked for in a transcript.
    for mark, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script), ("DATA", as_json(data))):
        page = page.replace(f"@@{mark}@@", text, 1)
    return page, policy


def _compared(before: RunIndex, after: RunIndex) -> dict[str, Any]:
    found = compare(before.run, after.run)
    data = found.as_json()
    same = data["rows"] - data["rose"] - data["fell"]
    chance = "" if found.p_value is None else f" (p = {found.p_value:.3g}, sign test)"
    return {
        "text": f"{found.before} before, {found.after} after, difference {found.difference}; "
        f"of {data['rows']} rows {data['rose']} rose, {data['fell']} fell, {same} unchanged{chance}",
        "settings": found.settings,
    }


def as_json(data: Any) -> str:
    """JSON that is valid in every browser, and cannot end the script element that contains it."""
    text = json.dumps(data, ensure_ascii=False, default=repr)
    if "NaN" in text or "Infinity" in text:
        text = json.dumps(json.loads(text, parse_constant=str), ensure_ascii=False)
    for unsafe in "<>&\u2028\u2029":
        text = text.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return text.encode("utf-8", "backslashreplace").decode()
