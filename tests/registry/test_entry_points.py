"""What installed distributions offer, read from their metadata."""

import sys

import pytest

from grpo_env_sdk.registry.entry_points import Offer, forget, normalised, offers, version_of


def found(*names):
    return [offer for offer in offers() if offer.distribution in names]


def test_an_entry_point_is_an_offer_of_its_distribution(site):
    site.install(
        "my-envs", version="2.1", summary="Mine.", envs={"maze-v1": "mazes:Maze"}, plugins={"p": "mazes.hooks"}
    )
    assert found("my-envs") == [
        Offer("maze-v1", "mazes:Maze", "grpo_env_sdk.envs", "my-envs", "2.1", "Mine."),
        Offer("p", "mazes.hooks", "grpo_env_sdk.plugins", "my-envs", "2.1", "Mine."),
    ]


def test_nothing_is_imported(site):
    site.install("my-envs", envs={"maze-v1": "mazes:Maze"}, modules={"mazes.py": "raise SystemExit('imported')"})
    assert found("my-envs")
    assert "mazes" not in sys.modules


def test_other_groups_are_no_offers(site):
    site.install("other")
    site.write("other-1.0.dist-info/entry_points.txt", "[console_scripts]\nother = other:main\n")
    forget()
    assert found("other") == []


def test_the_first_of_two_distributions_of_one_name_counts(site, tmp_path, monkeypatch):
    from tests.conftest import Site

    earlier = Site(tmp_path / "earlier")
    earlier.install("my-envs", version="3.0", envs={"maze-v2": "mazes:Maze"})
    monkeypatch.syspath_prepend(str(earlier.folder))
    site.install("My_Envs", version="1.0", envs={"maze-v1": "mazes:Maze"})
    assert [offer.name for offer in found("my-envs", "My_Envs")] == ["maze-v2"]


def test_what_is_installed_later_is_found_once_told_to_look_again(site):
    assert found("late") == []
    site.install("late", envs={"late-v1": "late:Late"})
    assert [offer.name for offer in found("late")] == ["late-v1"]


@pytest.mark.parametrize(
    ("line", "offer"),
    [
        (b"no equals sign", ("no equals sign", "")),
        (b"maze-v1 = m\xff\xfe:Maze", ("maze-v1", "m\ufffd\ufffd:Maze")),
        (b"maze-v1=mazes:Maze", ("maze-v1", "mazes:Maze")),
        (b"maze-v1 = mazes:Maze [extra]", ("maze-v1", "mazes:Maze")),
    ],
)
def test_metadata_is_read_as_well_as_it_can_be_and_the_others_are_found(site, line, offer):
    site.install("odd-envs")
    site.install("good-envs", envs={"maze-v2": "mazes:Maze"})
    text = b"# mine\n[console_scripts]\nx = y:z\n\n[grpo_env_sdk.envs]\n" + line + b"\n"
    (site.folder / "odd_envs-1.0.dist-info" / "entry_points.txt").write_bytes(text)
    forget()
    assert [(item.name, item.value) for item in found("odd-envs")] == [offer]
    assert [item.name for item in found("good-envs")] == ["maze-v2"]


def test_a_summary_that_is_no_utf8_is_no_obstacle(site):
    site.install("old-envs", envs={"maze-v1": "mazes:Maze"})
    (site.folder / "old_envs-1.0.dist-info" / "METADATA").write_bytes(b"Name: old-envs\nVersion: 1\nSummary: caf\xe9\n")
    forget()
    assert [item.summary for item in found("old-envs")] == ["caf\ufffd"]
    assert version_of("old-envs") == "1"


def test_metadata_of_somebody_elses_that_cannot_be_read_is_none_of_our_business(site):
    site.install("other")
    (site.folder / "other-1.0.dist-info" / "entry_points.txt").write_bytes(b"[console_scripts]\nx = \xff\xfe:y\n")
    forget()
    assert found("other") == []


def test_names_are_compared_as_pip_compares_them():
    assert normalised("My_Envs.Hotel") == "my-envs-hotel"


def test_the_version_of_a_distribution_is_read_without_the_parser_of_mail(site):
    site.install("grpo-mazes", version="2.5")
    assert version_of("grpo-mazes") == "2.5"
    assert version_of("grpo-nowhere") is None
