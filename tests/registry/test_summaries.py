"""The line that `list` and `info` show for each environment, found without importing any."""

import json
import sys

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.registry.summaries import TO_REPLACE

PRICES = """
class Prices:
    '''Find the price of a tea.

    More of it.
    '''
    def build_dataset(self, tokenizer): return [{"prompt": "What does it cost?"}] * 3
    def score_episode(self, model, tokenizer, completion): return 0.0
"""
FACTS = PRICES.replace("Prices", "Facts").replace("Find the price of", "Know facts about")
BOTH = {
    "tea/__init__.py": "from tea.prices import Prices\nfrom .facts import Facts as Facts", "tea/prices.py": PRICES,
    "tea/facts.py": FACTS,
}  # fmt: skip
ENVS = {"prices-v1": "tea:Prices", "facts-v1": "tea.facts:Facts", "facts-v2": "tea:Facts"}


@pytest.fixture
def summaries(no_plugins, capsys):
    """What `list` says of each environment of a package with these; nothing of it is imported."""

    def read(envs, files, summary):
        no_plugins.install("tea", envs=envs, modules=files, summary=summary)
        assert main(["list", "--json"]) == 0
        assert "tea" not in sys.modules
        found = json.loads(capsys.readouterr().out)["environments"]
        return {one["id"]: one["summary"] for one in found if one["id"] in envs}

    return read


def test_of_a_package_with_several_each_has_its_own_line(summaries, capsys):
    price, fact = "Find the price of a tea.", "Know facts about a tea."
    assert summaries(ENVS, BOTH, "All about tea.") == {"prices-v1": price, "facts-v1": fact, "facts-v2": fact}
    assert main(["list", "facts about"]) == 0
    assert "prices-v1" not in capsys.readouterr().out
    for name, line in (("prices-v1", price), ("facts-v1", fact)):
        assert main(["info", name]) == 0
        assert line in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("summary", [TO_REPLACE, ""])
def test_a_description_that_says_nothing_yet_gives_way_to_the_docstring(summary, summaries):
    told = {"": ""}.get(summary, "Find the price of a tea.")
    assert summaries({"prices-v1": "tea:Prices"}, BOTH, summary) == {"prices-v1": told}


def test_the_description_of_one_environment_stays(summaries, capsys):
    assert summaries({"prices-v1": "tea:Prices"}, BOTH, "All about tea.") == {"prices-v1": "All about tea."}
    assert main(["info", "prices-v1"]) == 0
    assert "All about tea." in capsys.readouterr().out


@pytest.mark.parametrize(
    "source",
    [
        "class Prices: pass\nclass Facts: pass", "Prices = Facts = print", "from other import Prices, Facts",
        "from tea import Prices, Facts", "class Prices(", "",
    ],
)  # fmt: skip
def test_without_a_docstring_that_the_source_shows_the_description_stays(source, summaries):
    envs = {"prices-v1": "tea:Prices", "facts-v1": "tea:Facts"}
    assert summaries(envs, {"tea.py": source}, "All about tea.") == dict.fromkeys(envs, "All about tea.")
