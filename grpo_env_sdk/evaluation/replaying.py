"""Whether a run can be replayed in an evaluation: it is of the same environment, and has some of its episodes."""

from collections.abc import Collection
from contextlib import suppress

from grpo_env_sdk.errors import GrpoEnvError, UsageError
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.policies.builtin import ReplayPolicy
from grpo_env_sdk.policies.policy import Policy
from grpo_env_sdk.registry.lookup import spec
from grpo_env_sdk.registry.qualified import name_in_run, qualified
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.types import EnvSpec


def check_replay(env: EnvSpec, jobs: Collection[Job], policy: Policy, force: bool = False) -> None:
    """Raise where a replayed run is of another environment, unless forced, or has none of the episodes to play."""
    if not isinstance(policy, ReplayPolicy) or (run := policy.run) is None:
        return
    if len(run.environments) > 1:
        names = ", ".join(run.environments)
        raise UsageError(f"{run.path} has episodes of several environments: {names}.", "Replay a run of one.")
    if not force and not _is_same(env, run):
        raise UsageError(
            f"{run.path} cannot be replayed in {env.id}: their environments differ ({name_in_run(run)} and "
            f"{qualified(env)}).",
            "Replay a run of this environment; --force replays it anyway.",
        )
    recorded = policy.user_said.keys()
    if not any((job.row_index, job.sample) in recorded for job in jobs):
        kept = counted(len(recorded), "episode")
        raise UsageError(
            f"{run.path} has none of the {counted(len(jobs), 'episode')} to play, among its {kept} of "
            f"the split {run.manifest.get('split', '?')}.",
            "Take the --split, --rows and --samples with which it was recorded.",
        )


def _is_same(env: EnvSpec, run: Run) -> bool:
    """Whether the run is of this environment: by its id and package, entry point, or class in the same source."""
    name, id, entry = name_in_run(run), run.manifest["env"], None
    if name == qualified(env):
        return True
    with suppress(GrpoEnvError):  # it may be installed no more
        entry = id if ":" in id else spec(name).entry_point
    if entry is None or entry == env.entry_point:
        return entry is not None
    same_source = env.source_hash is not None and env.source_hash == run.manifest.get("source_hash")
    return same_source and _class_in(entry) == _class_in(env.entry_point)


def _class_in(entry_point: str) -> str:
    return entry_point.rpartition(":")[2].rpartition(".")[2]
