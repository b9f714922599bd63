"""What another process sees: the rows under another hash seed, and what importing does."""

import pytest

from tests.checking.conftest import SUMS

EFFECTS = """
import logging, os, random, signal, tempfile, threading
from sums import Sums
{deed}

class Broken(Sums):
    pass
"""
DEEDS = {
    "print('loading')": "prints to stdout",
    "random.seed(0)": "seeds Python's global random state",
    "import numpy; numpy.random.seed(1)": "seeds numpy's global random state",
    "os.chdir('/')": "changes the working directory to /",
    "open('cache.txt', 'w').write('x')": "writes the file cache.txt",
    "threading.Thread(target=print, daemon=True).start()": "starts a thread",
    "import subprocess; subprocess.run(['true'])": "starts the process true",
}


def test_each_side_effect_of_importing_is_told_with_its_line(tested):
    report = tested(EFFECTS.format(deed="\n".join(list(DEEDS)[:4])), "C130")
    told = [finding.message for finding in report.findings]
    assert told == [f"Importing it {what} (broken.py:{line})." for line, what in enumerate(list(DEEDS.values())[:4], 4)]


def test_files_threads_and_processes_are_side_effects_too(tested):
    report = tested(EFFECTS.format(deed="\n".join(list(DEEDS)[4:])), "C130")
    told = " ".join(finding.message for finding in report.findings)
    assert all(what in told for what in list(DEEDS.values())[4:])


def test_reading_logging_and_importing_libraries_is_harmless(tested):
    deed = "import json, sqlite3, asyncio, urllib.request\nlogging.getLogger(__name__).info('x')\nopen(__file__).read()"
    assert not tested(EFFECTS.format(deed=deed), "C130").findings


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ("list({f'word {i}' for i in range(50)})", True),
        ("sorted({f'word {i}' for i in range(50)})", False),
    ],
)
def test_rows_that_depend_on_the_hash_seed_are_found(tested, rows, found):
    source = f"""
from sums import Sums

class Broken(Sums):
    def build_dataset(self, tokenizer):
        return [{{"prompt": word, "answer": word}} for word in {rows}]
"""
    report = tested(source, "C120", "C121")
    assert [finding.check for finding in report.findings] == (["C121"] if found else [])
    if found:
        assert "PYTHONHASHSEED=1" in report.findings[0].message
        assert "broken.py:5" in report.findings[0].message


PLACES = """
import os
from pathlib import Path
from sums import Sums

def seed():
    {body}

class Broken(Sums):
    def build_dataset(self, tokenizer):
        return [dict(row, prompt=row["prompt"] + " " + str(seed())) for row in super().build_dataset(tokenizer)]
"""


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("return os.getcwd()", "another working directory"),
        (
            "return os.path.exists('data/seed.txt') or Path.home().joinpath('.seedrc').is_file()",
            "data/seed.txt and ~/.seedrc",
        ),
        ("return open('seed.json').read() if os.path.exists('seed.json') else 0", "seed.json"),
        ("p = Path.home() / '.sumsrc'; p.exists() or p.write_text('1'); return p.read_text()", None),
        ("return Path(__file__).exists() and not Path('no.txt').exists() * 0", None),
    ],
)
def test_rows_that_depend_on_the_folder_or_the_user_are_found(tested, monkeypatch, tmp_path, body, cause):
    monkeypatch.setenv("HOME", str(tmp_path))
    report = tested(PLACES.format(body=body), "C121")
    assert [finding.check for finding in report.findings] == (["C121"] if cause else [])
    assert cause is None or cause in report.findings[0].message


def test_a_file_beside_the_working_directory_alone_is_a_warning(tested, workplace):
    workplace.write("data.txt", "one\ntwo\n")
    source = f"""{SUMS}
class Broken(Sums):
    def build_dataset(self, tokenizer):
        return [{{"prompt": line, "answer": "1"}} for line in open("data.txt").read().split()]
"""
    report = tested(source, "C131", "C121")
    (finding,) = report.findings
    assert finding.severity == "warning"
    assert "works only in this working directory" in finding.message
    assert [(gap.checks, "C131 says why" in gap.why) for gap in report.undecided] == [(("C121",), True)]


def test_a_tokenizer_is_stood_in_for(tested):
    source = f"""{SUMS}
class Broken(Sums):
    def build_dataset(self, tokenizer):
        chat = [{{"role": "user", "content": "Say 1."}}]
        text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        return [{{"prompt": text + tokenizer.decode(tokenizer("x")["input_ids"]), "answer": "1"}}]
"""
    (finding,) = tested(source, "C132").findings
    assert finding.message == "build_dataset needs a tokenizer, so it was tested with a stand-in."


def test_what_waits_for_another_process_comes_last(tested):
    report = tested(SUMS + "\nclass Broken(Sums):\n    pass\n", "C121", "C123", "C130")
    assert list(report.timings)[-3:] == ["C123", "C121", "C130"]
