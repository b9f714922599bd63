"""What a sandbox hides of the folders that it shows."""

import os

import pytest

from grpo_env_sdk.isolation.sandbox import hidden_paths as module
from grpo_env_sdk.isolation.sandbox.hidden_paths import hidden_paths


def write(folder, *names, text="x"):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def hidden(folder, *shown):
    """The names of what is hidden where a folder is shown."""
    found = hidden_paths([str(folder), *map(str, shown)], [str(folder)], [str(folder)])
    return {os.path.relpath(path, folder) for path in found}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    work = tmp_path / "work"
    work.mkdir()
    return work


def test_usual_files_and_folders_with_keys_are_hidden_wherever_they_are(folder):
    keys = {".env", "a/.env.local", "a/b/.envrc", ".netrc", ".npmrc", "a/.pgpass", "a/id_rsa", ".git-credentials"}
    write(folder, *keys, "a/.ssh/config", ".aws/credentials", ".config/x", ".local/state/x")
    write(folder, "environment.py", "a/env", "a/id_rsa.pub", "a/keys.json", "a/.config/shown", ".git/config")
    assert hidden(folder) == keys | {"a/.ssh", ".aws", ".config", ".local/state"}


def test_settings_of_git_are_hidden_where_they_hold_a_key(folder):
    write(folder, ".git/config", "a/.git/modules/m/config", text="[remote]\nurl = https://user:pass@example.org/x\n")
    write(folder, "b/.git/config", text="[remote]\nurl = https://example.org/x\n")
    assert hidden(folder) == {".git/config", "a/.git/modules/m/config"}


def test_the_key_that_signs_runs_is_hidden_before_there_is_one(folder, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    assert hidden(folder) == {"state/grpo-env"}


def test_a_state_folder_that_is_not_shown_is_not_created(folder):
    assert hidden(folder) == set()
    assert not (folder.parent / "elsewhere").exists()


def test_files_that_variables_name_are_hidden(folder, monkeypatch):
    write(folder, "hub/token", "cloud.json", "cluster.yaml", "other.yaml")
    monkeypatch.setenv("HF_HOME", str(folder / "hub"))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(folder / "cloud.json"))
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(map(str, (folder / "cluster.yaml", folder / "none"))))
    assert hidden(folder) == {"hub/token", "cloud.json", "cluster.yaml"}


def test_links_are_followed_to_what_is_hidden_and_a_folder_that_is_shown_by_a_link_is_hidden_there_too(folder):
    write(folder, "a/production", "c/.env")
    (folder / "a" / ".env").symlink_to(folder / "a" / "production")
    (folder / "a" / ".netrc").symlink_to(folder / "a" / ".netrc")
    (folder.parent / "linked").symlink_to(folder / "c")
    assert hidden(folder, folder.parent / "linked") == {"a/production", "c/.env", "../linked/.env"}


def test_a_folder_that_holds_code_is_not_hidden(folder):
    write(folder, ".env/lib/code.py")
    assert hidden(folder, folder / ".env" / "lib") == set()


def test_what_is_nearest_is_hidden_where_there_are_too_many_files_to_look_at(folder, monkeypatch):
    monkeypatch.setattr(module, "MOST_FILES", 5)
    write(folder, ".env", "a/.env", "a/1", "d/e/.env")
    assert hidden(folder) == {".env", "a/.env"}
