"""`python -m grpo_env_sdk.rollout.process_main FD`: load an environment once, and fork a worker for each episode."""

import contextlib
import os
import sys
from collections.abc import Iterator
from functools import partial

from grpo_env_sdk.isolation.fork_server_main import answer, first_order, serve_forks


def main() -> None:
    """Load the environment of the order, and serve."""
    control, order = first_order()
    try:
        with _silent():  # the parent has shown what its import prints
            from grpo_env_sdk.envs.tokenizer import opened
            from grpo_env_sdk.rollout.process_order import loaded_from
            from grpo_env_sdk.rollout.process_worker import work

            loaded = loaded_from(order)
            order["scorer_tokenizer"] = opened(order["scorer_tokenizer"])
    except BaseException as exc:  # SystemExit too
        from grpo_env_sdk.isolation.tracebacks import describe_error

        answer(control, type=type(exc).__name__, message=getattr(exc, "message", "") or describe_error(exc),
               hint=getattr(exc, "hint", ""))  # fmt: skip
        os._exit(1)
    answer(control, ready=True)
    serve_forks(control, partial(work, loaded, order))


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """While this lasts, what is printed is lost."""
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    nothing = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nothing, descriptor)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, before in zip((1, 2), kept, strict=True):
            os.dup2(before, descriptor)
            os.close(before)
        os.close(nothing)


if __name__ == "__main__":
    main()
