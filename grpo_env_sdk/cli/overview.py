"""The output of `grpo-env --help` and `--version`."""

from collections.abc import Mapping

import grpo_env_sdk
from grpo_env_sdk.cli.output import print_json, say
from grpo_env_sdk.cli.plugin_commands import offered_commands
from grpo_env_sdk.registry.entry_points import offers


def print_overview(commands: Mapping[str, str]) -> None:
    """Print every command with its description, also those of plugins."""
    everything = dict(commands)
    for _, spec in offered_commands(commands):
        everything.setdefault(spec.name, " ".join(spec.help.split()))
    width = max(map(len, everything))
    say("usage: grpo-env COMMAND ...\n\nReinforcement-learning environments for language models.\n\ncommands:")
    for name, description in everything.items():
        say(f"  {name.ljust(width)}  {description}")
    say("\n`grpo-env COMMAND --help` shows flags and an example; `grpo-env --version` shows versions.")


def print_versions(as_json: bool = False) -> None:
    """Print the versions of the core and of every distribution with environments or plugins."""
    versions = {offer.distribution: offer.version for offer in offers()}
    found = {"grpo-env-sdk": grpo_env_sdk.__version__, **dict(sorted(versions.items()))}
    if as_json:
        print_json(found)
        return
    for name, version in found.items():
        say(f"{name} {version}")
