"""What other frameworks read of a class, and nothing here does, is named with what to write instead."""

import pytest

from grpo_env_sdk import load
from grpo_env_sdk.envs.ignored import never_called
from grpo_env_sdk.errors import ContractError
from tests.environments import Phonebook

PORTED = """
from grpo_env_sdk import ToolEnv, reward

class Ported(ToolEnv):
    rubric, parser, system_prompt = object(), object(), "Answer with a number."
    reward_funcs, reward_weights, tools = [len], [1.0, 0.2], [len]

    def build_dataset(self, tokenizer):
        return [{"prompt": "Say 3."}, {"prompt": "Say 4."}]

    @reward
    def right(self, completion):
        return 1.0
"""
READ = """
    rewards = [*reward_funcs]

    @property
    def used(self):
        return self.tools, self.parser, getattr(self, "rubric"), prompt_of(self), type(self).reward_weights

def prompt_of(env):
    return env.system_prompt
"""


def ported(tmp_path, monkeypatch, name, source):
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    return load(f"{name}:Ported")


def test_what_nothing_reads_is_named_with_the_next_step(tmp_path, monkeypatch):
    env = ported(tmp_path, monkeypatch, "ported_unread", PORTED)
    hints = {what.split()[0].rpartition(".")[2]: hint for what, hint in never_called(env.env)}
    assert list(hints) == ["parser", "reward_funcs", "reward_weights", "rubric", "system_prompt", "tools"]
    assert "Toolbox.from_functions" in hints["tools"]


def test_what_its_author_reads_is_the_authors(tmp_path, monkeypatch):
    env = ported(tmp_path, monkeypatch, "ported_read", PORTED + READ)
    assert list(never_called(env.env)) == []


def test_a_function_in_get_tools_is_refused_with_the_next_step():
    class Given(Phonebook):
        def get_tools(self):
            return [len]

    with pytest.raises(ContractError, match=r"Given\.get_tools returned a function.*len.*@tool.*from_functions"):
        load(Given)
