"""`grpo-env eval --resume` of a run that lacks nothing: its summary again, whatever became of its environment."""

import argparse

from grpo_env_sdk.cli.eval_run import report
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.evaluation.plan import plan_of
from grpo_env_sdk.runs.changed_episodes import sealed_summary
from grpo_env_sdk.runs.reading import Run
from grpo_env_sdk.runs.writing import resume_run

_NO_EVALUATION = {"training", "rescored_from", "policy_object"}


def only_prints(run: Run, args: argparse.Namespace) -> bool:
    """Whether nothing is left to play, and no flag asks for more than the summary."""
    asks = (args.envs, args.model, args.user_model, args.force, args.retry_failed, args.give_up, args.baselines)
    return not any(asks) and run.own and _lacks_nothing(run)


def _lacks_nothing(run: Run) -> bool:
    manifest = run.manifest
    if _NO_EVALUATION & manifest.keys():
        return False
    played = sum(1 for _ in run.episodes())
    if manifest.get("forced"):  # its environment may have other rows than the manifest says
        return bool(played == (sealed_summary(run) or {}).get("episodes"))
    planned: int = manifest.get("rows", 0) * manifest.get("samples", 1)
    return 0 < planned <= played


def print_complete(run: Run, args: argparse.Namespace) -> int:
    """Print the summary of a complete run, and keep it where the run has none yet; the exit code."""
    metrics = Metrics.of_manifest(run.manifest)
    for episode in run.episodes():
        metrics.add(episode)
    before = run.summary() or {}
    about = {"env": run.manifest["env"], "policy": before.get("policy", run.manifest["policy"]), "run": str(run.path)}
    summary = about | metrics.summary() | {name: before[name] for name in ("baselines",) if name in before}
    with resume_run(run, run.manifest) as writer:
        writer.finish(summary)
    summary["sent_again"] = 0
    return report(summary, metrics, plan_of(run), metrics.episodes, run, args)
