"""The page as one file: styles, script and data inside, nothing loaded from anywhere."""

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from grpo_env_sdk.viewing.index import RunIndex


def render(indexes: Sequence[RunIndex], whole: bool) -> tuple[str, str]:
    """The HTML and its content security policy; `whole` puts every record into it, for a file that stands alone."""
    style, script = _asset("page.css"), _asset("page.js")
    data: dict[str, Any] = {
        "runs": [{**index.about(), "table": index.table} for index in indexes],
        "records": [[index.record(row["i"]) for row in index.table] for index in indexes] if whole else None,
    }
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'"
    )
    page = _asset("page.html")
    # The data comes last: nothing that a transcript contains is ever searched for a mark.
    for mark, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script), ("DATA", _safe(data))):
        page = page.replace(f"@@{mark}@@", text, 1)
    return page, policy


def _asset(name: str) -> str:
    return files("grpo_env_sdk").joinpath("viewing", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _safe(data: Any) -> str:
    """JSON that cannot end the script element it stands in, whatever a transcript contains."""
    text = json.dumps(data, ensure_ascii=False, default=repr)
    for unsafe in "<>&\u2028\u2029":
        text = text.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return text.encode("utf-8", "backslashreplace").decode()
