"""The names of TRL's fields, read from the source of its configs: a misspelt flag need not wait for their import."""

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_SOURCES = {
    "trl": (
        "trainer/base_config.py", "trainer/grpo_config.py", "trainer/model_config.py",
        "experimental/async_grpo/async_grpo_config.py",
    ),
    "transformers": ("training_args.py",),
}  # fmt: skip


@cache
def field_names() -> frozenset[str]:
    """Every annotated name in those files, and so every field; none where this TRL has them elsewhere."""
    found: set[str] = set()
    for package, files in _SOURCES.items():
        spec = find_spec(package)
        folder = Path((spec and spec.origin) or "").parent
        for file in files:
            try:
                tree = ast.parse((folder / file).read_text(encoding="utf-8"))
            except (OSError, SyntaxError):
                return frozenset()
            targets = [node.target for node in ast.walk(tree) if isinstance(node, ast.AnnAssign)]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(found)
