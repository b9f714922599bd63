"""Regular expressions of checks are compiled when they are first used."""

import re
import subprocess
import sys

import pytest

from grpo_env_sdk.late_patterns import regex

COUNTED = """
import re
compiled = []
real, re.compile = re.compile, lambda *given: compiled.append(given) or real(*given)
from grpo_env_sdk.checking.check import all_checks
checks = all_checks()
print(len(compiled), len(checks))
"""


def test_it_finds_what_a_compiled_one_finds():
    late, compiled = regex(r"\b(\d+) ?km\b", re.IGNORECASE), re.compile(r"\b(\d+) ?km\b", re.IGNORECASE)
    text = "From 3 km to 12KM"
    assert late.findall(text) == compiled.findall(text) == ["3", "12"]
    assert late.sub("x", text) == compiled.sub("x", text)
    assert (late.pattern, late.flags, late.groups) == (compiled.pattern, compiled.flags, compiled.groups)


def test_a_name_that_patterns_do_not_have_is_an_error():
    with pytest.raises(AttributeError):
        regex("a").found  # noqa: B018


def test_a_process_that_imports_every_check_compiles_hardly_any():
    counted = subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, text=True, check=True).stdout
    compiled, checks = map(int, counted.split())
    assert checks > 200
    assert compiled < 100
