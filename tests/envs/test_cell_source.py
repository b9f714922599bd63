"""The source hash of classes of a notebook, and what a run that is resumed says of it."""

import itertools
import linecache
import sys
from types import ModuleType

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.envs.source_hash import source_hash
from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.runs.reading import RunError

GUESS = """
from grpo_env_sdk import SingleTurnEnv

class Guess(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": "?", "answer": "1"}] * 4

    def solve(self, row):
        return row["answer"]

    def score_episode(self, model, tokenizer, completion, **columns):
        return {score}
"""


@pytest.fixture
def run_cell(monkeypatch):
    """Runs a cell as a notebook does: in one namespace, each under a name that only `linecache` knows."""
    module = ModuleType("notebook")
    monkeypatch.setitem(sys.modules, "notebook", module)
    numbers = itertools.count()

    def run(source, known=True):
        name = f"<cell {next(numbers)}>"
        if known:
            monkeypatch.setitem(linecache.cache, name, (len(source), None, source.splitlines(keepends=True), name))
        exec(compile(source, name, "exec"), vars(module))
        return module

    return run


def test_the_same_cell_has_the_same_hash_and_another_scorer_another(run_cell):
    first = source_hash(run_cell(GUESS.replace("{score}", "1.0")).Guess)
    assert first
    assert source_hash(run_cell("other = 3\n" + GUESS.replace("{score}", "1.0") + "print()\n").Guess) == first
    assert source_hash(run_cell(GUESS.replace("{score}", "0.0")).Guess) != first


@pytest.mark.parametrize(
    ("cell", "other"),
    [
        ("def value(): return inner()\ndef inner(): return 1.0", "def inner(): return 0.0"),
        ("import functools\n@functools.cache\ndef value(): return 1.0", "@functools.cache\ndef value(): return 0.0"),
        ("TABLE = {'a': 1}\ndef value(): return TABLE['a']", "TABLE = {'a': 0}"),
        ("class Value:\n    def __call__(self): return 1.0\nvalue = Value()",
         "class Value:\n    def __call__(self): return 0.0\nvalue = Value()"),
        ("GOOD = {'a', 'b'}\ndef value(): return 'b' in GOOD", "GOOD = {'a', 'c'}"),
        ("import re\nRX = re.compile('a')\ndef value(): return bool(RX.match('a'))", "RX = re.compile('a', re.I)"),
        ("TABLE = {('a', 1): 1}\ndef value(): return TABLE['a', 1]", "TABLE = {('a', 1): 0}"),
        ("def inner(): return 1.0\nHELP = {'f': [inner]}\ndef value(): return HELP['f'][0]()",
         "def inner(): return 0.0\nHELP = {'f': [inner]}"),
        ("def inner(x): return x\nfrom functools import partial\nvalue = partial(inner, 1.0)",
         "def inner(x): return -x\nvalue = partial(inner, 1.0)"),
        ("class Judge:\n    def score(self): return 1.0\nvalue = Judge().score",
         "class Judge:\n    def score(self): return 0.0\nvalue = Judge().score"),
        ("def inner(): return 1.0\nLISTED = [lambda: inner()]\ndef value(): return LISTED[0]()",
         "def inner(): return 0.0"),
        ("LISTED = [lambda: 1.0]\ndef value(): return LISTED[0]()", "LISTED = [lambda: 0.0]"),
    ],
)  # fmt: skip
def test_what_the_class_uses_from_other_cells_is_in_its_hash(cell, other, run_cell):
    run_cell(f"row = 1\n{cell}")
    first = source_hash(run_cell(GUESS.replace("{score}", "value()")).Guess)
    assert source_hash(run_cell("row = 2").Guess) == first  # a local name of the class
    assert source_hash(run_cell(other).Guess) != first


def test_a_list_that_contains_itself_and_the_order_of_a_set_do_not_matter(run_cell):
    first = source_hash(
        run_cell("LOOP = []\nLOOP.append(LOOP)\nGOOD = {8, 16}\n" + GUESS.replace("{score}", "LOOP, GOOD")).Guess
    )
    assert first
    assert source_hash(run_cell("GOOD = {16, 8}").Guess) == first


def test_so_is_the_class_that_it_inherits_from(run_cell):
    run_cell(GUESS.replace("{score}", "1.0"))
    first = source_hash(run_cell("class Hard(Guess):\n    @property\n    def steep(self): return 2").Hard)
    run_cell(GUESS.replace("{score}", "0.0"))
    assert first
    assert source_hash(run_cell("class Hard(Guess):\n    @property\n    def steep(self): return 2").Hard) != first


def test_a_run_of_another_scorer_is_not_resumed(run_cell, tmp_path):
    evaluate(run_cell(GUESS.replace("{score}", "1.0")).Guess, split="all", out=tmp_path / "r")
    evaluate(run_cell(GUESS.replace("{score}", "1.0")).Guess, split="all", out=tmp_path / "r", resume=True)
    with pytest.raises(RunError, match="environment's code changed"):
        evaluate(run_cell(GUESS.replace("{score}", "0.0")).Guess, split="all", out=tmp_path / "r", resume=True)


def test_where_no_source_is_found_a_resumed_run_says_so(run_cell, tmp_path):
    unknown = run_cell(GUESS.replace("{score}", "1.0"), known=False).Guess
    evaluate(unknown, split="all", out=tmp_path / "r")
    with pytest.warns(GrpoEnvWarning, match="Guess has no source that can be found.*Put it into a module"):
        evaluate(unknown, split="all", out=tmp_path / "r", resume=True)
