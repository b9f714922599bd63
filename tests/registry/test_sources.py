"""What `grpo-env list` shows to be broken by reading the source, and what it leaves alone."""

import json
import sys

import pytest

from grpo_env_sdk import specs
from grpo_env_sdk.cli import main
from grpo_env_sdk.registry.sources import with_source_faults

CLASS = "class Env:\n    pass\n"


@pytest.fixture
def fault(no_plugins):
    """The reason why an environment in these files is broken, or None; nothing of it is imported."""

    def read(files, entry_point="mazes:Env"):
        no_plugins.install("mazes", envs={"maze-v1": entry_point}, modules=files)
        (found,) = [spec for spec in with_source_faults(specs()) if spec.id == "maze-v1"]
        assert "mazes" not in sys.modules
        return found.error

    return read


def test_a_module_that_cannot_be_compiled_is_broken_with_its_line(fault):
    told = fault({"mazes.py": f"{CLASS}sizes = (\n"})
    assert told.startswith("SyntaxError: '(' was never closed (")
    assert "mazes.py:3)" in told


@pytest.mark.parametrize(("name", "told"), [("Env", None), ("Maze", "mazes.inner.env has no 'Maze'")])
def test_a_folder_without_an_init_file_is_read_like_a_package(name, told, fault):
    found = fault({"mazes/__init__.py": "", "mazes/inner/env.py": CLASS}, f"mazes.inner.env:{name}")
    assert found == told if told is None else found.startswith(told)


def test_what_only_compiling_shows_is_found_too(fault):
    assert "'return' outside function" in fault({"mazes.py": f"{CLASS}return\n"})


@pytest.mark.parametrize(
    "line", ["from mazes.env import Env", "from .env import Env", "from mazes.env import Maze as Env"]
)
def test_a_mistake_in_the_module_that_the_class_comes_from_is_found(fault, line):
    told = fault({"mazes/__init__.py": line, "mazes/env.py": "class Env\n    pass\n"})
    assert told.startswith("SyntaxError: ")
    assert "mazes/env.py:1)" in told


def test_a_class_that_does_not_exist_is_answered_with_the_nearest(fault):
    assert fault({"mazes.py": "class Evn:\n    pass\n"}) == "mazes has no 'Env'. Did you mean 'Evn'?"
    assert fault({"mazes.py": "def f():\n    class Env: pass\n"}) == "mazes has no 'Env'."
    files = {"mazes/__init__.py": "from mazes.env import Env", "mazes/env.py": "class Maze: pass"}
    assert fault(files) == "mazes.env has no 'Env'."


def test_a_module_that_its_package_does_not_have_is_named(fault):
    assert fault({"mazes/__init__.py": ""}, "mazes.env:Env") == "mazes has no module 'env'"
    assert fault({"mazes/__init__.py": "from .env import Env"}) == "mazes has no module 'env'"


@pytest.mark.parametrize(
    "source",
    [
        CLASS,
        "Env = lambda: None",
        "def Env(): pass",
        "async def Env(): pass",
        "Env: object = make()",
        "first, (Env, *rest) = make()",
        "if big:\n    class Env: pass\nelse:\n    Env = None\n",
        "try:\n    from mazes_2 import Env\nexcept ImportError:\n    Env = None\n",
        "for Env in classes: pass",
        "with make() as Env: pass",
        "print(Env := make())",
        "import mazes_2 as Env",
        "from somewhere_else import Env",
        "from somewhere_else import *",
        "from mazes import Env",
        "from . import Env",
        "def __getattr__(name): return make(name)",
        "__getattr__, __dir__ = lazy()",
        "globals()['Env'] = make()",
        "exec(text)",
        "import sys\nsetattr(sys.modules[__name__], 'Env', make())",
        "def load():\n    global Env\n    Env = make()\nload()\n",
        "class Outer:\n    class Env: pass\nEnv = Outer.Env\n",
    ],
)  # fmt: skip
def test_a_name_that_an_import_may_find_is_not_broken(fault, source):
    assert fault({"mazes.py": source}) is None


def test_a_name_of_several_parts_and_a_submodule_are_found(fault):
    assert fault({"mazes.py": "class Env:\n    class Small: pass\n"}, "mazes:Env.Small") is None
    assert fault({"mazes/__init__.py": "", "mazes/env.py": CLASS}, "mazes:env.Env") is None
    assert fault({"mazes/env.py": CLASS}, "mazes.env:Env") is None


NESTED = "class Env:\n    size = 1\n    class Small:\n        def play(self): pass\n"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("Env.x.y", "mazes has no 'Env.x.y': Env has no 'x'."),
        ("Env.Smal", "mazes has no 'Env.Smal': Env has no 'Smal'. Did you mean 'Small'?"),
        ("Env.Small.plya", "mazes has no 'Env.Small.plya': Small has no 'plya'. Did you mean 'play'?"),
        ("Env.Small.play", None),
        ("Env.size.real", None),
        ("Env.mro", None),
    ],
)
def test_what_a_class_lacks_is_broken(fault, path, told):
    assert fault({"mazes.py": NESTED}, f"mazes:{path}") == told


@pytest.mark.parametrize(
    "source",
    [
        "class Env(Base): pass",
        "class Env(metaclass=Meta): pass",
        "@made\nclass Env: pass",
        "class Env: pass\nEnv.Small = make()",
        "class Env:\n    locals()['Small'] = make()",
        "class Env: pass\nEnv = make()",
    ],
)
def test_what_a_class_may_get_elsewhere_is_not_broken(fault, source):
    assert fault({"mazes.py": source}, "mazes:Env.Small") is None


def test_modules_that_import_each_other_end(fault):
    assert fault({"mazes/__init__.py": "from .env import Env", "mazes/env.py": "from mazes import Env"}) is None


def test_what_cannot_be_read_as_source_is_left_to_the_import(fault):
    assert fault({"mazes.py": f"x = '''{'.' * 1_000_000}'''"}) is None
    assert fault({"mazes.py": "x = " + "-" * 100_000 + "1"}) is None
    assert fault({"mazes.py": "# coding: nonsense\n"}).startswith("SyntaxError: ")


def test_list_shows_it_as_broken_with_the_reason(no_plugins, capsys):
    no_plugins.install("mazes", envs={"maze-v1": "mazes:Env"}, modules={"mazes.py": "class Evn: pass"})
    no_plugins.install("halls", envs={"hall-v1": "halls:Env"}, modules={"halls.py": "import nowhere\n" + CLASS})
    assert main(["list", "--json"]) == 0
    found = {item["id"]: item for item in json.loads(capsys.readouterr().out)["environments"]}
    assert (found["maze-v1"]["status"], found["hall-v1"]["status"]) == ("broken", "ok")
    assert found["maze-v1"]["error"] == "mazes has no 'Env'. Did you mean 'Evn'?"
    assert main(["list"]) == 0
    assert "broken  mazes has no 'Env'." in capsys.readouterr().out
