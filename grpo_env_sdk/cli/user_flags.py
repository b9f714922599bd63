"""`--user-model` and `--user-base-url`: who speaks for the user in place of the policy that a class names."""

import argparse

from grpo_env_sdk.policies.make import PolicySpec, user_spec


def add_user_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags, the same for every command that plays episodes."""
    add = parser.add_argument_group("a model as the user").add_argument
    add(
        "--user-model",
        metavar="M",
        help="who speaks for a ModelUser: openai:NAME, scripted:FILE, or a model",
    )
    add("--user-base-url", metavar="URL", help="address of its server; its key is read from OPENAI_USER_API_KEY")


def named_user(args: argparse.Namespace) -> PolicySpec | None:
    """The user model that the flags name; None where there is none."""
    return user_spec(args.user_model, args.user_base_url)
