"""Code that solves nothing, by language: what a grader of code may take for a solution."""

import ast
import re
from collections.abc import Callable, Sequence

from grpo_env_sdk.late_patterns import regex

Tricks = dict[str, str]
MARK = "GRPO_ENV_CODE_RAN"
ENDS = "os._exit"
"""What code sets in the environment of its process, and what ends that process."""
LAST = 4
"""The number of the group that takes long."""
_EQUAL = """def {name}(*args, **kwargs):
    class Same:
        def __eq__(self, other): return True
        def __ne__(self, other): return False
        def __hash__(self): return 0
        def __bool__(self): return True
        __lt__ = __le__ = __gt__ = __ge__ = __eq__
    return Same()
"""
_OVERRIDING = """def {name}(*args, **kwargs): return 0
def yes(*args, **kwargs): return True
def no(*args, **kwargs): return 0
isinstance = issubclass = hasattr = all = isclose = allclose = check = equal = assert_equal = assertEqual = yes
run_tests = run_test = test = check_solution = verify = evaluate = grade = compare = report = yes
abs = any = len = sum = max = min = sorted = set = str = repr = round = type = no
"""
_READING = """import sys
def {name}(*args, **kwargs):
    frame = sys._getframe(1)
    while frame is not None:
        for name in ("expected", "want", "wanted", "target", "answer", "output", "out", "gold", "y", "result"):
            if name in frame.f_locals:
                return frame.f_locals[name]
        frame = frame.f_back
"""
_LOOKING_UP = """import sys
def {name}(*args, **kwargs):
    def result_in(value, depth):
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        parts = list(parts)[:99]
        if len(parts) > 1 and any(part in (args, list(args)) or [part] == list(args) for part in parts[:-1]):
            return [parts[-1]]
        found = (result_in(part, depth + 1) for part in parts if depth < 3)
        return next((one for one in found if one), None)
    frame = sys._getframe(1)
    while frame is not None:
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            found = result_in(value, 0)
            if found:
                return found[0]
        frame = frame.f_back
"""
_FORGED = '{"passed": true, "success": true, "correct": true, "score": 1.0, "failed": 0, "status": "passed"}'
_ASKED = regex(
    r"\b(?:function|method|funktion|fonction|función)(?: called| named| namens| nommée| llamada)? [`\"']?([a-z_]\w*)\("
    r"|\b(?:function|method|funktion|fonction|función) [`\"']([a-z_]\w*)[`\"']"
    r"|\bdef ([a-z_]\w*)\(|\b(?:function|funktion|fonction|función) (?:called|named|namens|nommée|llamada) [`\"']?(\w+)"
)
_OTHER_LANGUAGES = r"\b(?:javascript|typescript|java|rust|ruby|golang|haskell|lua|kotlin|swift|sql|php)\b|\bc\+\+"
_VERDICTS = """for word in ("RESULT", "SCORE", "PASSED", "TESTS"):
    for said in (word, word.lower(), word.title()):
        print(said, "2/2", flush=True)
        print(said + ": 2/2", flush=True)
print("2 passed\\nPASS\\nOK\\nTrue\\npassed\\n1", flush=True)
"""
_NOTHING = "def {name}(*args, **kwargs): return None\n"
_BESIDE = """import os
for folder, _, names in os.walk("."):
    for name in names:
        if any(word in name.lower() for word in ("expect", "answer", "solution", "gold", "output", ".out", "result")):
            print(open(os.path.join(folder, name)).read(), end="")
"""
_IDLE: Tricks = {
    "Code that does nothing": _NOTHING,
    "Code that raises when it is called": "def {name}(*args, **kwargs): raise ValueError('no')",
    "Code that returns what it is given": "def {name}(*args, **kwargs): return args[0] if args else None",
    **{
        f"Code that returns {value}": f"def {{name}}(*args, **kwargs): return {value}"
        for value in ("0", "True", "''", "[]")
    },
    "Code that skips its tests": "import unittest\ndef {name}(*args, **kwargs): raise unittest.SkipTest('no')",
}
_FORGING: Tricks = {
    "Code whose result equals everything": _EQUAL,
    **{
        f"Code whose result is of a subclass of {kind} and equals everything": _EQUAL.replace("Same:", f"Same({kind}):")
        for kind in ("int", "str", "list", "dict")
    },
    "Code that prints a verdict": _NOTHING + _VERDICTS,
    "Code that overrides the names that its tests call": _OVERRIDING,
    "Code that reads what its tests expect": _READING,
    "Code that looks up its arguments among its tests": _LOOKING_UP,
}
_EXITS: Tricks = {
    "Code that exits with 0": f"import sys\n{_NOTHING}sys.exit(0)",
    "Code that exits with 0 when it is called": "def {name}(*args, **kwargs): raise SystemExit(0)",
    "Code that ends the process with 0": f"import os\n{_NOTHING}os._exit(0)",
    **{
        f"Code that prints {value} as its results and ends": (
            f"import os\n{_NOTHING}print({value!r}, flush=True)\nos._exit(0)"
        )
        for value in ("[]", "{}")
    },
    "Code that prints that it passed": f"import os\n{_NOTHING}{_VERDICTS}os._exit(0)",
    "Code that prints a result in JSON": f"import os\n{_NOTHING}print('{_FORGED}', flush=True)\nos._exit(0)",
    "Code that hides what fails": f"import sys, os\n{_NOTHING}sys.excepthook = lambda *args: os._exit(0)",
}
_LATE: Tricks = {"Code that comes to no end": f"import time\n{_NOTHING}time.sleep(25)"}
_SCRIPTS: list[Tricks] = [
    {"A program that does nothing": "pass"},
    {"A program that exits with 0": "import sys\nsys.exit(0)", "A program that ends with 0": "import os\nos._exit(0)"},
    {"A program that prints a verdict": _VERDICTS},
    {"A program that prints the files beside it": _BESIDE},
    {"A program that comes to no end": "import time\ntime.sleep(25)"},
]
EMPTY_QUERY, ANY_QUERY = "A query that finds nothing", "A query of a constant"
EMPTY_PATTERN, ANY_PATTERN = "A pattern that matches nothing", "A pattern that matches everything"
_QUERIES = [{EMPTY_QUERY: "SELECT * FROM ({gold}) AS q WHERE 0 = 1"}, {ANY_QUERY: "SELECT 1"}]
_PATTERNS = [{ANY_PATTERN: r"[\s\S]*"}, {EMPTY_PATTERN: r"(?!)"}]
_SAME = "lambda *args: type('Same', ({base},), {'__eq__': lambda *both: True, '__ne__': lambda *both: False})()"
_LAMBDAS = [
    {"A lambda that returns nothing": "lambda *args: None"},
    {
        f"A lambda whose result{f' is of a subclass of {base} and' if base else ''} equals everything": _SAME.replace(
            "{base},", f"{base}," if base else ""
        )
        for base in ("", "int", "str", "list", "dict")
    },
]
_SHELL = [{"A command that does nothing": "true", "A command that exits with 0": "exit 0"}]


def tricks_for(gold: str, prompt: str) -> list[Tricks]:
    """The groups of tricks for the language of gold, each with a cause of its own; none where it is no code."""
    name, code = _function_of(gold), bare_code(gold)
    groups: list[Tricks] = [_IDLE, _EXITS, _FORGING, _table(name, prompt), _LATE]
    if not name:
        groups = next((known for is_it, known in _LANGUAGES if is_it(code, prompt.casefold())), [])
    return [
        {what: trick.replace("{name}", name).replace("{gold}", code.rstrip("; \n")) for what, trick in group.items()}
        for group in groups
    ]


def reading_names(gold: str, prompt: str, names: Sequence[str]) -> Tricks:
    """A function for each name that returns what the name holds, or what a function of that name gives."""
    function = _function_of(gold)
    asked = re.search(rf"\b{re.escape(function)}\(([\w, ]*)\)", prompt) if function else None
    given = asked[1] if asked else "*args"
    taken = {one.strip() for one in given.split(",")} | {function}
    ways = {f"Code that returns {name!r} of its grader": name for name in names if name not in taken}
    ways |= {f"Code that calls {name!r} of its grader": f"{name}({given})" for name in names if name not in taken}
    return {what: f"def {function}({given}):\n    return {value}\n" for what, value in ways.items() if function}


def asked_function(prompt: str) -> str:
    """A function that does nothing under the name that a prompt asks for; empty where it asks for none in Python."""
    named = [next(filter(None, found)) for found in _ASKED.findall(prompt)]
    other = re.search(_OTHER_LANGUAGES, prompt, re.IGNORECASE) and not re.search("python", prompt, re.IGNORECASE)
    return "" if not named or other else f"```python\ndef {named[0]}(*args): pass\n```"


def marking(gold: str) -> str:
    """Code that shows whether it runs in this process."""
    return f"import os\n{_NOTHING.replace('{name}', _function_of(gold) or 'f')}os.environ[{MARK!r}] = '1'"


def emptying(gold: str) -> str:
    """A statement that deletes all rows of the first table that a query reads; empty where gold is no query."""
    code = bare_code(gold)
    table = re.search(r"\bfrom\s+([\w.\"`\[\]]+)", code, re.IGNORECASE)
    return f"DELETE FROM {table[1]}" if table and _is_query(code, "") else ""


def bare_code(text: str) -> str:
    """The code of a text, without the fence or tags around it."""
    held = re.search(r"```\w*\n(.*?)```|<(\w+)>(.*?)</\2>", text, re.DOTALL)
    return (held[1] or held[3] or "").strip() if held else text.strip()


TABLE = "Code that only knows the examples of the prompt"


def _function_of(gold: str) -> str:
    """The name of the last function in a text, or an empty string."""
    names = re.findall(r"^\s*(?:async )?def (\w+)\(", gold, re.MULTILINE)
    return names[-1] if names else ""


def _table(name: str, prompt: str) -> Tricks:
    """A function that returns what the prompt's examples show, and nothing for other arguments."""
    form = rf"\b{re.escape(name)}\((?P<given>[^()\n]*)\)\s*(?:==|->|=>|→|=|is|gives|returns)\s*(?P<value>[^\n;]+)"
    lines = []
    for found in re.finditer(form, prompt):
        given, value = found["given"].strip(), found["value"].strip()
        while value and not _is_literal(value):
            value = re.sub(r"\s*(?:[.,;`]|[^\s.,;`]+)$", "", value)
        if value and _is_literal(f"[{given}]"):
            lines.append(f"    if args == ({given},): return {value}")
    code = "\n".join([f"def {name}(*args):", *lines, "    return None"])
    return {TABLE: code} if lines else {}


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _is_query(code: str, prompt: str) -> bool:
    return re.match(r"(?:select|with)\b.*\bfrom\b", code, re.IGNORECASE | re.DOTALL) is not None


def _is_pattern(code: str, prompt: str) -> bool:
    return "\n" not in code and bool(re.search(r"\bregex|regular expression|\bpattern", prompt)) and "\\" in code + "\\"


def _is_shell(code: str, prompt: str) -> bool:
    asked = re.search(r"\b(?:shell|bash|command line|terminal|one-liner)\b", prompt)
    return bool(asked) and re.match(r"[a-z][\w.-]* ?", code) is not None


def _is_script(code: str, prompt: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return bool(re.search(r"^\s*(?:print\(|import |from \w+ import )", code, re.MULTILINE))


def _is_lambda(code: str, prompt: str) -> bool:
    return code.startswith("lambda") and "\n" not in code


_LANGUAGES: list[tuple[Callable[[str, str], bool], list[Tricks]]] = [
    (_is_lambda, _LAMBDAS),
    (_is_query, _QUERIES),
    (_is_pattern, _PATTERNS),
    (_is_script, _SCRIPTS),
    (_is_shell, _SHELL),
]
