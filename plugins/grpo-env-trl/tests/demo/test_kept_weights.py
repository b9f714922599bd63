"""A warm start that was done before on this machine is not done again."""

import os
from types import SimpleNamespace

import pytest
import torch

from grpo_env_trl.demo import kept_weights
from grpo_env_trl.demo.kept_weights import warmed
from grpo_env_trl.demo.model import TokenizedDemos, build_model

DEMOS = TokenizedDemos([[1, 2, 3, 4], [4, 3, 2]], [[0, 0, 1, 1], [0, 1, 1]])


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "grpo-env" / "demo"


class Tokens(SimpleNamespace):
    def __len__(self):
        return 8


def started(demos=DEMOS, seed=0, steps=3):
    """The weights after a warm start, and the steps that were told."""
    model, told = build_model(Tokens(eos_token_id=1, pad_token_id=0), 0), []
    warmed(model, demos, seed, lambda done, of: told.append(done), steps)
    assert not model.training
    assert model.lm_head.weight.data_ptr() == model.model.embed_tokens.weight.data_ptr()
    return torch.cat([each.detach().flatten() for each in model.parameters()]), told


def test_the_second_time_it_has_the_same_weights_at_once(folder):
    first, told = started()
    again, told_again = started()
    assert torch.equal(first, again)
    assert (told, told_again) == ([1, 2, 3], [3])


@pytest.mark.parametrize(
    "other",
    [{"seed": 1}, {"steps": 4}, {"demos": TokenizedDemos([[1, 2, 3], [4, 4, 3, 2]], [[0, 0, 1], [1, 0, 1, 1]])}],
)
def test_what_would_lead_to_other_weights_is_done(folder, other):
    started()
    assert len(started(**other)[1]) > 1


@pytest.mark.parametrize("damage", [lambda data: data[:100], lambda data: b"", lambda data: b"{}" * 200])
def test_a_file_that_was_cut_is_made_again(folder, damage):
    first, _ = started()
    (path,) = folder.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    again, told = started()
    assert torch.equal(first, again)
    assert told == [1, 2, 3]
    assert started()[1] == [3]


def test_a_folder_that_cannot_be_made_costs_nothing(folder):
    folder.parent.write_text("no folder")
    assert started()[1] == started()[1] == [1, 2, 3]


def test_only_the_last_ones_that_were_used_are_kept(folder, monkeypatch):
    monkeypatch.setattr(kept_weights, "MOST", 2)
    for seed in range(2):
        started(seed=seed, steps=1)
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    assert started(seed=0, steps=2)[1] == [1, 2]
    assert len([*folder.iterdir()]) == 2
    assert started(seed=0, steps=2)[1] == [2]
