"""Finding environments by id, by distribution, by import path, and what a wrong name is answered."""

import sys
import warnings
from pathlib import Path

import pytest

from grpo_env_sdk import EnvSpec, load, make, register, spec, specs
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import AmbiguousNameError, BrokenPackageError, ConfigError, GrpoEnvWarning, UnknownNameError
from grpo_env_sdk.registry.lookup import load_class, suggested_id
from grpo_env_sdk.registry.qualified import qualified
from grpo_env_sdk.registry.requirements import install_command

MAZE = """
    class Maze:
        def __init__(self, size: int = 3):
            self.size = size
        def build_dataset(self, tokenizer):
            return [{"prompt": "Find the way."}]
        def score_episode(self, model, tokenizer, completion):
            return 1.0
"""


@pytest.fixture
def mazes(site):
    """A package with three environments."""
    envs = {"maze-v1": "mazes:Maze", "maze-v2": "mazes:Maze", "maze-v10": "mazes:Maze", "lone-v3": "mazes:Maze"}
    site.install("grpo-mazes", version="2.0", summary="Mazes.", envs=envs, modules={"mazes.py": MAZE})
    return site


def ids(distribution="grpo-mazes"):
    return [item.id for item in specs() if item.distribution == distribution]


def unknown(name):
    with pytest.raises(UnknownNameError) as caught:
        spec(name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_specs_are_sorted_by_name_then_by_number(mazes):
    assert ids() == ["lone-v3", "maze-v1", "maze-v2", "maze-v10"]
    assert "mazes" not in sys.modules


def test_an_exact_id(mazes):
    assert spec("maze-v2") == EnvSpec("maze-v2", "mazes:Maze", "grpo-mazes", "2.0", "Mazes.")


def test_the_newest_version_is_taken_and_said_aloud(mazes):
    with pytest.warns(GrpoEnvWarning, match=r"maze: using maze-v10, the newest of maze-v1, maze-v10, maze-v2\."):
        assert spec("maze").id == "maze-v10"
    with pytest.warns(GrpoEnvWarning, match=r"lone: using lone-v3\."):
        assert spec("lone").id == "lone-v3"


def test_an_exact_id_is_nothing_to_talk_about(mazes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spec("maze-v1")


@pytest.mark.parametrize("prefix", ["grpo-mazes", "grpo_mazes", "GRPO.Mazes"])
def test_a_distribution_may_be_named(mazes, prefix):
    assert spec(f"{prefix}:maze-v1").id == "maze-v1"
    with pytest.warns(GrpoEnvWarning, match="using maze-v10"):
        assert spec(f"{prefix}:maze").id == "maze-v10"


def test_two_packages_with_one_id_are_an_error_that_names_both(mazes):
    mazes.install("other-mazes", envs={"maze-v2": "other_mazes:Maze"})
    with pytest.raises(
        AmbiguousNameError,
        match=r"Two packages provide 'maze-v2'\. Name one: grpo-mazes:maze-v2 or other-mazes:maze-v2\.",
    ):
        spec("maze-v2")
    assert spec("other-mazes:maze-v2").entry_point == "other_mazes:Maze"
    assert spec("maze-v1").distribution == "grpo-mazes"


def test_a_name_without_a_version_takes_the_newest_of_one_package_alone(mazes):
    mazes.install("stranger", envs={"maze-v11": "stranger:Maze", "lone-v3": "stranger:Maze"})
    versions = "grpo-mazes has maze-v1, maze-v2, maze-v10; stranger has maze-v11"
    with pytest.raises(AmbiguousNameError) as caught:
        spec("maze")
    choices = "Name one: grpo-mazes:maze or stranger:maze."
    assert str(caught.value) == f"Two packages have versions of 'maze': {versions}. {choices}"
    with pytest.raises(AmbiguousNameError, match=r"Two packages have versions of 'lone'"):
        spec("lone")
    with pytest.warns(GrpoEnvWarning, match="using maze-v10"):
        assert spec("grpo-mazes:maze").distribution == "grpo-mazes"
    mazes.install("third", envs={"maze-v1": "third:Maze"})
    with pytest.raises(AmbiguousNameError, match=r"3 packages have versions of 'maze'.* or third:maze\."):
        spec("maze")


def test_the_package_is_named_where_another_one_has_a_version_of_the_name(mazes):
    found = spec("maze-v1")
    assert qualified(found) == "maze-v1"
    mazes.install("stranger", envs={"maze-v11": "stranger:Maze"})
    assert qualified(found) == "grpo-mazes:maze-v1"
    assert spec(qualified(found)) == found
    assert qualified(EnvSpec("mazes:Maze", "mazes:Maze")) == "mazes:Maze"


@pytest.mark.usefixtures("registered")
def test_what_a_program_registers_is_named_as_registered_where_a_package_has_the_id(mazes):
    found = register("maze-v1", "mazes:Maze")
    assert qualified(found) == "registered:maze-v1"
    assert spec(qualified(found)) == found
    assert qualified(register("own-v1", "mazes:Maze")) == "own-v1"


def test_an_id_that_nobody_brings_is_answered_with_the_nearest(mazes):
    see = f"`grpo-env list` shows all {len(specs())}."
    assert unknown("maez-v1") == f"No env named 'maez-v1'. Did you mean 'maze-v1' or 'maze-v10'? {see}"
    assert unknown("qqqqqq") == f"No env named 'qqqqqq'. {see}"


def test_a_package_of_this_folder_that_is_not_installed_is_answered_with_how_to_install_it(mazes, workplace):
    whole = '[project]\n[project.entry-points."grpo_env_sdk.envs"]\n"ship-v1" = "ships:Ship"\n'
    for text, name, said in (
        (whole, "ship-v1", True), (whole, "ship", True), (whole, "maez-v1", False), ("[project", "ship-v1", False),
        ("project = 3", "ship-v1", False),
    ):  # fmt: skip
        Path("pyproject.toml").write_text(text)
        assert ("The pyproject.toml of this folder has it: pip install -e ." in unknown(name)) is said


def test_a_version_that_nobody_brings_is_answered_with_those_that_are(mazes):
    assert unknown("maze-v9").startswith("No env named 'maze-v9'. There is maze-v1, maze-v2, maze-v10. ")
    assert unknown("grpo-mazes:maze-v9").startswith("No env named 'grpo-mazes:maze-v9'. There is maze-v1, ")


def test_a_distribution_that_is_not_there_is_answered_with_the_id(mazes):
    assert unknown("gropo-mazes:maze-v1").startswith("No env named 'gropo-mazes:maze-v1'. There is maze-v1, ")


def test_a_file_is_answered_with_how_to_name_a_class(workplace):
    assert "A class is named by its import path: hotel:ClassName." in unknown("hotel.py")
    assert "A class is named by its import path: envs.hotel:Hotel." in unknown("./envs/hotel.py:Hotel")
    assert "A class is named by its import path: envs.hotel:Hotel." in unknown("envs.hotel.Hotel")
    assert "A class is named by its import path: hotel:Hotel." in unknown("hotel.py:Hotel")
    assert "A class is named by its import path: envs.hotel:Hotel." in unknown(
        str(Path("envs/hotel.py:Hotel").resolve())
    )
    elsewhere = Path("..").resolve()
    assert f"its import path: inn:Inn, in the folder {elsewhere}." in unknown(f"{elsewhere}/inn.py:Inn")


def test_the_name_of_a_class_is_answered_with_how_to_name_it():
    assert "A class of a module is named like my_envs:Hotel; a command finds none of a notebook." in unknown("Hotel")


def test_a_file_is_answered_with_the_classes_that_it_defines(workplace):
    Path("inn.py").write_text("class _Base: pass\nclass Inn(_Base): pass\nclass Bar(_Base): pass\n")
    for name in ("inn", "inn.py", "./inn.py"):
        assert "A class is named by its import path: inn:Inn or inn:Bar." in unknown(name)
    Path("inn.py").write_text("class Inn(")
    assert "A class is named by its import path: inn:ClassName." in unknown("inn")


@pytest.mark.parametrize("name", ["", ":", "a:", ":b", "a:b:c", "-v1", "../x", "a b", "é-v1"])
def test_nonsense_is_an_unknown_name(name):
    assert unknown(name).startswith(f"No env named {name!r}.")


def test_an_import_path_includes_the_working_directory(workplace):
    workplace.write("mine/maze.py", MAZE)
    found = spec("mine.maze:Maze")
    assert (found.id, found.entry_point, found.distribution) == ("mine.maze:Maze", "mine.maze:Maze", None)
    assert make("mine.maze:Maze", size=4).size == 4


def test_an_import_path_may_have_letters_of_any_script(workplace):
    workplace.write("ünï.py", MAZE)
    assert make("ünï:Maze", size=4).size == 4


def test_an_import_path_into_a_package_of_the_distributions_name(site):
    site.install("mazes", envs={"maze-v1": "mazes:Maze"}, modules={"mazes.py": MAZE})
    assert spec("mazes:Maze") == EnvSpec("mazes:Maze", "mazes:Maze")
    assert spec("mazes:maze-v1").distribution == "mazes"
    with pytest.warns(GrpoEnvWarning, match="using maze-v1"):
        assert spec("mazes:maze").distribution == "mazes"


def test_an_import_path_to_no_module(workplace):
    assert unknown("nowhere_at_all:Maze") == (
        "No module named 'nowhere_at_all', in the working directory or installed. "
        "An import path is written like my_envs.hotel_env:HotelEnv."
    )


def test_an_import_path_to_no_submodule_or_attribute_is_answered_with_the_nearest(workplace):
    workplace.write("mine/__init__.py", "")
    workplace.write("mine/maze.py", MAZE)
    with pytest.raises(
        BrokenPackageError, match=r"^mine\.maez:Maze: mine\.maez cannot .* Did you mean 'mine\.maze'\?$"
    ):
        make("mine.maez:Maze")
    with pytest.raises(
        BrokenPackageError, match=r"^mine\.maze:Maez: mine\.maze has no 'Maez'\. Did you mean 'Maze'\?$"
    ):
        make("mine.maze:Maez")


@pytest.mark.usefixtures("registered")
def test_a_class_can_be_registered_for_this_process():
    class Local:
        def __init__(self, size: int = 3):
            self.size = size

        def build_dataset(self, tokenizer):
            return [{"prompt": "hi"}]

        def score_episode(self, model, tokenizer, completion):
            return 1.0

    made = register("local-v1", Local, size=5)
    assert made in specs()
    assert spec("local-v1") is made
    assert isinstance(make("local-v1"), Local)
    assert (make("local-v1").size, make("local-v1", size=6).size) == (5, 6)
    assert load_class(load("local-v1", {"size": 6}).spec) is Local


@pytest.mark.usefixtures("registered")
def test_an_import_path_can_be_registered_and_again():
    register("local-v1", lambda: 5)
    register("local-v1", "tests.environments:Countdown", longest=3)
    assert make("local-v1").starts == [2, 3]
    assert [item.id for item in specs()].count("local-v1") == 1


@pytest.mark.usefixtures("registered")
def test_a_registered_id_beside_an_installed_one_can_be_told_apart(mazes):
    register("maze-v1", "tests.environments:Countdown")
    with pytest.raises(AmbiguousNameError, match=r"Name one: grpo-mazes:maze-v1 or registered:maze-v1\."):
        spec("maze-v1")
    assert spec("registered:maze-v1").entry_point == "tests.environments:Countdown"
    assert spec("grpo-mazes:maze-v1").entry_point == "mazes:Maze"


@pytest.mark.parametrize(
    ("id", "good"),
    [
        ("My Hotel", "my-hotel-v1"),
        ("hotel", "hotel-v1"),
        ("", "my-env-v1"),
        ("hotel v2", "hotel-v2"),
        ("Hotel-V1", "hotel-v1"),
        ("HotelV12", "hotel-v12"),
        ("Dev2", "dev2-v1"),
        ("A-v3", "a-v3"),
    ],
)
def test_an_id_that_is_none_is_answered_with_a_good_one(id, good):
    assert suggested_id(id) == good
    if id != "A-v3":
        with pytest.raises(ConfigError, match=rf"'{id}' is not a valid environment id\. Use an id such as '{good}'\."):
            register(id, "a:B")


def test_a_namespace_may_stand_before_an_id(site):
    site.install("mazes", envs={"mazes/long-v1": "mazes:Maze"}, modules={"mazes.py": MAZE})
    assert spec("mazes/long-v1").status == "ok"
    assert make("mazes/long-v1").size == 3


def test_what_is_needed_is_told_with_the_pip_command():
    with pytest.raises(UnknownNameError, match=r"^x-v1 needs grpo-env-x\. pip install grpo-env-x$"):
        load_class(EnvSpec("x-v1", "x:X", needs="grpo-env-x"))


PLUGIN = """
    from grpo_env_sdk import EnvSpec, hookimpl

    @hookimpl
    def grpo_env_register_envs():
        return [{}]
"""


def test_what_a_plugin_brings_is_of_its_distribution_and_version(site):
    source = PLUGIN.format("EnvSpec('rg/sum-v1', 'mazes:Maze', config={'size': 7})")
    site.install("rg", version="3.1", plugins={"hooks": "rg_hooks"}, modules={"rg_hooks.py": source, "mazes.py": MAZE})
    found = spec("rg/sum-v1")
    assert (found.distribution, found.version, found.status) == ("rg", "3.1", "ok")
    assert spec("rg:rg/sum-v1") == found
    assert make("rg/sum-v1").size == 7
    assert make("rg/sum-v1", size=8).size == 8


@pytest.mark.parametrize(
    ("given", "id", "error"),
    [
        ("EnvSpec('My Maze', 'mazes:Maze')", "My Maze", "the id 'My Maze' is not like 'my-maze-v1'"),
        ("EnvSpec('maze-v1', 'mazes')", "maze-v1", "the entry point 'mazes' is not like 'package.module:Class'"),
        ("EnvSpec('maze-v1', 'mazes:Maze', error='no licence')", "maze-v1", "no licence"),
        (
            "EnvSpec('maze-v1', 'mazes:Maze', kind='weird')",
            "maze-v1",
            "its kind 'weird' is none of single-turn, tools, multi-turn",
        ),
    ],
)
def test_a_spec_of_a_plugin_that_cannot_be_right_is_broken(site, given, id, error):
    modules = {"rg_hooks.py": PLUGIN.format(given), "mazes.py": MAZE}
    site.install("rg", plugins={"hooks": "rg_hooks"}, modules=modules)
    (found,) = [item for item in specs() if item.distribution == "rg"]
    assert (found.id, found.status, found.error) == (id, "broken", error)


def test_a_spec_of_a_plugin_may_need_what_is_not_installed_yet(site, capsys):
    given = "EnvSpec('maze-v1', 'nowhere_at_all:Maze', needs='mazes-extra')"
    site.install("rg", plugins={"hooks": "rg_hooks"}, modules={"rg_hooks.py": PLUGIN.format(given)})
    assert (spec("maze-v1").status, spec("maze-v1").error) == ("needs", None)
    assert main(["list"]) == 0
    assert "pip install mazes-extra" in capsys.readouterr().out


def test_what_a_plugin_brings_twice_counts_once(site):
    given = PLUGIN.format("EnvSpec('maze-v1', 'mazes:Maze', config={'size': size}) for size in (3, 4)")
    site.install("rg", plugins={"hooks": "rg_hooks"}, modules={"rg_hooks.py": given, "mazes.py": MAZE})
    with pytest.warns(GrpoEnvWarning, match="rg has 'maze-v1' twice; the first one counts"):
        assert make("maze-v1").size == 3


@pytest.mark.parametrize(("needs", "status"), [
    ("numpy", "ok"), ("numpy>=1 pandas", "ok"), ("numpy>=99", "needs"), ("numpy[mazes]", "needs"), ("'", "needs"),
])  # fmt: skip
def test_what_a_plugin_needs_is_looked_for(site, needs, status):
    given = PLUGIN.format(f"EnvSpec('maze-v1', 'mazes:Maze', needs={needs!r})")
    site.install("rg", plugins={"hooks": "rg_hooks"}, modules={"rg_hooks.py": given, "mazes.py": MAZE})
    assert spec("maze-v1").status == status


@pytest.mark.parametrize("needs", ["numpy>=99", "'numpy>=99'"])
def test_the_command_for_what_is_needed_can_be_pasted(needs):
    assert install_command(needs) == "pip install 'numpy>=99'"


@pytest.mark.parametrize("given", ["EnvSpec(5, 'mazes:Maze')", "EnvSpec('maze-v1', None)"])
def test_a_spec_of_a_plugin_that_is_nonsense_is_a_warning(site, given):
    site.install("rg", plugins={"hooks": "rg_hooks"}, modules={"rg_hooks.py": PLUGIN.format(given)})
    with pytest.warns(GrpoEnvWarning, match=r"The plugin rg:hooks returned EnvSpec\(.* with what is no text"):
        assert [item for item in specs() if item.distribution == "rg"] == []
