"""TRL's asynchronous trainer on a CPU."""

import pytest
from asynchronous.on_cpu import segment_by_segment
from trl.experimental.async_grpo import async_grpo_trainer, packing


@pytest.fixture(autouse=True)
def cpu(monkeypatch):
    """Attention without the CUDA kernel of TRL, and no peak of a GPU to compare with."""
    monkeypatch.setattr(async_grpo_trainer, "get_peak_flops_per_device", lambda accelerator, dtype: None)
    monkeypatch.setattr(packing, "tree_attention", segment_by_segment)
