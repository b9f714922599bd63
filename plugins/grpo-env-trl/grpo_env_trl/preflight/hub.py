"""Whether the hub is there that the model, or completions, are to be pushed to."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import one_line
from grpo_env_trl.models.hub import hub_answers
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """A hub that does not answer, no token, or one that the hub does not accept."""
    args = planned.setup.args
    flags = {"--push-to-hub": args.push_to_hub, "--log-completions-hub-repo": args.log_completions_hub_repo}
    for flag in [name for name, used in flags.items() if used]:
        yield from _unreachable(flag, args)


def _unreachable(flag: str, args: Any) -> Iterator[Problem]:
    from huggingface_hub import HfApi, constants, get_token

    later = f"Remove {flag}."
    if args.push_to_hub:
        later = f"Remove it and upload later: hf upload NAME {Path(args.output_dir).parent / 'model'}"
    if constants.HF_HUB_OFFLINE:
        yield Problem(f"{flag} needs the hub, and HF_HUB_OFFLINE is set.", later)
        return
    if not hub_answers():
        yield Problem(f"{flag} needs the hub, and {constants.ENDPOINT} does not answer.", later)
        return
    token = args.hub_token or get_token()
    if token is None:
        yield Problem(f"{flag} needs a token of {constants.ENDPOINT}.", "Log in: hf auth login (or set HF_TOKEN).")
        return
    try:
        HfApi().whoami(token=token)
    except Exception as exc:  # of the hub's client
        text = one_line(exc).rstrip(".")
        yield Problem(f"{flag}: {constants.ENDPOINT} does not accept your token: {text}.", "Log in: hf auth login.")
