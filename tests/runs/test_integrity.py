import pytest

from grpo_env_sdk.runs.integrity import is_bare_name, is_own, is_sealed, seal, sign_manifest
from grpo_env_sdk.runs.reading import RunError
from grpo_env_sdk.runs.writing import create_run
from tests.runs.test_writing import MANIFEST, record


@pytest.mark.parametrize("name", ["../config.yaml", "/etc/passwd", "a/b", "a\\b", "..", ".", "", "a\0b"])
def test_a_reference_to_a_file_is_a_bare_name(name, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "config.yaml").write_text("env: hotel-v1\n")
    assert not is_bare_name(name)
    assert not is_own(folder, sign_manifest({"env": "hotel-v1", "files": {name: None}}))
    assert is_bare_name("config.yaml")


def test_files_that_a_manifest_names_are_signed_with_it(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("a: 1\n")
    seal(tmp_path, ["config.yaml"])
    assert is_sealed(tmp_path, ["config.yaml"])
    assert not is_sealed(tmp_path, ["config.yaml", "more"])
    assert not is_sealed(tmp_path, [])
    path.write_text("a: 2\n")
    assert not is_sealed(tmp_path, ["config.yaml"])


def test_a_link_is_not_the_file_that_was_signed(tmp_path):
    (tmp_path / "a").write_text("a")
    seal(tmp_path, ["a"])
    (tmp_path / "a").rename(tmp_path / "b")
    (tmp_path / "a").symlink_to("b")
    assert not is_sealed(tmp_path, ["a"])


@pytest.mark.parametrize("change", [b'{"env": "toy-v1"}\n', b""])
def test_a_file_that_something_else_wrote_to_is_an_error_and_is_not_signed(tmp_path, change):
    path = tmp_path / "r/episodes.jsonl"

    def write_with_a_change():
        with create_run(tmp_path / "r", MANIFEST) as writer:
            writer.append(record(0))
            path.write_bytes(path.read_bytes() + change if change else b"")
            writer.append(record(1))

    with pytest.raises(RunError, match=r"Something else wrote to '.*episodes.jsonl': it has \d+ bytes, not \d+"):
        write_with_a_change()
    assert not is_sealed(tmp_path / "r", ["episodes.jsonl"])
