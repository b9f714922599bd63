"""How long the ports of other frameworks' environments are, and how long they were."""

import ast
import io
import tokenize
from pathlib import Path

from tests.benchmarks.table import Table
from tests.ports.port import PORTS

TASK = ("build_dataset", "solve")
"""The rows and the solutions, which are the task itself."""
BEFORE = {
    "TextArena": 14, "OpenEnv": 19, "MCP": 51, "verifiers": 27, "Inspect": 14, "BFCL": 65, "120 turns": None,
}  # fmt: skip
"""Their lines without async environments, shared resources, tools of rows, users, views and adapters of graders."""


def measure() -> Table:
    """Count the lines of every port."""
    ported = [port for port in PORTS if port.module]
    return Table(
        "Lines of a port",
        "Lines of code to [bring another framework's environment](other-frameworks.md) here, without imports, "
        "docstrings, rows (`build_dataset`) and gold (`solve`). Before, the SDK had no async environments, shared "
        "resources, tools of rows, users, views and adapters of graders.",
        ["port", "before", "now"],
        [[port.name, str(BEFORE[port.name] or "not possible"), str(lines_of(port.module))] for port in ported],
    )


def lines_of(file: Path) -> int:
    """How many lines of code a module has beside its imports, docstrings and `TASK`."""
    text = file.read_text(encoding="utf-8")
    used = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        task = isinstance(node, ast.FunctionDef) and node.name in TASK
        if docstring or task or isinstance(node, ast.Import | ast.ImportFrom):
            used -= set(range(node.lineno, node.end_lineno + 1))
    return len(used)
