"""How results, confirmations and the page of the field report fit together."""

import json
import sys

import pytest

from grpo_env_sdk.checking.check import all_checks
from tests.field_report import page
from tests.field_report.confirming import FOLDER, Confirmation, read, unconfirmed
from tests.field_report.place import Place
from tests.field_report.record import Record, result_of
from tests.field_report.sweep import sweep

FINDING = {"id": "S201", "severity": "error", "message": "Scoring raised | at `x`.", "row": 0, "input": "x" * 999}
TOLD = {"verdict": "findings", "findings": [FINDING, {**FINDING, "severity": "info", "id": "C123"}], "undecided": []}
HOLDS = Confirmation("S201", ("rg/a-v1",), "It raises.", "print(1)", "1", holds=True)


@pytest.fixture
def record(tmp_path):
    return Record(tmp_path / "results.jsonl")


def test_a_result_keeps_errors_and_warnings_cut_to_size():
    result = result_of("rg/a-v1", TOLD, "quick", 1.5, 1.5)
    assert [item["id"] for item in result["findings"]] == ["S201"]
    assert len(result["findings"][0]["input"]) < 300
    assert result["infos"] == ["C123"]


def test_an_environment_that_was_refused_is_a_result_too():
    told = {"error": {"message": "rg/a-v1 needs reasoning-gym."}}
    assert result_of("rg/a-v1", told, "quick", 0.1, 0.1)["why"] == "rg/a-v1 needs reasoning-gym."


def test_the_last_result_of_an_id_counts(record):
    record.add(result_of("rg/b-v1", TOLD, "quick", 1.0, 1.0))
    record.add(result_of("rg/a-v1", TOLD, "quick", 1.0, 1.0))
    record.add(result_of("rg/b-v1", TOLD, "default", 2.0, 2.0))
    assert [(id, result["effort"]) for id, result in record.results().items()] == [
        ("rg/a-v1", "quick"),
        ("rg/b-v1", "default"),
    ]


def test_a_sweep_goes_on_where_it_stopped(record, tmp_path, capsys):
    class Answers(Place):
        def grpo_env(self, *arguments):
            ids = ["rg/a-v1", "rg/b-v1", "gym/c-v1", "hotel-v1"]
            listed = [{"id": id, "status": "ok"} for id in ids]
            return {"environments": listed} if arguments == ("list",) else TOLD

    place = Answers(tmp_path)
    record.add(result_of("rg/a-v1", TOLD, "default", 9.0, 9.0))
    sweep(place, record, "rg/*", ["--quick"], again=False)
    assert [(id, result["effort"]) for id, result in record.results().items()] == [
        ("rg/a-v1", "default"),
        ("rg/b-v1", "quick"),
    ]
    assert "rg/b-v1" in capsys.readouterr().out


def test_every_confirmation_names_a_check_that_exists_and_environments():
    checks = set(all_checks())
    for file in FOLDER.glob("*.py"):
        check, ids, about, _ = read(file)
        assert check in checks
        assert all(id.startswith(("rg/", "gym/")) for id in ids)
        assert about.endswith(".")


def test_an_error_is_confirmed_by_lines_that_ran():
    errors = {("S201", "rg/a-v1"), ("S201", "rg/b-v1")}
    assert list(unconfirmed(errors, [HOLDS])) == [("S201", "rg/b-v1")]


def test_a_command_of_the_place_runs_outside_of_any_checkout(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    assert Place(tmp_path).run("-c", "import os; print(os.getcwd())").stdout.strip() == str(tmp_path)


def test_the_page_tells_what_is_confirmed_and_what_is_not(record, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "field-report.md")
    for id in ("rg/a-v1", "rg/b-v1"):
        record.add(result_of(id, TOLD, "quick", 1.0, 1.0))
    page.write_page(record, [HOLDS], {"reasoning-gym": "0.1.25"})
    text = (tmp_path / "field-report.md").read_text(encoding="utf-8")
    assert "| `rg/*` | 2 | 0 | 0 | 2 | 0 |" in text
    assert "| `rg/a-v1` | Scoring raised \\| at 'x'. |" in text
    assert "Confirmed: 1 of 2. Not yet: S201 of `rg/b-v1`." in text
    assert json.dumps(HOLDS.printed).strip('"') in text
