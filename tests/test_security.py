"""SECURITY.md: each claim names its test."""

import re

from tests.doc_blocks import ROOT


def test_every_test_that_it_names_exists_once():
    named = re.findall(r"`(test_\w+)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    folders = (ROOT / "tests", *ROOT.glob("plugins/*/tests"))
    sources = "\n".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("test_*.py"))
    assert len(named) > 25
    assert {name: len(re.findall(rf"def {name}\(", sources)) for name in named} == dict.fromkeys(named, 1)
