"""Another package with the id of an environment, or a later version of its name: what runs find and messages say."""

import json
from pathlib import Path

import pytest

from grpo_env_sdk.cli import main

INN = """
    class Inn:
        reward_range = (0.0, 1.0)
        def build_dataset(self, tokenizer):
            return [{"prompt": f"Book room {number}.", "room": number} for number in range(6)]
        def score_episode(self, model, tokenizer, completion, room):
            return REWARD
        def solve(self, row):
            yield str(row["room"])
"""
RUN = ("--split", "all", "-n", "2", "--out", "run")


@pytest.fixture
def inns(site, workplace):
    """A package with `inn-v1`, where answers score 0.5; calling it installs a stranger's, where all score 1."""
    site.install("grpo-inns", envs={"inn-v1": "inns:Inn"}, modules={"inns.py": INN.replace("REWARD", "0.5")})

    def stranger(id):
        site.install("stranger", envs={id: "strange:Inn"}, modules={"strange.py": INN.replace("REWARD", "1.0")})

    return stranger


@pytest.fixture
def done(capsys):
    """Runs a command that has to work: gives what it printed."""

    def run(*words):
        code = main([*words])
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return printed.out

    return run


def refused(capsys, *words):
    assert main([*words]) == 2
    return capsys.readouterr().err


def manifest_of(run):
    return json.loads(Path(run, "manifest.json").read_text())


def test_a_run_finds_its_package_after_another_one_with_its_id_was_installed(inns, done):
    done("eval", "inn-v1", "-m", "gold", *RUN)
    inns("inn-v1")
    assert "gold on grpo-inns:inn-v1: reward 0.500" in done("runs", "show", "run")
    assert "gold on grpo-inns:inn-v1: reward 0.500" in done("eval", "--resume", "run")
    for number, named in enumerate(((), ("--env", "inn-v1"), ("--env", "grpo-inns:inn-v1"))):
        assert "2 unchanged" in done("rescore", "run", *named, "--out", f"again{number}")
    assert "2 unchanged" in done("diff", "run", "again0")


def test_another_package_scores_a_run_only_where_it_is_named_and_the_new_run_says_so(inns, done):
    done("eval", "inn-v1", "-m", "gold", *RUN)
    inns("inn-v1")
    assert "2 rose" in done("rescore", "run", "--env", "stranger:inn-v1", "--out", "theirs")
    assert tuple(manifest_of(run)["distribution"] for run in ("run", "theirs")) == ("grpo-inns", "stranger")
    assert "differs: the package was grpo-inns and is stranger" in done("diff", "run", "theirs")


def test_a_run_whose_package_is_gone_is_not_scored_by_a_stranger_unasked(inns, done, site, capsys):
    inns("inn-v1")
    done("eval", "grpo-inns:inn-v1", "-m", "gold", *RUN)
    site.install("grpo-inns", modules={"inns.py": ""})  # which has no environment now
    assert "No env named 'grpo-inns:inn-v1'" in refused(capsys, "rescore", "run", "--out", "again")
    assert "2 rose" in done("rescore", "run", "--env", "stranger:inn-v1", "--out", "again")


@pytest.mark.parametrize("words", [("rescore", "run", "--out", "again"), ("eval", "--resume", "run")])
def test_a_run_whose_package_is_gone_names_it(inns, done, site, capsys, words):
    done("eval", "inn-v1", "-m", "gold", *RUN)
    episodes = Path("run/episodes.jsonl")
    episodes.write_text(episodes.read_text().splitlines(keepends=True)[0])
    site.install("grpo-inns", envs={"inns-v1": "inns:Inn"})
    told = refused(capsys, *words)
    assert "No env named 'inn-v1': run is of the package 'grpo-inns', which is not installed or lacks it." in told
    assert "Install that package again" in told
    assert "Did you mean" not in told


def test_a_run_of_another_package_with_this_id_is_not_replayed(inns, done, capsys):
    inns("inn-v1")
    done("eval", "grpo-inns:inn-v1", "-m", "gold", *RUN)
    again = ("-m", "replay:run", "--split", "all", "-n", "2")
    assert "grpo-inns:inn-v1 and stranger:inn-v1" in refused(capsys, "eval", "stranger:inn-v1", *again)
    assert "on grpo-inns:inn-v1" in done("eval", "grpo-inns:inn-v1", *again)


@pytest.mark.parametrize(
    "words", [("eval", "inn", "-m", "gold"), ("info", "inn"), ("test", "inn"), ("play", "inn", "--gold")]
)
def test_a_short_name_runs_no_code_of_a_package_that_only_has_a_later_version(inns, capsys, words):
    inns("inn-v2")
    told = refused(capsys, *words)
    assert "grpo-inns has inn-v1; stranger has inn-v2" in told
    assert "grpo-inns:inn or stranger:inn" in told


def test_an_evaluation_names_the_package_where_an_id_is_not_the_only_one_of_its_name(inns, done):
    assert "gold on inn-v1: reward" in done("eval", "inn-v1", "-m", "gold")
    inns("inn-v2")
    assert "gold on grpo-inns:inn-v1: reward" in done("eval", "inn-v1", "-m", "gold")
    assert "gold on stranger:inn-v2: reward" in done("eval", "inn-v2", "-m", "gold")


def test_a_foreign_run_of_an_id_that_two_packages_have_says_which_to_name(inns, done, capsys, workplace):
    done("eval", "inn-v1", "-m", "gold", *RUN)
    inns("inn-v1")
    workplace.write("run/manifest.json", json.dumps(manifest_of("run") | {"distribution": None}))
    assert "Name one: grpo-inns:inn-v1 or stranger:inn-v1." in refused(capsys, "rescore", "run", "--out", "again")
    assert "2 unchanged" in done("rescore", "run", "--env", "grpo-inns:inn-v1", "--out", "again")


@pytest.fixture
def both(inns, done):
    """A run of each package, in `runs`."""
    inns("inn-v1")
    words = ("-m", "gold", "--split", "all", "-k", "2", "--seed", "3")
    (one, other) = [
        json.loads(done("eval", f"{package}:inn-v1", *words, "--out", f"runs/{package}", "--json"))
        for package in ("grpo-inns", "stranger")
    ]
    return one, other


MEASURED = {"distribution": "stranger", "version": "1.0", "split": "all", "seed": 3, "samples": 2, "config": {}}


def test_a_run_says_of_which_package_it_is_wherever_it_is_listed(both, done):
    one, other = both
    (listed,) = json.loads(done("runs", "--json", "--env", "stranger:*"))["runs"]
    done("runs", "export", "runs/stranger", "--table", "table.jsonl")
    row = json.loads(Path("table.jsonl").read_text().splitlines()[0])
    for found in (other, listed, row | {"config": json.loads(row["config"])}):
        assert MEASURED.items() <= found.items()
        assert found["source_hash"] == manifest_of("runs/stranger")["source_hash"] != one["source_hash"]


def test_runs_are_listed_and_found_by_package_and_id(both, done, capsys):
    assert {"grpo-inns:inn-v1", "stranger:inn-v1"} <= {*done("runs").split()}
    for name in ("stranger:inn-v1", "stranger:inn-*"):
        assert "runs/grpo-inns" not in done("runs", "--env", name)
    assert len(done("runs", "--env", "inn-v1").splitlines()) == 3
    assert "Did you mean 'stranger:inn-v1'" in refused(capsys, "runs", "--env", "strangre:inn-v1")


def test_runs_of_packages_that_are_gone_are_told_apart(both, done, site):
    for package in ("grpo-inns", "stranger"):
        site.install(package)
    assert {"grpo-inns:inn-v1", "stranger:inn-v1"} <= {*done("runs").split()}


def test_diff_names_a_requirement_of_the_package_that_has_another_version(inns, done, site):
    def install_scorer(version):
        for number, folder in enumerate(site.folder.glob("scorers-*.dist-info")):
            folder.rename(site.folder / f"gone-{number}")
        site.install("scorers", version=version)

    requires = ["Scorers>=1", "grpo-env-sdk", "gone-for-good; python_version < '3'", "pytest; extra == 'test'"]
    site.install("grpo-inns", envs={"inn-v1": "inns:Inn"}, requires=requires)
    for number in ("1.0", "1.1"):
        install_scorer(number)
        done("eval", "inn-v1", "-m", "gold", "--split", "all", "--out", number)
    found = manifest_of("1.0")["requirements"]
    assert found == {"grpo-env-sdk": manifest_of("1.0")["versions"]["grpo-env-sdk"], "scorers": "1.0"}
    assert "differs: the required package scorers was 1.0 and is 1.1" in done("diff", "1.0", "1.1")
