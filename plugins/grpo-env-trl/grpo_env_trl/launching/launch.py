"""From the settings of a command to the end of the processes that it starts."""

import os
from collections.abc import Sequence

from grpo_env_trl.launching.meeting import Meeting
from grpo_env_trl.launching.plan import launch_plan
from grpo_env_trl.launching.starting import gpu_count, start_all
from grpo_env_trl.launching.watching import Watch
from grpo_env_trl.settings import TrainSettings


def launched(settings: TrainSettings, argv: Sequence[str]) -> Watch | None:
    """The processes that the settings ask for, started; None where this process trains."""
    plan = launch_plan(settings, os.environ, gpu_count)
    if plan is None:
        return None
    meeting = Meeting(plan)
    meeting.wait_for_all()
    return Watch(start_all(plan, argv, meeting.port), plan, meeting, settings.resume_with)
