"""What `train(..., num_processes=N)` refuses before it starts a process; test_two_ranks.py has one that trains."""

import re
import threading
from pathlib import Path

import pytest

from grpo_env_sdk.errors import UsageError
from grpo_env_trl import train


class Here:
    """An environment that only this process has."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "hi"}]

    def score_episode(self, completion):
        return 1.0


@pytest.mark.parametrize(("given", "told"), [
    ({"env": Here}, "cannot see what env of this one is"),
    ({"env": {Here: 2, "hotel-v1": 1}}, "cannot see what envs of this one is"),
    ({"callbacks": [print]}, "cannot see what callbacks of this one is"),
    ({"reward_funcs": len, "tokenizer": "gpt2"}, "cannot see what tokenizer and reward_funcs of this one is"),
    ({"resume": "old"}, "grpo-env train --resume old --num-processes 2"),
    ({"env_config": {"judge": print}}, "env_config is {'judge': "),
    ({"num_processes": 0}, "num_processes"),
    ({"model": Path("a model"), "out": Path("a run"), "accelerate_config": Path("no.yaml")}, "no.yaml"),
    ({"num_machines": 2}, "grpo-env train hotel-v1 --num-machines 2"),
    ({"accelerate_config": "fsdp2", "use_cpu": True}, "spreads a model over GPUs"),
])  # fmt: skip
def test_what_other_processes_cannot_do_is_refused_in_one_line(given, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=re.escape(told)):
        train(**{"env": "hotel-v1", "num_processes": 2} | given)
    assert not [*tmp_path.iterdir()]


def test_another_thread_is_refused():
    told = []

    def start():
        try:
            train("hotel-v1", num_processes=2)
        except UsageError as exc:
            told.append(str(exc))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert "main thread" in told[0]
