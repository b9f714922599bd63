"""Names of commands and flags elsewhere, and what they are here: what is not close in its letters is suggested too."""

from collections.abc import Collection, Mapping

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "compare": ("diff",),
    "create": ("init",),
    "describe": ("info",),
    "new": ("init",),
    "score": ("rescore", "eval"),
}
ENV = "ENV"
"""The environment, which has no flag."""
FLAGS: Mapping[str, tuple[str, ...]] = {
    "--env": (ENV,),
    "--env-id": (ENV,),
    "--environment": (ENV,),
    "--limit": ("--rows",),
    "--max-samples": ("--rows",),
    "--num-examples": ("--rows",),
    "--num-samples": ("--rows", "--samples"),
    "--output": ("--out", "--export"),
    "--output-dir": ("--out",),
    "--policy": ("--model",),
    "--rollouts-per-example": ("--samples",),
    "-o": ("--out", "--export"),
}


def meant_by(name: str, names: Mapping[str, tuple[str, ...]], known: Collection[str]) -> str:
    """`Did you mean '--rows'?` for a name that has another one among the known, else an empty string."""
    found = [each for each in names.get(name, ()) if each in known]
    if found == [ENV]:
        return "The environment is named without a flag."
    return f"Did you mean {' or '.join(map(repr, found))}?" if found else ""
