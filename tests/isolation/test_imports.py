"""Importing other people's modules."""

import importlib.util
import sys

import pytest

from grpo_env_sdk.errors import BrokenPackageError, ConfigError
from grpo_env_sdk.isolation.calls.imports import TIMEOUT_VARIABLE, hidden_library, import_object


def broken(target):
    """The one line that importing gives."""
    with pytest.raises(BrokenPackageError) as caught:
        import_object(target, "maze-v1 of mazes 1.0")
    text = str(caught.value)
    assert text.startswith("maze-v1 of mazes 1.0: ")
    assert "\n" not in text
    assert caught.value.hint
    return text.removeprefix("maze-v1 of mazes 1.0: ")


def test_a_module_or_what_is_in_it(site):
    site.write("mazes/__init__.py", "class Maze:\n    class Small:\n        pass\n")
    assert import_object("mazes", "it").__name__ == "mazes"
    assert import_object("mazes:Maze", "it").__name__ == "Maze"
    assert import_object("mazes:Maze.Small", "it").__name__ == "Small"


def test_a_module_that_is_not_there():
    assert broken("nowhere_at_all:Maze") == (
        "nowhere_at_all cannot be imported: ModuleNotFoundError: No module named 'nowhere_at_all'. "
        "Is the package that provides 'nowhere_at_all' installed?"
    )


def test_a_module_that_is_not_in_its_package_is_answered_with_the_nearest(site):
    site.write("mazes/__init__.py", "")
    site.write("mazes/hedge_maze.py", "")
    assert broken("mazes.hedge_mase:Maze").endswith("Did you mean 'mazes.hedge_maze'?")
    assert broken("mazes.zebra:Maze").endswith("'mazes' has no module 'zebra'.")


def test_a_module_that_needs_what_is_not_installed(site):
    site.write("mazes.py", "import nowhere_at_all\n")
    assert broken("mazes:Maze").startswith(
        "mazes cannot be imported: ModuleNotFoundError: No module named 'nowhere_at_all'"
    )
    assert broken("mazes:Maze").endswith("mazes.py:1). Is the package that provides 'nowhere_at_all' installed?")


def test_a_module_that_raises(site):
    site.write("mazes.py", "\n1 / 0\n")
    told = broken("mazes:Maze")
    assert told.startswith("mazes cannot be imported: ZeroDivisionError: division by zero (")
    assert told.endswith("mazes.py:2). Fix it, or uninstall its package.")


def test_a_module_with_a_typing_mistake(site):
    site.write("mazes.py", "\ndef (:\n")
    told = broken("mazes:Maze")
    assert told.startswith("mazes cannot be imported: SyntaxError: invalid syntax (")
    assert "mazes.py:2)" in told


def test_a_typing_mistake_is_placed_where_it_is_and_not_where_it_is_imported(site):
    site.write("mazes/__init__.py", "from mazes.env import Maze\n")
    site.write("mazes/env.py", "A = 1\nB = 2\nMaze = (\n")
    told = broken("mazes:Maze")
    assert "SyntaxError: '(' was never closed (" in told
    assert "mazes/env.py:3)" in told
    assert "__init__.py" not in told


@pytest.mark.parametrize(("code", "told"), [("raise SystemExit(3)", "3"), ("import sys; sys.exit('bye')", "'bye'")])
def test_a_module_that_exits(site, code, told):
    site.write("mazes.py", code)
    assert broken("mazes:Maze") == f"importing mazes exits with {told}. Move what runs at import into a function."


def test_a_module_that_prints_leaves_stdout_clean(site, capsys):
    site.write("mazes.py", "print('hello')\nMaze = 5\n")
    assert import_object("mazes:Maze", "it") == 5
    assert capsys.readouterr() == ("", "hello\n")


def test_a_module_that_hangs(site, monkeypatch):
    site.write("endless_mazes.py", "import time\ntime.sleep(20)\n")  # its thread goes on: a name of its own
    monkeypatch.setenv(TIMEOUT_VARIABLE, "0.2")
    assert broken("endless_mazes:Maze") == (
        "importing endless_mazes did not end within 0.2 s. Set GRPO_ENV_IMPORT_TIMEOUT=SECONDS to allow more time."
    )


@pytest.mark.parametrize("seconds", ["soon", "", "-1", "0", "nan"])
def test_a_time_limit_that_is_none_is_told(monkeypatch, seconds):
    monkeypatch.setenv(TIMEOUT_VARIABLE, seconds)
    with pytest.raises(ConfigError, match=rf"GRPO_ENV_IMPORT_TIMEOUT is '{seconds}', not a number of seconds\. "):
        import_object("json", "it")


def test_an_attribute_that_is_not_there_is_answered_with_the_nearest(site):
    site.write("mazes.py", "class Maze:\n    pass\n")
    assert broken("mazes:Maez") == "mazes has no 'Maez'. Did you mean 'Maze'?"
    assert broken("mazes:Zebra") == "mazes has no 'Zebra'. Correct the name after the colon."
    assert broken("json:Maze") == "json has no 'Maze'. json is Python's own: rename yours."
    assert broken("mazes:Maze.Small") == "mazes has no 'Maze.Small'. Correct the name after the colon."


@pytest.mark.parametrize(("code", "told"), [
    ("from mazes import Maze", "mazes.py hides the installed package 'amazing': rename yours."),
    ("import mazes; mazes.Maze", "mazes.py hides the installed package 'amazing': rename yours."),
    ("from ours import Maze", ""),  # the sources of an editable package, which hide nothing
    ("from json import Maze", ""),
    ("import no_such_module", ""),
    ("1 / 0", ""),
])  # fmt: skip
def test_a_module_that_hides_an_installed_package_is_named(site, tmp_path, monkeypatch, code, told):
    site.write("mazes.py", "class Maze:\n    pass\n")
    site.write("amazing-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: amazing\nVersion: 1.0\n")
    site.write("amazing-1.0.dist-info/top_level.txt", "mazes\nours\n")
    for name in ("mazes", "ours"):
        (tmp_path / f"{name}.py").write_text("")
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(Exception) as caught:  # noqa: PT011
        exec(code, {})
    assert hidden_library(caught.value) == told
    for name in ("mazes", "ours"):
        sys.modules.pop(name, None)


def test_an_attribute_that_is_imported_lazily_may_fail_too(site, capsys):
    lazy = "def __getattr__(name):\n    print('looking')\n    import nowhere_at_all\n"
    site.write("mazes.py", lazy)
    assert broken("mazes:Maze").startswith(
        "mazes:Maze cannot be imported: ModuleNotFoundError: No module named 'nowhere"
    )
    assert capsys.readouterr().out == ""


def test_a_module_is_not_left_half_imported(site):
    file = site.write("mazes.py", "1 / 0\n")
    broken("mazes:Maze")
    assert "mazes" not in sys.modules
    file.write_text("Maze = 5  # mended\n")
    importlib.invalidate_caches()
    assert import_object("mazes:Maze", "it") == 5
