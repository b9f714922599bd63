"""What the tests of the plugin share: modules beside them, and models that are made once."""

import copy
import functools
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@functools.cache
def _made(family):
    from tiny_models import tiny_model

    return tiny_model(family)


@pytest.fixture
def tiny():
    """A model of a family and its tokenizer, each a copy of its own."""
    return lambda family="qwen3": copy.deepcopy(_made(family))


def pytest_configure(config):
    """Let transformers tell its own libraries of names that it will drop."""
    config.addinivalue_line("filterwarnings", "ignore:.*gradient_checkpointing.* is deprecated:FutureWarning")
    if find_spec("vllm"):  # it and what it brings warn of themselves when TRL imports them
        config.addinivalue_line("filterwarnings", "ignore")
