"""What the tests of a training share: small models on disk, and one training that came to its end."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from quick import quick_run


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """The folder of a tiny model of a family."""
    made = {}

    def saved(family="qwen3"):
        from tiny_models import save_tiny_model

        if family not in made:
            made[family] = save_tiny_model(family, tmp_path_factory.mktemp("models") / family)
        return str(made[family])

    return saved


@pytest.fixture(scope="session")
def finished(models, tmp_path_factory):
    """A training of three steps on an environment with tools; read it, and leave it as it is."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    return quick_run("lessons:Spell", models(), folder, max_steps=3, save_strategy="steps", save_steps=2)


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """An empty working directory, whose modules are forgotten at the end."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            sys.modules.pop(name, None)
            sys.modules.pop(name.partition(".")[0], None)  # the package, which may have no file
