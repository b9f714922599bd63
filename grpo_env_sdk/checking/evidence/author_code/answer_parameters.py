"""Which parameters of the functions of a score hold something of the answer, and what names follow from which."""

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from grpo_env_sdk.checking.evidence.author_code.score_code import ScoreFunction, parameters_of

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_CALLS_DEEP = 3


def with_answers(
    functions: Sequence[ScoreFunction], names: Collection[str]
) -> list[tuple[ScoreFunction, Definition, set[str]]]:
    """Each function with its parameters that hold something of an answer, by their names or by how it is called."""
    parsed = [
        (function, one) for function in functions
        if (one := next((node for node in function.nodes if isinstance(node, Definition)), None))
    ]  # fmt: skip
    answers = {one.name: parameters_of(one) & set(names) for _, one in parsed}
    definitions = {one.name: one for _, one in parsed}
    for _ in range(_CALLS_DEEP):
        for caller in definitions.values():
            sources = sources_in(ast.walk(caller))
            for call in (node for node in ast.walk(caller) if isinstance(node, ast.Call)):
                name = getattr(call.func, "attr", getattr(call.func, "id", ""))
                if name in definitions:
                    given = _given(definitions[name], call)
                    answers[name] |= {to for to, value in given if roots(value, sources) & answers[caller.name]}
    return [(function, one, answers[one.name]) for function, one in parsed if answers[one.name]]


def _given(definition: Definition, call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a function, with what a call gives for them."""
    names = [one.arg for one in (*definition.args.posonlyargs, *definition.args.args)]
    yield from zip((name for name in names if name not in ("self", "cls")), call.args, strict=False)
    yield from ((one.arg, one.value) for one in call.keywords if one.arg)


def sources_in(nodes: Iterable[ast.AST]) -> Mapping[str, set[str]]:
    """The names that each local name is computed from, in the code of some nodes."""
    found: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for name in ast.walk(target) if isinstance(target, ast.Name | ast.Tuple) else ():
                    if isinstance(name, ast.Name):
                        found[name.id] |= _names(node.value)
    return found


def roots(node: ast.AST, sources: Mapping[str, set[str]]) -> set[str]:
    """All names that an expression depends on, through those that are assigned before."""
    found, left = set(), _names(node)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left |= sources.get(name, set())
    return found


def _names(node: ast.AST) -> set[str]:
    """The names in an expression or a statement."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
