"""The sources that a module runs when it is imported."""

from grpo_env_sdk.checking.evidence.imported_sources import sources_of


def named(module):
    return sorted(source.partition("\n")[0].removeprefix("# ") for source in sources_of(module))


def test_what_a_package_imports_is_followed_and_the_rest_is_left_out(site):
    site.write("bakery/__init__.py", "# the package\n")
    site.write("bakery/env.py", "# env\nfrom bakery import rows\nfrom .parts.scoring import right\nimport json\n")
    site.write("bakery/rows.py", "# rows\nfrom . import words\n")
    site.write("bakery/words.py", "# words\nimport bakery.env\nimport prices\n")
    site.write("bakery/parts/__init__.py", "# parts\nfrom .. import shared\n")
    site.write("bakery/parts/scoring.py", "# scoring\n")
    site.write("bakery/shared.py", "# shared\n")
    site.write("bakery/unused.py", "# unused\n")
    site.write("prices.py", "# prices\nimport installed\n")
    site.write("installed/__init__.py", "# installed\n")
    expected = ["env", "parts", "prices", "rows", "scoring", "shared", "the package", "words"]
    assert named("bakery.env") == expected


def test_a_module_beside_is_followed_and_what_cannot_be_read_is_not(site):
    site.write("task.py", "# task\nimport helper, json, missing\n")
    site.write("helper.py", "# helper\nthis is no Python\n")
    assert named("task") == ["helper", "task"]
    assert named("nowhere.at.all") == []
