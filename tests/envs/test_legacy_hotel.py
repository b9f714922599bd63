"""The class of the other dialect, in a plain folder: every command takes it as it stands."""

import shutil
import subprocess
import sys

import pytest

from grpo_env_sdk import evaluate, load, make
from grpo_env_sdk.cli import main
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.types import Turn
from tests.doc_blocks import ROOT, blocks_of

FOLDER = ROOT / "example_envs" / "legacy_hotel"
ENV = "hotel_env:HotelEnv"


@pytest.fixture
def folder(workplace):
    """The working directory, with a copy of the file alone in it."""
    shutil.copy(FOLDER / "hotel_env.py", workplace.folder)
    return workplace


class Calling:
    """A policy that makes the calls that a function of the wanted one gives."""

    name = "calling"

    def __init__(self, calls, cases):
        self.calls, self.cases = calls, cases

    async def respond(self, request):
        wanted = self.cases[request.row["case_idx"]][1]
        made = [call_message(name, **arguments)["tool_calls"][0] for name, arguments in self.calls(**wanted)]
        return Turn({"role": "assistant", "content": "", "tool_calls": made})


def test_it_is_one_file_without_packaging_that_knows_nothing_of_the_sdk():
    assert [path.name for path in FOLDER.iterdir() if path.suffix] == ["hotel_env.py"]
    assert "grpo" not in (FOLDER / "hotel_env.py").read_text(encoding="utf-8").casefold()


def test_the_page_about_it_shows_the_file_as_it_is():
    shown = {block.title: block.text for block in blocks_of("docs/plain-class.md")}
    assert shown["hotel_env.py"] == (FOLDER / "hotel_env.py").read_text(encoding="utf-8")


def test_it_is_one_turn_with_tools_that_nobody_runs_and_scores_serially(folder):
    loaded = load(ENV)
    assert (loaded.traits.kind, loaded.traits.parallel) == ("single-turn", False)
    assert [tool["function"]["name"] for tool in loaded.tools] == ["book_room", "cancel_booking"]
    assert load(ENV, {"num_cases": 50, "cancel_share": 1.0}).rows("all")[0]["prompt"][1]["content"].startswith("Please")


@pytest.mark.parametrize(
    ("calls", "reward"),
    [
        (lambda name, arguments: [(name, arguments)], 1.0),
        (lambda name, arguments: [], 0.0),
        (lambda name, arguments: [(name, arguments)] * 2, 0.0),
        (lambda name, arguments: [("search_hotels", arguments)], 0.0),
        (lambda name, arguments: [(name, {})], 0.0),
        (lambda name, arguments: [(name, {**arguments, "nights": -1})], 2 / 3),
        (lambda name, arguments: [(name, {**arguments, "more": 1})], 0.0),
    ],
)
def test_one_right_call_is_worth_its_right_arguments(folder, calls, reward):
    config = {"num_cases": 20, "cancel_share": 0.0}
    found = evaluate(ENV, Calling(calls, make(ENV, **config).cases), config=config, split="all").summary
    assert found["errors"] == {}
    assert found["reward"]["mean"] == pytest.approx(reward)


def test_it_is_clean_under_test_in_its_folder(folder, capsys):
    assert main(["test", ENV, "--quick", "--strict", "--env-config", '{"num_cases": 60}']) == 0
    assert f"{ENV}: sound" in capsys.readouterr().out


def test_the_flags_of_the_other_dialect_name_and_configure_it(folder, capsys):
    flags = ["--rl-env-module", "hotel_env", "--rl-env-class", "HotelEnv", "--dry-run"]
    assert main(["train", *flags, "--rl-env-config", '{"num_case": 60}']) == 2
    assert "HotelEnv takes no config 'num_case'. Did you mean 'num_cases'?" in capsys.readouterr().err
    assert main(["train", *flags, "--rl-env-config", '{"num_cases": 60}']) == 2
    assert "has no solve(row), which the demo model needs for its warm start" in capsys.readouterr().err


def test_a_dry_run_passes_where_it_has_a_solution(folder, capsys):
    solved = next(block.text for block in blocks_of("docs/plain-class.md") if block.title == "solved.py")
    folder.write("solved.py", solved)
    flags = ["--rl-env-module", "solved", "--rl-env-class", "SolvedHotelEnv", "--rl-env-config", '{"num_cases": 60}']
    assert main(["train", *flags, "--dry-run"]) == 0
    assert capsys.readouterr().err.startswith("Training the built-in demo model on solved:SolvedHotelEnv")


def test_another_process_finds_it_in_its_working_directory(folder):
    command = [sys.executable, "-m", "grpo_env_sdk", "info", ENV]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "tools      book_room(city, nights, max_price)" in done.stdout
