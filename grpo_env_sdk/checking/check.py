"""A check: a function from a subject to what it finds, with an id, a group and what it needs."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Literal, get_args

from grpo_env_sdk.checking.evidence.subject import Effort, Settings, Subject
from grpo_env_sdk.checking.findings.finding import Item, Severity
from grpo_env_sdk.errors import ContractError, GrpoEnvWarning, UsageError, did_you_mean
from grpo_env_sdk.types import Kind

EFFORTS: tuple[Effort, ...] = get_args(Effort)
Ready = Callable[[Settings], object]
Need = Literal["rows", "episodes", "tools", "gold", "solve"]

GROUPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "contract": (
        "C",
        (
            "contract.preconditions",
            "contract.config",
            "contract.dataset",
            "contract.processes",
            "contract.importing",
            "contract.waiver_faults",
        ),
    ),
    "score": ("S", ("score.values", "score.growth", "score.repeats", "score.parallel", "score.effects")),
    "episode": (
        "E",
        tuple(f"episode.{name}" for name in ("resets", "surroundings", "endings", "transcripts", "leaked_state")),
    ),
    "tools": ("T", ("tools.describing", "tools.answering", "tools.mattering", "tools.shortcuts")),
    "teaching": (
        "G",
        tuple(
            f"teaching.{name}"
            for name in (
                *("reaching", "idling", "guessing", "copying", "near_misses", "partial_credit", "parts"),
                *("needed_work", "redundant_calls", "answer_dependence"),
            )
        ),
    ),
    "forecast": ("F", ("forecast",)),
    "cost": ("K", ("cost.leftovers", "cost.times", "cost.memory")),
    "template": ("M", ()),
    "learn": ("L", ()),
}
"""Each group, the letter of its ids, and the modules that hold its checks; plugins may add to any."""
LEARN, TEMPLATE = "learn", "template"
"""The groups that run only when asked for: what trains takes minutes, and a template is that of a model."""


@dataclass(frozen=True)
class Check:
    """One check; call it with a subject to get what it finds."""

    id: str
    group: str
    title: str
    run: Callable[[Subject], Iterable[Item]]
    severity: Severity = "error"
    kinds: tuple[Kind, ...] = ()
    needs: tuple[Need, ...] = ("episodes",)
    effort: Effort = "quick"
    share: float = 1.0
    seconds: float = 0.0
    ready: Ready | None = None

    def __call__(self, subject: Subject) -> Iterable[Item]:
        """What it finds, one item after another."""
        return self.run(subject)


def check(
    id: str,
    *,
    severity: Severity = "error",
    kinds: tuple[Kind, ...] = (),
    needs: tuple[Need, ...] = ("episodes",),
    effort: Effort = "quick",
    share: float = 1.0,
    seconds: float = 0.0,
    ready: Ready | None = None,
) -> Callable[[Callable[[Subject], Iterable[Item]]], Check]:
    """Make a check of a generator function; its docstring is the title, its id says which group it is of.

    ```python
    @check("S201", severity="warning", kinds=("single-turn",), share=2)
    def score_takes_any_text(subject):
        \"\"\"Scoring never raises, whatever was answered.\"\"\"
        for row in subject.chosen:
            episode = subject.answer(row, "")
            if episode.error:
                yield Finding("An empty answer raises.", row=row, output=episode.error.message)
    ```

    `kinds` are the kinds of environment that it is for (all); `needs` what must be there: `rows`, `episodes` that can
    be scored without a model, `tools`, a `gold` answer, a `solve` method; `effort` the least at which it runs;
    `share` its part of the time; or `seconds` of its own, beyond the time that the others share; `ready` is called
    with the settings before anything runs, and raises a `UsageError` where they name what is not there.
    """
    group = next((name for name, (letter, _) in GROUPS.items() if letter == id[:1]), None)
    if group is None or not re.fullmatch(r"[A-Z]\d{3}", id):
        raise ContractError(f"{id!r} is no id of a check.", "Write a group's letter and three digits, such as S201.")

    def mark(function: Callable[[Subject], Iterable[Item]]) -> Check:
        title = (function.__doc__ or function.__name__).strip().split("\n")[0]
        return Check(id, group, title, function, severity, kinds, needs, effort, share, seconds, ready)

    return mark


@lru_cache(maxsize=1)
def all_checks() -> dict[str, Check]:
    """Every check by its id, those of plugins included, in the order in which they run."""
    found: dict[str, Check] = {}
    for _, names in GROUPS.values():
        for name in names:
            found |= {item.id: item for item in checks_in(_module(name))}
    for plugin, item in _from_plugins():
        if item.id in found:
            _warn(f"The plugin {plugin} brings a check {item.id}, which exists already.")
        else:
            found[item.id] = item
    order = list(GROUPS)
    return {item.id: item for item in sorted(found.values(), key=lambda item: (order.index(item.group), item.id))}


def checks_in(module: ModuleType) -> list[Check]:
    """The checks that stand in a module, in the order of their ids."""
    return sorted((value for value in vars(module).values() if isinstance(value, Check)), key=lambda item: item.id)


def selected(
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    effort: Effort = "default",
    learn: bool = False,
    template: bool = False,
) -> list[Check]:
    """The checks that ids (`S201`, `S2`, `S`) and groups (`score`) name, less those ignored, for an effort.

    A check that is named by its whole id runs at any effort; those that train and those of a model's chat template
    are named, or asked for by `learn` and `template`.
    """
    select, ignore = list(select), list(ignore)
    known = all_checks()
    for name in (*select, *ignore):
        if not any(names(name, item) for item in known.values()):
            hint = did_you_mean(name, [*known, *GROUPS])
            raise UsageError(f"No check or group named {name!r}.", hint or f"Groups are {', '.join(GROUPS)}.")
    level = EFFORTS.index(effort)
    asked = {LEARN: learn, TEMPLATE: template}

    def wanted(item: Check) -> bool:
        named = any(names(name, item) for name in select)
        if item.group in asked:
            return asked[item.group] or named
        return (named or not select) and (item.id in select or EFFORTS.index(item.effort) <= level)

    return [item for item in known.values() if wanted(item) and not any(names(name, item) for name in ignore)]


def names(name: str, item: Check) -> bool:
    """Whether an id, the beginning of one, or a group means this check."""
    return name == item.group or (bool(re.fullmatch(r"[A-Z]\d{0,3}", name)) and item.id.startswith(name))


def _module(name: str) -> Any:
    full = f"grpo_env_sdk.checking.{name}"
    return import_module(full) if find_spec(full) else ModuleType(full)


def _from_plugins() -> Iterable[tuple[str, Check]]:
    from grpo_env_sdk.registry.plugins import call_each_for_items

    return call_each_for_items("grpo_env_register_checks", Check)


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text, GrpoEnvWarning, stacklevel=2)
