"""Bubblewrap around a fork server: code that can be imported, nothing to write but a scratch folder, no network."""

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from grpo_env_sdk.isolation.author_code.import_folders import folders_of_workers
from grpo_env_sdk.isolation.sandbox.hidden_paths import hidden_paths
from grpo_env_sdk.isolation.sandbox.python_process import BUBBLEWRAP, WORKERS_SANDBOX, use_bubblewrap
from grpo_env_sdk.isolation.sandbox.socket_filter import filtered

SCRATCH_MB = 1024
"""The size of the scratch folder that all workers of a run have together."""
SCRATCH = "/run/scratch"
"""The folder that code in the sandbox works in."""
_MODELS = f"{SCRATCH}/models"
"""What the sandbox has for the hub's cache of models."""
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin")
_SETTINGS = (
    "/etc/alternatives", "/etc/group", "/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf",
    "/etc/passwd", "/etc/ssl/certs", "/etc/ssl/openssl.cnf",
)  # fmt: skip
"""What libraries read of `/etc`; not its folders of keys, such as `/etc/ssl/private`."""
_EMPTY = str(Path(__file__).parents[2] / "py.typed")
"""What is in the place of a file that is hidden: one without content, which code that looks for it can read."""


def sandbox_prefix(models: Iterable[str] = ()) -> list[str]:
    """The command that starts another one in the sandbox; an error with the install hint where there is none.

    `models` are those whose files can be read there beside the code: folders, or hub ids that are in the cache.
    """
    use_bubblewrap("bubblewrap")
    command = [*filtered([*BUBBLEWRAP]), "--size", str(64 << 20), "--tmpfs", "/tmp"]  # first, as code may be in it
    models = list(models)
    folders = [*map(str, _folders_of_code()), *filter(os.path.isdir, models)]
    shown = sorted({*_SYSTEM, *_SETTINGS, *folders} - {os.sep}, key=len)
    links = [path for path in shown if os.path.islink(path) and path in _SYSTEM]
    shown = [path for path in shown if path not in links and os.path.exists(path)]
    for path in links:
        command += ["--symlink", os.readlink(path), path]
    for path in shown:
        command += ["--ro-bind", path, path]
    working = [os.getcwd(), *folders_of_workers()]
    for path in hidden_paths(shown, [*working, *filter(os.path.isdir, models)], [str(Path.home()), *working]):
        command += ["--tmpfs", path, "--remount-ro", path] if os.path.isdir(path) else ["--ro-bind", _EMPTY, path]
    command += ["--size", str(SCRATCH_MB << 20), "--tmpfs", SCRATCH]
    for cached in _in_hub_cache(models):
        command += ["--ro-bind", str(cached), f"{_MODELS}/{cached.name}"]
    command += ["--remount-ro", "/", "--chdir", SCRATCH, "--setenv", "HF_HUB_CACHE", _MODELS]
    return [*command, *WORKERS_SANDBOX, "--setenv", "HOME", SCRATCH, "--setenv", "TMPDIR", SCRATCH]


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
