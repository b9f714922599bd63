"""Bubblewrap around a fork server: code that can be imported, nothing to write but a scratch folder, no network."""

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from grpo_env_sdk.isolation.import_folders import folders_of_workers
from grpo_env_sdk.isolation.sandbox import BUBBLEWRAP, use_bubblewrap

SCRATCH_MB = 1024
"""The size of the scratch folder that all workers of a run have together."""
SCRATCH = "/run/scratch"
"""The folder that code in the sandbox works in."""
_MODELS = f"{SCRATCH}/models"
"""What the sandbox has for the hub's cache of models."""
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt")
_SETTINGS = (
    "/etc/alternatives", "/etc/group", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf",
    "/etc/passwd", "/etc/ssl",
)  # fmt: skip
_SECRETS = (
    ".aws", ".azure", ".cache", ".config", ".docker", ".git-credentials", ".gnupg", ".kube", ".local/share/keyrings",
    ".local/state", ".netrc", ".pypirc", ".ssh", ".env",
)  # fmt: skip
"""What is hidden in a home or working folder that has code to import."""


def sandbox_prefix(models: Iterable[str] = ()) -> list[str]:
    """The command that starts another one in the sandbox; an error with the install hint where there is none.

    `models` are those whose files can be read there beside the code: folders, or hub ids that are in the cache.
    """
    use_bubblewrap("bubblewrap")
    command = [*BUBBLEWRAP, "--size", str(64 << 20), "--tmpfs", "/tmp"]  # first, as code may be in it
    models = list(models)
    folders = [*map(str, _folders_of_code()), *filter(os.path.isdir, models)]
    shown = sorted({*_SYSTEM, *_SETTINGS, *folders} - {os.sep}, key=len)
    for path in shown:
        if os.path.islink(path) and path in _SYSTEM:
            command += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            command += ["--ro-bind", path, path]
    for hidden in _secrets_in(shown):
        empty = ["--tmpfs", str(hidden), "--remount-ro", str(hidden)]
        command += empty if hidden.is_dir() else ["--ro-bind", "/dev/null", str(hidden)]
    command += ["--size", str(SCRATCH_MB << 20), "--tmpfs", SCRATCH]
    for cached in _in_hub_cache(models):
        command += ["--ro-bind", str(cached), f"{_MODELS}/{cached.name}"]
    command += ["--remount-ro", "/", "--chdir", SCRATCH, "--setenv", "HF_HUB_CACHE", _MODELS]
    return [*command, "--setenv", "HOME", SCRATCH, "--setenv", "TMPDIR", SCRATCH]


def _in_hub_cache(models: Iterable[str]) -> Iterator[Path]:
    """The folders of those models that the cache of the Hugging Face hub has, where its own library looks."""
    named = os.environ.get
    home = named("HF_HOME") or os.path.join(named("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    cache = named("HF_HUB_CACHE") or named("HUGGINGFACE_HUB_CACHE") or os.path.join(home, "hub")
    for name in models:
        folder = Path(os.path.expandvars(cache)).expanduser() / f"models--{name.replace('/', '--')}"
        if not os.path.isdir(name) and folder.is_dir():
            yield folder


def _folders_of_code() -> Iterator[Path]:
    """Where Python, and what it imports, is; the working folder too, as `python -m` looks there."""
    for path in (sys.prefix, sys.base_prefix, sysconfig.get_path("stdlib"), *folders_of_workers()):
        yield Path(path)
        yield Path(path).resolve()


def _secrets_in(shown: list[str]) -> Iterator[Path]:
    """Files and folders with keys that lie in a folder that is shown."""
    for folder in {Path.home(), Path.cwd(), *map(Path, folders_of_workers())}:
        for path in (folder / name for name in _SECRETS):
            has_code = any(Path(other).is_relative_to(path) for other in shown)
            if path.exists() and not has_code and any(path.is_relative_to(other) for other in shown):
                yield path
