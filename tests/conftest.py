"""Shared by the tests: packages that look installed, and folders to work in."""

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.registry import entry_points as installed
from grpo_env_sdk.registry import lookup as registry
from grpo_env_sdk.registry import plugins
from tests.forked_commands import ForkServer

ENVS, PLUGINS = installed.ENVS, installed.PLUGINS


class Site:
    """A folder on `sys.path` with real packages and their metadata in it, as pip leaves them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, path: str, source: str) -> Path:
        """Write a module or another file of a package."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(source), encoding="utf-8")
        importlib.invalidate_caches()
        return file

    def install(
        self,
        dist: str,
        *,
        version: str = "1.0",
        envs: Mapping[str, str] | None = None,
        plugins: Mapping[str, str] | None = None,
        modules: Mapping[str, str] | None = None,
        summary: str = "",
        requires: Sequence[str] = (),
    ) -> None:
        """A distribution with its entry points and modules; `modules` maps paths to sources."""
        info = f"{dist.replace('-', '_')}-{version}.dist-info"
        needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
        head = f"Metadata-Version: 2.1\nName: {dist}\nVersion: {version}\nSummary: {summary}\n{needs}"
        self.write(f"{info}/METADATA", head)
        groups = {ENVS: envs or {}, PLUGINS: plugins or {}}
        lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in found.items()) for group, found in groups.items()]
        self.write(f"{info}/entry_points.txt", "\n".join(lines))
        for path, source in (modules or {}).items():
            self.write(path, source)
        _forget()


def _forget() -> None:
    installed.forget()
    plugins.forget()
    all_checks.cache_clear()


def _modules_under(folder: Path) -> list[str]:
    def file_of(module: ModuleType) -> str:
        known = getattr(module, "__dict__", {})  # to ask a lazy module for a name may import much
        return known.get("__file__") or next(iter(known.get("__path__", [])), "")

    return [name for name, module in list(sys.modules.items()) if file_of(module).startswith(f"{folder}/")]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Somewhere to install packages for one test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    _forget()
    yield Site(folder)
    for name in _modules_under(folder):
        del sys.modules[name]
    _forget()


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A working directory that is on no path, as `grpo-env` finds it."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [item for item in sys.path if item not in ("", ".")])
    yield Site(folder)
    for name in _modules_under(folder):
        del sys.modules[name]


@pytest.fixture
def registered() -> Iterator[None]:
    """What a test registers is gone after it."""
    before = set(registry._registered)
    yield
    for id in set(registry._registered) - before:
        registry._registered.pop(id)
        registry._classes.pop(id, None)


@pytest.fixture
def no_plugins(site: Site) -> Site:
    """As where no plugin is installed: distributions of the same names, which bring nothing, come first on the path."""
    for offer in [offer for offer in installed.offers() if offer.group == PLUGINS]:
        module = f"no_{offer.name.replace('-', '_')}"
        site.install(offer.distribution, plugins={offer.name: module}, modules={f"{module}.py": ""})
    return site


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """Runs modules as `python -m` does, each in a process of its own."""
    server = ForkServer()
    yield server
    server.close()
