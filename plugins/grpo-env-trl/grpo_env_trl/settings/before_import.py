"""What is wrong with settings that can be seen before TRL is imported, which takes seconds."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import Any

from grpo_env_sdk import specs
from grpo_env_sdk.ext import UsageError, did_you_mean
from grpo_env_trl.settings.field_names import field_names, flag_of, plain_kinds
from grpo_env_trl.settings.fields import Field
from grpo_env_trl.settings.flags import COMMON, own_actions, train_parser
from grpo_env_trl.settings.other_names import ALIASES, refuse_removed
from grpo_env_trl.settings.values import SWITCH_WORDS, value_of


def refuse_misspelt(names: Sequence[str]) -> None:
    """Raise for a flag that neither we nor TRL have."""
    theirs = field_names()
    known = {*own_actions(), *ALIASES, *theirs}
    for name in names if theirs else ():
        if name.removeprefix("no_") not in known:
            refuse_removed(name, flag_of(name), theirs)
            flag = flag_of(name)
            hint = train_parser(all_fields=False).other_name_of(flag) or did_you_mean(flag, map(flag_of, known))
            raise UsageError(
                f"`grpo-env train` takes no {flag!r}.",
                f"{hint} `grpo-env train --help-all` lists all.".strip(),
            )


def refuse_values(words: Sequence[str]) -> None:
    """Raise for a value that is none of its flag: of ours, or of TRL's where that is a number.

    Args:
        words: A command line whose switches have their values.
    """
    train_parser(all_fields=False).parse_known_intermixed_args(list(words))
    for name, written, where in _values_in(words):
        refuse_value(name, written, where)


def refuse_value(name: str, written: Any, where: str) -> None:
    """Raise for a value that a field of TRL's cannot have, where the source of TRL says so."""
    setting = ALIASES.get(name, name)
    kinds = plain_kinds(setting)
    if setting not in own_actions() and kinds and str(written).lower() not in ("true", "false"):  # a few take these too
        value_of(Field(setting, "grpo", kinds, (), None, ""), written, where)


def refuse_words_after_switches(words: Sequence[str]) -> None:
    """Raise for a word after a switch that is neither true nor false, nor like the name of an environment."""
    for flag, word in pairwise(words):
        name = _name_of(flag)
        is_switch = flag.startswith("--") and _is_switch(name)
        plain = word.lower() not in SWITCH_WORDS and re.fullmatch(r"(?!.*-v\d+$)\w[\w-]*", word)  # no flag, path or id
        if is_switch and plain and not did_you_mean(word, (item.id for item in specs())):
            raise UsageError(f"{flag_of(name)} takes true or false, got {word!r}.", "Alone it means true.")


def common_switches() -> dict[str, tuple[str, ...]]:
    """The flags of `--help` that alone mean true."""
    flags = {name: metavar for group in COMMON.values() for name, (metavar, _) in group.items()}
    return {flag_of(name): () for name, metavar in flags.items() if metavar == "[true|false]"}


def _values_in(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The flags and `--set` fields with one value: the name, the value, and how it was written."""
    for word, following in zip_longest(words, words[1:], fillvalue="--"):
        flag, equals, value = word.partition("=")
        name = _name_of(flag)
        value = value if equals else following
        if not flag.startswith("--") or value.startswith("--"):
            continue
        if name == "set":
            key, given, value = value.partition("=")
            if given:
                yield key.strip().replace("-", "_"), value, f"--set {key}"
        elif equals or not _is_switch(name):  # `--bf16 hotel-v1` names an environment
            yield name, value, flag_of(name)


def _name_of(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _is_switch(name: str) -> bool:
    """Whether a flag alone means true."""
    return bool in plain_kinds(ALIASES.get(name, name))
