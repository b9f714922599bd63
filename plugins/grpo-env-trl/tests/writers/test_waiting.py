"""What somebody reads while a server does not answer."""

import threading
import warnings

import pytest

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import UnusablePolicyError
from grpo_env_trl.training.async_trainer import Transfer
from grpo_env_trl.trl_async import async_config_class, longest_wait


class Stuck:
    """A transfer of weights whose server answers once somebody was told that it does not."""

    def __init__(self):
        self.told = threading.Event()

    def pause(self):
        assert self.told.wait(60)

    def send_weights(self, named):
        self.pause()
        raise TimeoutError("Read timed out.")


@pytest.fixture
def stuck(monkeypatch):
    """The transfer, and the warnings so far."""
    stuck, found = Stuck(), []

    def show(message, kind, *place):
        found.append((kind, str(message)))
        stuck.told.set()

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", show)
        yield stuck, found


def test_whoever_waits_long_for_a_server_is_told_for_what_and_for_how_long(stuck):
    transfer, found = stuck
    Transfer(transfer, "http://10.0.0.1:8000", first=0.01).pause()
    ((kind, text),) = found
    assert kind is GrpoEnvWarning
    assert "for http://10.0.0.1:8000 to pause, and waits for 1800 s at most" in text


def test_a_wait_that_ends_in_nothing_is_one_line(stuck):
    transfer, found = stuck
    with pytest.raises(UnusablePolicyError, match=r"took no weights: Read timed out\. Start it again, then continue"):
        Transfer(transfer, "http://10.0.0.1:8000", first=0.01).send_weights(())
    assert "http://10.0.0.1:8000 to take weights" in found[0][1]


def test_a_call_that_is_answered_in_time_is_not_mentioned(stuck):
    transfer, found = stuck
    transfer.told.set()
    Transfer(transfer, "http://10.0.0.1:8000", first=60.0).pause()
    assert found == []


def test_the_longest_waits_are_those_of_trl():
    async_config_class()  # which has TRL say nothing of its experimental parts
    from trl.experimental.async_grpo.weight_transfer import WeightTransferClient

    assert longest_wait(WeightTransferClient, "pause") == WeightTransferClient._CONTROL_TIMEOUT
    assert {"init_weight_transfer", "pause", "send_weights", "resume"} <= {*dir(WeightTransferClient)}
