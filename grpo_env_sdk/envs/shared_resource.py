"""`open_shared` of a class: a client, a server or a loaded model that all episodes of a run share, as `self.shared`."""

import copy
from typing import Any, NoReturn

from grpo_env_sdk.errors import NotOpenError
from grpo_env_sdk.isolation.tracebacks import name_of

METHOD, ATTRIBUTE = "open_shared", "shared"


def opens_shared(env: Any) -> bool:
    """Whether the class has resources that all episodes of a run share."""
    return callable(getattr(type(env), METHOD, None))


def not_open(env: Any) -> NoReturn:
    """Raise for `self.shared` of an instance that was given none."""
    if not opens_shared(env):
        raise NotOpenError(
            f"{name_of(env)} has no open_shared, so it has no self.shared.",
            "Write one, with @contextmanager or @asynccontextmanager, that yields what all episodes share.",
        )
    raise NotOpenError(
        f"self.shared of {name_of(env)} is not open: a run opens it after __init__ and build_dataset.",
        "By hand: `with env.open_shared() as env.shared:`, or `async with` where it is async.",
    )


def pass_on(env: Any, other: Any) -> None:
    """Give another instance what this one shares."""
    if opens_shared(env) and ATTRIBUTE in vars(env):
        other.shared = env.shared


def copy_of(env: Any) -> Any:
    """A deep copy of an instance of a plain class, which shares what its original shares."""
    if not (opens_shared(env) and ATTRIBUTE in vars(env)):
        return copy.deepcopy(env)
    return copy.deepcopy(env, {id(env.shared): env.shared})


def attributes_of_its_own(env: Any) -> dict[str, Any]:
    """The attributes of an instance without what it shares with others."""
    return {name: value for name, value in vars(env).items() if name != ATTRIBUTE or not opens_shared(env)}
