"""The page as one file: styles, script and data inside, nothing loaded from anywhere."""

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from grpo_env_sdk.evaluation.compare import compare
from grpo_env_sdk.viewing.index import RunIndex


def render(indexes: Sequence[RunIndex], whole: bool) -> tuple[str, str]:
    """The HTML and its content security policy; `whole` puts every record into it, for a file that stands alone.

    A second index is the run before: what the first is compared with.
    """
    style, script = _asset("page.css"), _asset("page.js")
    data: dict[str, Any] = {
        "runs": [{**index.about(), "table": index.table} for index in indexes],
        "comparison": _compared(indexes[1], indexes[0]) if len(indexes) > 1 else None,
        "records": [[index.record(row["i"]) for row in index.table] for index in indexes] if whole else None,
    }
    source = "'none'" if whole else "'self'"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        f"connect-src {source}; base-uri 'none'; form-action 'none'"
    )
    page = _asset("page.html")
    # The data comes last: nothing that a transcript contains is ever searched for a mark.
    for mark, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script), ("DATA", as_json(data))):
        page = page.replace(f"@@{mark}@@", text, 1)
    return page, policy


def _compared(before: RunIndex, after: RunIndex) -> dict[str, Any]:
    found = compare(before.run, after.run)
    told = found.as_json()
    same = told["rows"] - told["rose"] - told["fell"]
    chance = "" if found.p_value is None else f" (p = {found.p_value:.3g}, sign test)"
    return {
        "told": f"{found.before} before, {found.after} after, difference {found.difference}; "
        f"of {told['rows']} rows {told['rose']} rose, {told['fell']} fell, {same} stayed{chance}",
        "settings": found.settings,
    }


def as_json(data: Any) -> str:
    """JSON that every browser reads, and that cannot end the script element it may stand in."""
    text = json.dumps(data, ensure_ascii=False, default=repr)
    if "NaN" in text or "Infinity" in text:
        text = json.dumps(json.loads(text, parse_constant=str), ensure_ascii=False)
    for unsafe in "<>&\u2028\u2029":
        text = text.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return text.encode("utf-8", "backslashreplace").decode()


def _asset(name: str) -> str:
    return files("grpo_env_sdk").joinpath("viewing", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
