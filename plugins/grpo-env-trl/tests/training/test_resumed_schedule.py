"""The learning rate with which a resumed training goes on."""

from types import SimpleNamespace

import pytest
import torch

from grpo_env_trl.training.resumed_schedule import ResumedSchedule


@pytest.mark.parametrize("steps", [4, 8])
def test_another_number_of_steps_is_another_learning_rate_and_is_noted_with_both(steps):
    def linear(of):
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
        return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / of)

    def stepped(schedule):
        schedule.optimizer.step()
        schedule.step()
        return schedule

    kept, schedule = stepped(linear(4)), linear(steps)
    schedule.load_state_dict(kept.state_dict())
    schedule.optimizer.load_state_dict(kept.optimizer.state_dict())
    notes = []
    state = SimpleNamespace(global_step=1, max_steps=steps)
    ResumedSchedule(notes.append).on_train_begin(None, state, None, lr_scheduler=schedule)
    assert schedule.get_last_lr() == [1 - 1 / steps]
    assert [("0.875" in note, "0.75" in note, "8 steps" in note) for note in notes] == [(True, True, True)] * (
        steps > 4
    )
