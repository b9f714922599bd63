"""For all tests of the repository: the same on any machine, whatever else runs there."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from grpo_env_sdk.envs import source_hash

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # tests run side by side, and threads that wait for each other burn time
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
gc.disable()  # until all tests are collected, as modules and tests stay: looking through them again takes seconds

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script; tests press Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "any machine", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")


MANY_MODULES = 200  # as torch or TRL bring
OF_TESTS = str(Path(__file__).parent / "tests")


def pytest_collection_finish() -> None:
    """What all tests import stays: collecting garbage, which many tests and checks do, need not look at it at all."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's cache and the key that signs runs: each worker has its own, and leaves the user's alone."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HOME", os.environ.get("HF_HOME") or str(home / "huggingface"))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def tests_as_they_are() -> Iterator[None]:
    """No test writes below `tests`: the files of its package are looked for once, and not at each load of a class."""
    look, kept = source_hash._modules_under, list(source_hash._modules_under(OF_TESTS))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source_hash, "_modules_under", lambda folder: kept if folder == OF_TESTS else look(folder))
        yield


@pytest.fixture(autouse=True)
def own_modules(request: pytest.FixtureRequest) -> Iterator[None]:
    """Modules that a test imports from its own folder are gone after it: another test may write the same name."""
    before = len(sys.modules)
    yield
    if len(sys.modules) - before > MANY_MODULES:
        gc.freeze()
    folder = (request.node.funcargs or {}).get("tmp_path")  # none are left where Ctrl-C ended the test
    if folder is not None and len(sys.modules) != before:
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(f"{folder}/"):
                del sys.modules[name]
