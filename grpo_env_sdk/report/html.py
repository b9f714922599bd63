"""The HTML of a report: one file, whose content security policy forbids loading or running anything."""

import base64
import hashlib
import json
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from grpo_env_sdk.report.exhibits import Plot, Table
from grpo_env_sdk.report.svg import svg


def document(title: str, body: str) -> str:
    """A complete page around a body of HTML."""
    style = asset("report", "page.css")
    policy = f"default-src 'none'; style-src '{csp_hash(style)}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        "</body>\n</html>\n"
    )


def asset(folder: str, name: str) -> str:
    """A style sheet, script or template of the package."""
    return files("grpo_env_sdk").joinpath(folder, name).read_text(encoding="utf-8")


def csp_hash(text: str) -> str:
    """The hash by which a content security policy allows an inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def exhibit(item: Table | Plot) -> str:
    """A table or a plot as HTML, with its note."""
    note = f'<p class="note">{text(item.note)}</p>' if item.note else ""
    return (table(item.columns, item.rows) if isinstance(item, Table) else svg(item)) + note


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table as HTML; numbers are aligned to the right."""
    head = "".join(f"<th>{text(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _cell(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td class="number">{value:.4g}</td>'
    return f"<td>{text(value)}</td>"


def text(value: Any) -> str:
    """A value as escaped text, with control characters and lone surrogates as escape sequences."""
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    return escape(
        "".join(one if one.isprintable() or one in "\n\t" else one.encode("unicode_escape").decode() for one in plain)
    )
