"""A working directory with modules, and reports on them."""

import os

import pytest

from grpo_env_sdk.checking.check import all_checks, selected
from grpo_env_sdk.checking.evidence.subject import Settings
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.runner.runner import CheckPlan, run_checks
from grpo_env_sdk.registry.lookup import spec
from tests.conftest import Site

SUMS = """
class Sums:
    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is {i} and 1?", "answer": str(i + 1)} for i in range(20)]

    def score_episode(self, model, tokenizer, completion, answer):
        return float(completion == answer)
"""


@pytest.fixture
def tested(workplace: Site):
    """Writes a module and tests a class of it in a child process, as the command does."""

    def run(source: str, *select: str, name: str = "Broken", seconds: float = 60.0, **settings) -> Report:
        workplace.write("sums.py", SUMS)
        workplace.write("broken.py", source)
        all_checks.cache_clear()
        made = Settings("quick", origin=os.getcwd(), **settings)
        return run_checks(spec(f"broken:{name}"), CheckPlan(selected(select, (), "quick"), made, seconds))

    yield run
    all_checks.cache_clear()


@pytest.fixture
def plugin_checks(site: Site):
    """Installs a plugin that brings checks, written as source."""

    def install(source: str) -> None:
        top = (
            "import os, sys, time\n"
            "from grpo_env_sdk.checking import Finding, Plot, Table, Undecided, check\n"
            "from grpo_env_sdk.hookspecs import hookimpl\n"
        )
        hook = (
            "\n@hookimpl\ndef grpo_env_register_checks():\n"
            "    from grpo_env_sdk.checking import Check\n"
            "    return [value for value in globals().values() if isinstance(value, Check)]\n"
        )
        site.install("more-checks", plugins={"more": "more_checks"}, modules={"more_checks.py": top + source + hook})
        all_checks.cache_clear()

    yield install
    all_checks.cache_clear()
