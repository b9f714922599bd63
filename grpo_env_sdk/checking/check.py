"""A check: a function from a subject to its findings, with an id, a group and what it needs."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from grpo_env_sdk.checking.evidence.playing.settings import Effort, Settings
from grpo_env_sdk.checking.findings.finding import Item, Severity
from grpo_env_sdk.errors import ContractError, GrpoEnvWarning, UsageError, did_you_mean
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.rollout.event_types import fits
from grpo_env_sdk.types import Kind

EFFORTS: tuple[Effort, ...] = get_args(Effort)
Ready = Callable[[Settings], object]
Ahead = Callable[[Any], object]
Need = Literal["rows", "episodes", "tools", "calls", "gold", "acts", "solve"]
"""`tools` are schemas that a model sees; `calls` are tools that run, in the SDK's loop or in a `step` of the author;
`acts` are gold, or the best episodes found where there is none."""

GROUPS = {
    "contract": "C", "score": "S", "episode": "E", "tools": "T", "teaching": "G", "forecast": "F", "cost": "K",
    "template": "M", "learn": "L",
}  # fmt: skip
"""Each group, and the letter of its ids. Its checks are in the folder of its name, and in plugins."""
OF_PLUGINS = "Ids from 900 to 999 are for plugins, such as S901: the SDK has none of these."
_FEW = 40
"""Of how many checks their modules are found by their text, and imported alone."""
LEARN, TEMPLATE = "learn", "template"
"""The groups that run only on request: training takes minutes, and a template belongs to a model."""


@dataclass(frozen=True)
class Check:
    """One check; call it with a subject to get its findings."""

    id: str
    group: str
    title: str
    run: Callable[[Any], Iterable[Item]]
    severity: Severity = "error"
    kinds: tuple[Kind, ...] = ()
    needs: tuple[Need, ...] = ("episodes",)
    effort: Effort = "quick"
    share: float = 1.0
    seconds: float = 0.0
    plays: int = 0
    ready: Ready | None = None
    of: Literal["subject", "report"] = "subject"
    ahead: Ahead | None = None
    plugin: str = ""
    """Which plugin it is from; empty for those of the SDK."""

    def __post_init__(self) -> None:
        for name, (hint, usual) in _fields().items():
            value = getattr(self, name)
            if value is usual:
                continue
            if not fits(value, hint) or (hint in (int, float) and not _is_amount(value, above_0=name == "share")):
                raise ContractError(f"The check {self.id} has {name}={short_repr(value)}.", _what_fits(hint))

    def __call__(self, subject: Any) -> Iterable[Item]:
        """The findings, one item after another."""
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
    plays: int = 0,
    ready: Ready | None = None,
    of: Literal["subject", "report"] = "subject",
    ahead: Ahead | None = None,
) -> Callable[[Callable[[Any], Iterable[Item]]], Check]:
    """Turn a generator function into a check; its docstring is the title, its id says which group it belongs to.

    ```python
    @check("S901", severity="warning", kinds=("single-turn",), share=2)
    def score_takes_any_text(subject):
        \"\"\"Scoring never raises, whatever was answered.\"\"\"
        for row in subject.chosen:
            episode = subject.answer(row, "")
            if episode.error:
                yield Finding("An empty answer raises.", row=row, output=episode.error.message)
    ```

    Args:
        kinds: The kinds of environment that it is for; all by default.
        needs: What must exist: `rows`, `episodes` scored without a model, `tools`, a `gold` answer, `acts`
            of gold or of the best episodes found, `solve`.
        effort: The lowest effort at which it runs.
        share: Its weight when the time is divided among the checks.
        seconds: Time of its own instead of a share, on a machine that is not busy; such checks run last.
        plays: How many episodes it needs to say anything; it gets the time for them, where they take long.
        ready: Called with the settings before anything runs; raises a `UsageError` if they name something missing.
        of: What the check is called with: the subject, or the finished report.
        ahead: Called with the subject before most other checks; it starts a process whose answer the check takes last.
    """
    group = next((name for name, letter in GROUPS.items() if letter == id[:1]), None)
    if group is None or not re.fullmatch(r"[A-Z]\d{3}", id):
        raise ContractError(
            f"{id!r} is not a valid check id.", f"Write the letter of a group and three digits. {OF_PLUGINS}"
        )

    def mark(function: Callable[[Any], Iterable[Item]]) -> Check:
        title = (function.__doc__ or function.__name__).strip().split("\n")[0]
        return Check(
            id, group, title, function, severity, kinds, needs, effort, share, seconds, plays, ready, of, ahead
        )

    return mark


@cache
def _fields() -> dict[str, tuple[Any, Any]]:
    """The fields of a check, each with its type and its default."""
    usual = {field.name: field.default for field in fields(Check)}
    return {name: (hint, usual[name]) for name, hint in get_type_hints(Check).items()}


def _is_amount(value: float, above_0: bool) -> bool:
    return 0 <= value < math.inf and not (above_0 and value == 0)


def _what_fits(hint: Any) -> str:
    """What a field of a check takes, for people."""
    several = get_origin(hint) is tuple
    choices = get_args(get_args(hint)[0] if several else hint)
    if choices and all(isinstance(one, str) for one in choices):
        return f"Give {'a tuple of these' if several else 'one of these'}: {', '.join(choices)}."
    return "Give a number from 0 on, and a share above 0." if hint in (int, float) else "Give a function."


@lru_cache(maxsize=1)
def all_checks() -> dict[str, Check]:
    """Every check by its id, including those of plugins, in the order in which they run."""
    found: dict[str, Check] = {}
    for module in (module for group in GROUPS for module in _modules(group)):
        found |= {item.id: item for item in checks_in(module)}
    for plugin, item in _from_plugins():
        if item.id in found:
            owner = found[item.id].plugin
            more = f" by the plugin {owner}." if owner else f". {OF_PLUGINS}"
            _warn(f"The plugin {plugin} adds a check {item.id}, but that id is taken{more}")
        else:
            found[item.id] = replace(item, plugin=plugin)
    order = list(GROUPS)
    return {item.id: item for item in sorted(found.values(), key=lambda item: (order.index(item.group), item.id))}


def checks_of(ids: Sequence[str]) -> list[Check]:
    """The checks with these ids; of few only the modules that define them are imported, which takes half the time."""
    if len(ids) <= _FEW:
        found = {item.id: item for module in _modules_with(set(ids)) for item in checks_in(module)}
        if found.keys() >= set(ids):
            return [found[id] for id in ids]
    return [all_checks()[id] for id in ids]


def _modules_with(ids: set[str]) -> Iterator[ModuleType]:
    """The modules of groups whose text defines one of the checks."""
    for group, letter in GROUPS.items():
        folder = Path(__file__).parent / group
        for file in sorted(folder.rglob("*.py")) if any(id.startswith(letter) for id in ids) else ():
            if ids.intersection(re.findall(r'^@check\(\s*"(\w+)"', file.read_text(encoding="utf-8"), re.MULTILINE)):
                inside = file.relative_to(folder).with_suffix("").parts
                yield import_module(".".join(["grpo_env_sdk.checking", group, *inside]))


def checks_in(module: ModuleType) -> list[Check]:
    """The checks in a module, sorted by id."""
    return sorted((value for value in vars(module).values() if isinstance(value, Check)), key=lambda item: item.id)


def selected(
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    effort: Effort = "default",
    learn: bool = False,
    template: bool = False,
) -> list[Check]:
    """The checks of an effort that ids (`S201`, `S2`, `S`) and groups (`score`) select, without ignored ones.

    A check that is selected by its whole id runs at any effort. Checks that train, and those of a chat template, run
    only if selected, or with `learn` and `template`.
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

    left = [item for item in known.values() if wanted(item) and not any(names(name, item) for name in ignore)]
    if not left:
        raise UsageError("--select and --ignore leave no check.", "`grpo-env test --help` shows what they take.")
    return left


def names(name: str, item: Check) -> bool:
    """Whether an id, the start of an id, or a group includes this check."""
    return name == item.group or (bool(re.fullmatch(r"[A-Z]\d{0,3}", name)) and item.id.startswith(name))


def _modules(group: str) -> Iterator[ModuleType]:
    """Every module in the folder of a group, or the one of its name; none for groups of plugins alone."""
    name = f"grpo_env_sdk.checking.{group}"
    if not find_spec(name):
        return
    yield (module := import_module(name))
    for found in walk_packages(getattr(module, "__path__", ()), f"{name}."):
        yield import_module(found.name)


def _from_plugins() -> Iterable[tuple[str, Check]]:
    from grpo_env_sdk.registry.plugins import call_each_for_items

    return call_each_for_items("grpo_env_register_checks", Check)


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text, GrpoEnvWarning, stacklevel=2)
