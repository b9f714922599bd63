"""What a sandbox hides of the folders that it shows: keys, and sockets and pipes of programs outside."""

import os
import re
import sys
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from grpo_env_sdk.files.user_folders import state_folder

MOST_FILES = 10_000
"""After so many files no further subfolder is looked into."""
_AT_TOP = (".cache", ".config", ".local/share/keyrings", ".local/state")
"""What is hidden in a home or working folder, but not in its subfolders."""
_NAMES = re.compile(
    r"\.envs?(rc|\..+)?|[._]netrc|id_(rsa|dsa|ecdsa|ed25519)(_sk)?"
    r"|\.(aws|azure|boto|databrickscfg|docker|dockercfg|git-credentials|gnupg|htpasswd|kaggle|kube|my\.cnf|npmrc|pgpass"
    r"|pypirc|s3cfg|ssh|vault-token)"
)
"""Files and folders that are hidden wherever they are."""
_VARIABLES = (
    "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE", "DOCKER_CONFIG", "GNUPGHOME",
    "GOOGLE_APPLICATION_CREDENTIALS", "HF_TOKEN_PATH", "KUBECONFIG", "NETRC", "NPM_CONFIG_USERCONFIG", "PGPASSFILE",
    "XDG_CONFIG_HOME",
)  # fmt: skip
"""Environment variables that name a file or a folder with keys."""
_NOT_LOOKED_INTO = {".git", "__pycache__", "dist-packages", "lib-dynload", "node_modules", "site-packages"}
_HAS_KEY = re.compile(rb"://[^/\s]*@|extraheader|password|token", re.IGNORECASE)
"""What the settings of a Git repository say where they hold a key."""


def hidden_paths(shown: Iterable[str], folders: Iterable[str], tops: Iterable[str]) -> list[str]:
    """The paths to hide where `shown` is all that can be read.

    All names of keys, sockets and pipes are looked for in `folders`; `tops` may be homes. What holds code stays.
    """
    real = {path: os.path.realpath(path) for path in shown}
    state = os.path.realpath(state_folder())
    if any(_is_in(state, folder) for folder in real.values()):
        with suppress(OSError):  # before there is a key in it, which would then be shown
            os.makedirs(state, mode=0o700, exist_ok=True)
    found = {os.path.realpath(path) for path in (state, *_named(), *_at_top(tops), *_inside(folders))}
    paths = {path for one in found if os.path.exists(one) for path in _places(one, real)}
    return sorted(path for path in paths if not paths & {*map(str, Path(path).parents)})


def _places(path: str, real: Mapping[str, str]) -> Iterator[str]:
    """Where it can be read: a folder that is shown by a link too has two places."""
    if not any(_is_in(folder, path) for folder in real.values()):
        for place, folder in real.items():
            if _is_in(path, folder):
                yield os.path.join(place, os.path.relpath(path, folder))


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _named() -> Iterator[str]:
    """Files with keys that variables of this process name."""
    home = os.path.expanduser(os.environ.get("HF_HOME", ""))
    for value in (f"{home}/token", f"{home}/stored_tokens", *(os.environ.get(name, "") for name in _VARIABLES)):
        yield from filter(os.path.isabs, value.split(os.pathsep))


def _at_top(folders: Iterable[str]) -> Iterator[str]:
    for folder in folders:
        yield from (os.path.join(folder, name) for name in _AT_TOP)
        with suppress(OSError):
            yield from (os.path.join(folder, name) for name in os.listdir(folder) if _NAMES.fullmatch(name))


def _inside(folders: Iterable[str]) -> Iterator[str]:
    """What is in the folders and those below, the nearest first."""
    python = {os.path.realpath(path) for path in (sys.prefix, sys.base_prefix, os.path.dirname(os.__file__))}
    roots = {folder: None for folder in map(os.path.realpath, folders) if _is_looked_into(folder, python)}
    left, seen = deque(roots), 0
    while left and (left[0] in roots or seen < MOST_FILES):
        with suppress(OSError), os.scandir(left.popleft()) as entries:
            for entry in entries:
                seen += 1
                if _NAMES.fullmatch(entry.name) or not (entry.is_symlink() or entry.is_file() or entry.is_dir()):
                    yield entry.path
                elif entry.name == ".git":
                    yield from _with_keys(Path(entry.path))
                elif entry.is_dir(follow_symlinks=False) and _is_looked_into(entry.path, python):
                    left.append(entry.path)


def _is_looked_into(folder: str, python: Collection[str]) -> bool:
    return os.path.basename(folder) not in _NOT_LOOKED_INTO and folder not in python


def _with_keys(repository: Path) -> Iterator[str]:
    """The settings of a Git repository and of those in it, where they hold a key."""
    for path in (repository / "config", *repository.glob("modules/*/config")):
        with suppress(OSError), path.open("rb") as file:
            if _HAS_KEY.search(file.read(1 << 20)):
                yield str(path)
