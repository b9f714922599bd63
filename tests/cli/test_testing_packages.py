"""`grpo-env test` of several packages: what its reports say of each, and what they leave out."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from grpo_env_sdk.cli import main
from tests.cli.test_packages_of_one_name import INN

CHECKS = ("--select", "C101,C113", "--env-pool", "thread")
ODD = INN.replace("completion, room", "completion, rooms=None")


@pytest.fixture
def inns(site, workplace, monkeypatch):
    """`inn-v1` in two packages: in the one of a stranger, C113 finds a parameter that no column fills."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(workplace.folder / "cache"))
    site.install("grpo-inns", envs={"inn-v1": "inns:Inn"}, modules={"inns.py": INN.replace("REWARD", "0.5")})
    site.install(
        "stranger", version="2.0", envs={"inn-v1": "strange:Inn"}, modules={"strange.py": ODD.replace("REWARD", "1.0")}
    )
    return workplace


@pytest.fixture
def tested(capsys):
    """Runs `grpo-env test`: gives its exit code, stdout and stderr."""

    def run(*words):
        code = main(["test", *words])
        return code, *capsys.readouterr()

    return run


BOTH = ("grpo-inns:inn-v1", "stranger:inn-v1")


def test_each_form_of_a_report_names_the_package_where_two_have_the_id(inns, tested):
    code, out, _ = tested(*BOTH, *CHECKS, "--junit", "a.xml", "--html", "a.html", "--github")
    assert code == 0
    assert [line.partition(": ")[0] for line in out.splitlines() if "checks in" in line] == list(BOTH)
    suites = ElementTree.parse("a.xml").getroot()
    assert [suite.get("name") for suite in suites] == [f"grpo-env test {name}" for name in BOTH]
    assert suites[1][0].get("classname") == "stranger:inn-v1.contract"
    page = (inns.folder / "a.html").read_text()
    assert all(f"<h1>{name} " in page for name in BOTH)
    assert "title=C113 stranger%3Ainn-v1::" in out


def test_programs_get_the_package_and_how_it_was_tested(inns, tested):
    _, out, _ = tested(*BOTH, *CHECKS, "--json", "--seed", "7", "--quick")
    told = [json.loads(line) for line in out.splitlines()]
    keys = ("id", "distribution", "version", "config", "effort", "seed")
    assert [[one[key] for key in keys] for one in told] == [
        ["inn-v1", "grpo-inns", "1.0", {}, "quick", 7],
        ["inn-v1", "stranger", "2.0", {}, "quick", 7],
    ]


def test_a_file_with_both_packages_is_compared_package_by_package(inns, tested):
    _, out, _ = tested(*BOTH, *CHECKS, "--json")
    inns.write("t.jsonl", out)
    code, out, err = tested(*reversed(BOTH), *CHECKS, "--diff", "t.jsonl", "--strict")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("since")] == [
        "since t.jsonl: 1 as before",
        "since t.jsonl: no findings, then or now",
    ]


def test_a_package_cannot_waive_its_own_findings_with_no_waivers(inns, tested, site):
    waiving = ODD.replace("class Inn:", "class Inn:\n        waive = {'C113': 'for old callers'}")
    site.install("waiving", envs={"lodge-v1": "lodge:Inn"}, modules={"lodge.py": waiving.replace("REWARD", "1.0")})
    inns.write("pyproject.toml", '[tool.grpo-env.waive."lodge-v1"]\nC113 = "ours"\n')
    code, out, _ = tested("lodge-v1", *CHECKS, "--strict")
    assert (code, out.startswith("lodge-v1: sound, with 1 waived finding  ")) == (0, True)
    code, out, _ = tested("lodge-v1", *CHECKS, "--strict", "--no-waivers")
    assert code == 1
    assert "warning C113" in out
    assert "waived" not in out.replace("--no-waivers", "")
    assert "    again     grpo-env test lodge-v1 --no-waivers --select C113" in out


@pytest.fixture
def broken(inns, site):
    """A package that cannot be imported, as a requirement is missing."""
    site.install("broken", envs={"broken-v1": "broken_env:Inn"}, modules={"broken_env.py": "import no_such_engine\n"})


FILES = ("--junit", "a.xml", "--html", "a.html")


def test_what_cannot_be_tested_is_in_every_form_in_its_place(broken, inns, tested):
    code, out, err = tested("broken-v1", "grpo-inns:inn-v1", *CHECKS, *FILES, "--github")
    assert (code, err.count("\n")) == (2, 1), err
    first, second = ElementTree.parse("a.xml").getroot()
    assert (first.get("name"), first.get("errors"), second.get("errors")) == ("grpo-env test broken-v1", "1", "0")
    assert "no_such_engine" in first[0].find("error").get("message")
    page = (inns.folder / "a.html").read_text()
    assert '<h1>broken-v1 <span class="verdict untestable">' in page
    assert "no_such_engine" in page
    assert out.startswith("::error title=untestable broken-v1::")
    _, out, _ = tested("broken-v1", "grpo-inns:inn-v1", *CHECKS, "--json")
    told = json.loads(out.splitlines()[0])
    assert (told["id"], told["distribution"], told["version"], "error" in told) == ("broken-v1", "broken", "1.0", True)


def test_a_single_one_that_cannot_be_tested_is_in_the_files_too(broken, inns, tested):
    code, out, err = tested("broken-v1", *CHECKS, *FILES, "--github")
    assert (code, err.count("\n")) == (2, 1), err
    assert out.count("::error title=untestable broken-v1::") == 1
    assert ElementTree.parse("a.xml").getroot()[0].get("errors") == "1"
    assert "untestable" in (inns.folder / "a.html").read_text()


STOPS = """
    import os, signal
    class Inn:
        def build_dataset(self, tokenizer):
            os.kill(os.getpid(), signal.SIGINT)
            return [{"prompt": "Book a room."}]
        def score_episode(self, model, tokenizer, completion):
            return 1.0
"""


def test_files_of_an_interrupted_test_say_how_far_it_came(inns, tested, site):
    site.install("stops", envs={"stops-v1": "stops_env:Inn"}, modules={"stops_env.py": STOPS})
    code, _, err = tested("grpo-inns:inn-v1", "stops-v1", "stranger:inn-v1", *CHECKS, *FILES)
    assert code == 130, err
    assert "a report on stops-v1, stranger:inn-v1" in err
    suites = ElementTree.parse("a.xml").getroot()
    assert [suite.get("errors") for suite in suites] == ["0", "1"]
    assert suites[1][0].get("name") == "1 of 3 tested"
    assert "stops-v1, stranger:inn-v1" in suites[1][0].find("error").get("message")
    page = (inns.folder / "a.html").read_text()
    assert "<title>grpo-env test: 1 of 3 tested, grpo-inns:inn-v1</title>" in page
    assert "before these were tested: stops-v1, stranger:inn-v1" in page


def test_files_are_left_as_they_were_where_nothing_was_tested(inns, tested, site):
    site.install("stops", envs={"stops-v1": "stops_env:Inn"}, modules={"stops_env.py": STOPS})
    inns.write("a.xml", "what was there")
    code, _, _ = tested("stops-v1", "stranger:inn-v1", *CHECKS, "--junit", "a.xml")
    assert (code, (inns.folder / "a.xml").read_text()) == (130, "what was there")
