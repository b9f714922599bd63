"""TRL's asynchronous trainer on a CPU."""

import pytest
from asynchronous.on_cpu import train_on_cpu


@pytest.fixture(autouse=True)
def sent(monkeypatch, tmp_path):
    """What TRL needs on a CPU; the weights that a server was sent."""
    found = []
    train_on_cpu(tmp_path, found, monkeypatch.setattr)
    return found
