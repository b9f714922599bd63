"""Signatures: whether data on disk was written by this user, with a key that only they can read."""

import fcntl
import hashlib
import hmac
import os
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from grpo_env_sdk.errors import ConfigError, GrpoEnvWarning
from grpo_env_sdk.files.user_folders import state_folder
from grpo_env_sdk.types import canonical_json

KEY_VARIABLE = "GRPO_ENV_SIGNING_KEY"
"""A secret text in place of the key file, for containers and CI: all who share it share their runs."""
SIGNATURE = "signature"
_SIZE = 32
_LEAST_TEXT = 32


def signed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data with a signature of its content; unsigned, with a note, where no key can be kept."""
    plain = {key: value for key, value in data.items() if key != SIGNATURE}
    key = _key_for_writing()
    return plain if key is None else {**plain, SIGNATURE: _hmac(key, plain)}


def is_signed(data: Mapping[str, Any]) -> bool:
    """Whether this user has written the data, and nobody has changed it since."""
    given = data.get(SIGNATURE)
    key = _own_key() or _read_key(key_file())
    if not isinstance(given, str) or not given.isascii() or key is None:
        return False
    plain = {name: value for name, value in data.items() if name != SIGNATURE}
    return hmac.compare_digest(given, _hmac(key, plain))


def key_file() -> Path:
    """The file of the user's key; it is created when the first run is written."""
    return state_folder() / "signing.key"


def digest_of(path: Path) -> str:
    """A hash of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _hmac(key: bytes, data: Mapping[str, Any]) -> str:
    text = canonical_json(data)
    return hmac.new(key, b"grpo-env\0" + text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def _own_key() -> bytes | None:
    """The key of the environment variable."""
    text = os.environ.get(KEY_VARIABLE)
    if not text:
        return None
    if len(text) < _LEAST_TEXT:
        raise ConfigError(
            f"{KEY_VARIABLE} has {len(text)} characters, which is too short for a key.",
            f"Set at least {_LEAST_TEXT}, such as from: openssl rand -hex 32",
        )
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def _key_for_writing() -> bytes | None:
    path = key_file()
    try:
        return _own_key() or _read_key(path) or _create_key(path)
    except OSError as exc:
        _warn_unsigned(str(path), exc.strerror or str(exc))
        return None


@lru_cache(maxsize=1)
def _warn_unsigned(path: str, reason: str) -> None:
    """Say it once in a process: a command may write several runs."""
    warnings.warn(
        f"Runs are not signed, because {path} cannot be written ({reason}), so they will count as somebody else's. "
        f"Set XDG_STATE_HOME to a folder that can be written, or {KEY_VARIABLE} to a secret text.",
        GrpoEnvWarning,
        stacklevel=2,
    )


def _read_key(path: Path) -> bytes | None:
    """The key in a file; None where there is none yet."""
    try:
        with path.open("rb") as file:
            _check_private(path, os.fstat(file.fileno()))
            found = file.read(_SIZE + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as exc:
        raise _unusable(path, "cannot be read by you") from exc
    return found if len(found) == _SIZE else None  # shorter while another process writes it


def _create_key(path: Path) -> bytes:
    """A new key, or the one that another process has created at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _check_private(path, os.fstat(file.fileno()))
        found = file.read(_SIZE + 1)
        if len(found) == _SIZE:
            return found
        key = os.urandom(_SIZE)
        file.seek(0)
        file.truncate()
        file.write(key)
        os.fsync(file.fileno())
        return key


def _check_private(path: Path, state: os.stat_result) -> None:
    if state.st_uid != os.geteuid():
        raise _unusable(path, "belongs to another user")
    if state.st_mode & 0o077:
        raise _unusable(path, "can be read by other users, who could sign runs with it")


def _unusable(path: Path, why: str) -> ConfigError:
    return ConfigError(
        f"The key that signs runs, {path}, {why}.",
        f"chmod 600 it, delete it for a new one, or set {KEY_VARIABLE} to a secret text.",
    )
