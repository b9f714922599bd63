"""Whether a grader of code can be passed by code that solves nothing: it exits, equals everything, forges a result."""

import re
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, golds
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.variants import Outcome, Variant, golds_with_text, played
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.teaching.idling import MOSTLY
from grpo_env_sdk.data.messages import answer_text

MOST_ROWS = {"quick": 4, "default": 4, "thorough": 30}
_EQUAL = """class Same:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
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
_FORGED = '{"passed": true, "success": true, "correct": true, "score": 1.0, "failed": 0, "status": "passed"}'
_VERDICTS = """for word in ("RESULT", "SCORE", "PASSED", "TESTS"):
    for said in (word, word.lower(), word.title()):
        print(said, "2/2", flush=True)
        print(said + ": 2/2", flush=True)
print("2 passed\\nPASS\\nOK\\nTrue\\npassed\\n1", flush=True)
"""
_TRICKS = {
    "Code whose result equals everything": _EQUAL + "def {name}(*args, **kwargs): return Same()",
    "Code that prints a verdict": f"def {{name}}(*args, **kwargs): return None\n{_VERDICTS}",
    "Code that overrides the names that its tests call": _OVERRIDING,
    "Code that reads what its tests expect": _READING,
}
_EXITS = {
    "Code that exits with 0": "import sys\nsys.exit(0)",
    "Code that ends the process with 0": "import os\nos._exit(0)",
    "Code that prints that it passed": f"import os\n{_VERDICTS}os._exit(0)",
    "Code that prints a result in JSON": f"import os\nprint('{_FORGED}', flush=True)\nos._exit(0)",
    "Code that hides what fails": "import sys, os\ndef {name}(*args, **kwargs): return None\n"
    "sys.excepthook = lambda *args: os._exit(0)",
}
"""Tried last: where the code runs in this process, they end it."""


@check("G524", needs=("gold",), kinds=("single-turn",))
def code_has_to_work(subject: Subject) -> Iterator[Finding]:
    """Where gold is Python, code that exits, equals everything, overrides names or reads its tests is not gold."""
    known = [gold for gold in golds_with_text(subject, MOST_ROWS[subject.effort]) if _function_of(gold)]
    for tricks in (_TRICKS, _EXITS) if len(known) >= 3 else ():
        for name, trick in tricks.items():
            outcome = played(subject, [Variant(name, gold, _framed(gold, trick)) for gold in known]).get(name)
            if outcome and outcome.won and len(outcome.won) >= MOSTLY * len(outcome.episodes):
                yield _passed(subject, outcome)
                break


def _passed(subject: Subject, outcome: Outcome) -> Finding:
    episode = outcome.won[0]
    return Finding(
        f"{outcome.name} and solves nothing scores as much as gold on {outcome.share}.",
        "Run the tests in another process than the code: send inputs, read outputs, compare types and values "
        "there; count a run that ends before the last test as failed.",
        episode.row_index, answer_text(episode.completion), episode.reward,
        f"less than {golds(subject)[episode.row_index].reward:g}",
    )  # fmt: skip


def _function_of(gold: Gold) -> str:
    """The name of the last function in gold's text, or an empty string."""
    names = re.findall(r"^\s*def (\w+)\(", gold.text, re.MULTILINE)
    return names[-1] if names else ""


def _framed(gold: Gold, trick: str) -> str:
    """The code in the fence or tags of gold."""
    code = trick.replace("{name}", _function_of(gold))
    fence = re.search(r"```\w*\n.*?```|<(\w+)>.*?</\1>", gold.text, re.DOTALL)
    if fence is None:
        return code
    held = re.sub(r"(?s)^(```\w*\n|<\w+>)(.*?)(```|</\w+>)$", lambda part: f"{part[1]}{code}\n{part[3]}", fence.group())
    return gold.text.replace(fence.group(), held)
