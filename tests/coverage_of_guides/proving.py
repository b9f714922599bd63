"""Looks whether a proof is there: the flag in the parser, the metric in a log, the test in its file."""

import re
import shlex
import warnings
from collections.abc import Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_trl.settings.flags import train_parser
from tests.coverage_of_guides.claims import Proof
from tests.coverage_of_guides.metrics import recorded_metrics
from tests.doc_blocks import ROOT
from tests.doc_pages import check_flags

FOLDERS = ("tests", "plugins/grpo-env-trl/tests", "example_envs")


def check(proof: Proof) -> None:
    """Raise where a proof is not there."""
    if proof.kind == "flag":
        assert proof.text in train_parser(all_fields=True)._option_string_actions, f"no flag {proof.text}"
    elif proof.kind == "metric":
        assert any(fnmatch(name, proof.text) for name in recorded_metrics()), f"no metric {proof.text}"
    elif proof.kind == "test":
        place_of(proof.text)
    elif proof.kind == "command":
        program, *words = shlex.split(proof.text)
        assert program == "grpo-env", proof.text
        with warnings.catch_warnings():  # of flags that change nothing here
            warnings.simplefilter("ignore", GrpoEnvWarning)
            check_flags(words)
    elif proof.kind == "page":
        assert (ROOT / proof.text).exists(), f"no page {proof.text}"
    else:
        assert proof.text, "a reason is needed"


def place_of(test: str) -> str:
    """The file of a test, which one file alone has."""
    files = tests_by_name().get(test, ())
    assert len(files) == 1, f"{test} is in {len(files)} files"
    return files[0]


@cache
def tests_by_name() -> Mapping[str, list[str]]:
    """The files that define a test, by its name."""
    found: dict[str, list[str]] = {}
    for path in (path for folder in FOLDERS for path in sorted(Path(ROOT, folder).rglob("test_*.py"))):
        for name in re.findall(r"^(?:async )?def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(name, []).append(str(path.relative_to(ROOT)))
    return found
