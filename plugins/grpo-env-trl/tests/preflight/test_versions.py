import importlib
import sys

import pytest

from grpo_env_trl.preflight.problem import PreflightError
from grpo_env_trl.preflight.versions import check_versions


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Lets a distribution look installed in another version."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(name, version):
        folder = tmp_path / f"{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        importlib.invalidate_caches()

    return install


def test_what_is_installed_here_fits():
    check_versions()


@pytest.mark.parametrize(("name", "version", "told"), [
    ("trl", "0.29.1", "trl 0.29.1 is installed; grpo-env-trl works with <2,>=1.15. pip install 'trl<2,>=1.15'"),
    ("trl", "2.0.0", "trl 2.0.0 is installed; grpo-env-trl works with <2,>=1.15. pip install 'trl<2,>=1.15'"),
    ("torch", "2.1.0", "torch 2.1.0 is installed; grpo-env-trl works with >=2.6. pip install 'torch>=2.6'"),
])  # fmt: skip
def test_a_package_too_old_or_too_new_is_named_with_the_pip_command(installed, name, version, told):
    installed(name, version)
    with pytest.raises(PreflightError) as caught:
        check_versions()
    assert str(caught.value) == told


def test_packages_that_are_missing_are_named_with_the_pip_command(tmp_path, monkeypatch):
    info = tmp_path / "grpo_env_trl-0.1.0.dist-info"
    info.mkdir()
    needs = "Requires-Dist: torch>=2.6\nRequires-Dist: trl[vllm]; extra == 'vllm'\n"
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: grpo-env-trl\nVersion: 0.1.0\n{needs}")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    importlib.invalidate_caches()
    with pytest.raises(PreflightError) as caught:
        check_versions()
    assert str(caught.value) == "torch is not installed, but training needs it. pip install 'torch>=2.6'"
