"""`grpo-env play`: play one episode at the keyboard, or watch its gold solution."""

import argparse
import asyncio
import json
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.cli import INTERRUPTED
from grpo_env_sdk.cli.output import print_json, say
from grpo_env_sdk.cli.parser import Parser, add_env_config, add_json, add_tokenizer
from grpo_env_sdk.cli.transcript import print_ending, print_message
from grpo_env_sdk.cli.user_flags import add_user_flags, named_user
from grpo_env_sdk.data.call_arguments import parse_arguments
from grpo_env_sdk.data.messages import assistant_message
from grpo_env_sdk.envs.config import read_config
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import UsageError, did_you_mean
from grpo_env_sdk.policies import Policy, Request, make_policy
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.rollout.driver import Rollout
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.rollout.in_threads import check_had_model, check_scorable, run_episode
from grpo_env_sdk.types import Message, Turn

EXAMPLE = "  grpo-env play hotel-v1 --gold --row 3"
_HELP = """\
Type an answer, or a call like: {example}
One line is one message. Ctrl-D quits."""
_FOR_A_PERSON = (
    "`play` is for a person; `grpo-env eval ENV -n 1 --model M` plays a model, and `grpo-env view` shows it."
)

_PAIR = re.compile(r"""([\w-]+)=("[^"]*"|\S+)""")


def configure(parser: Parser) -> None:
    """Add the flags."""
    parser.add_argument("env", metavar="ENV", help="an id, dist:id, or module:Class")
    parser.add_argument("--row", type=int, default=0, metavar="N", help="index of the row (default: 0)")
    parser.add_argument("--gold", action="store_true", help="watch the gold solution instead")
    add_env_config(parser)
    add_tokenizer(parser)
    add_user_flags(parser)
    add_json(parser)
    parser.elsewhere |= dict.fromkeys(("--model", "-m"), _FOR_A_PERSON)


def run(args: argparse.Namespace) -> int:
    """Play one episode and print its reward."""
    loaded = load(args.env, read_config(args.env_config), tokenizer=args.tokenizer, user=named_user(args))
    rows = loaded.rows()
    rows.row(args.row)  # raise now if there is no such row
    check_scorable(loaded)
    if args.gold and not loaded.traits.solvable:
        raise UsageError(
            f"{loaded.spec.id} has no solve(row), so there is no gold solution.", "Play it without --gold."
        )
    player: Any = make_policy("gold") if args.gold else KeyboardPolicy()
    printing = PrintingPolicy(player, pause=args.gold and sys.stdin.isatty()) if not args.json else player
    rollout = Rollout(printing, limits=Limits(policy_seconds=None))
    try:
        episode = asyncio.run(run_episode(loaded, rows, rollout, Job(args.row)))
    except _EndOfInput:
        if args.json:
            raise UsageError(
                "stdin ended before the episode did.", "Give a line for each message, or --gold."
            ) from None
        say("You left before the end, so there is no reward.", file=sys.stderr)
        return INTERRUPTED
    check_had_model(episode)
    if args.json:
        print_json(episode.as_json())
    else:
        for message in episode.messages[printing.printed :]:
            print_message(message)
        print_ending(episode)
    return 0 if episode.scored else 1


class PrintingPolicy:
    """Another policy, whose conversation is printed turn by turn."""

    def __init__(self, policy: Policy, pause: bool) -> None:
        self.name = policy.name
        self.printed = 0
        self._policy = policy
        self._pause = pause

    async def respond(self, request: Request) -> Turn:
        """Print the messages before this turn, then return the other policy's answer."""
        for message in request.transcript[self.printed :]:
            print_message(message)
        self.printed = len(request.transcript)
        if self._pause:
            typed("[Enter] ")
        return await self._policy.respond(request)


class _EndOfInput(KeyboardInterrupt):
    """No line is left on stdin, or somebody has pressed Ctrl-D."""


class KeyboardPolicy:
    """A person at the keyboard."""

    name = "person"

    async def respond(self, request: Request) -> Turn:
        """The next line from stdin, as text or as a tool call."""
        names = [tool["function"]["name"] for tool in request.tools]
        if request.turn == 0:
            say(
                _HELP.format(example=_example_call(request.tools[0]["function"]))
                if names
                else "Type an answer. Ctrl-D quits."
            )
        while True:
            try:
                line = typed("> ")
                message = typed_message(line, request.tools)
            except UsageError as exc:
                say(exc)
                continue
            if "tool_calls" not in message and (hint := did_you_mean(_first_word(line), names)):
                say(f"note: sent as text, as no tool is named {_first_word(line)!r}. {hint}")
            return Turn(message)


def typed(prompt: str) -> str:
    """A line from the keyboard; Ctrl-D and the first Ctrl-C both interrupt, which an event loop would only note."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return input(prompt)
    except (EOFError, KeyboardInterrupt) as exc:
        say()  # the prompt is still on its line
        raise (_EndOfInput if isinstance(exc, EOFError) else KeyboardInterrupt) from None
    finally:
        signal.signal(signal.SIGINT, before)


def typed_message(line: str, tools: Sequence[dict[str, Any]]) -> Message:
    """`search city=Lyon nights=2`, `search {"city": "Lyon"}` or `search Lyon` as a call, anything else as text.

    The last of them is for a tool that needs one argument.
    """
    functions = {tool["function"]["name"]: tool["function"] for tool in tools}
    name = _first_word(line)
    rest = line.strip().removeprefix(name).strip()
    looks_like_call = rest.startswith("{") or bool(re.match(r"[\w-]+=", rest))
    if name not in functions:
        if looks_like_call and functions:
            hint = did_you_mean(name, functions) or f"There are: {', '.join(functions)}."
            raise UsageError(f"No tool named {name!r}.", hint)
        return assistant_message(line)
    arguments: Any = parse_arguments(rest)
    if isinstance(arguments, str) and not rest.startswith("{"):
        arguments = _typed_arguments(rest, functions[name])
    return assistant_message({"tool_calls": [{"function": {"name": name, "arguments": arguments}}]})


def _first_word(line: str) -> str:
    return next(iter(line.split()), "")


def _typed_arguments(rest: str, function: Mapping[str, Any]) -> dict[str, Any]:
    """What follows the name of a tool: pairs such as `city=Lyon`, or the value of the only argument that it needs."""
    parameters = function.get("parameters", {})
    properties, needed = parameters.get("properties", {}), parameters.get("required", [])
    pairs = _PAIR.findall(rest)
    only = needed if len(needed) == 1 or len(properties) != 1 else list(properties)
    if not pairs and len(only) == 1:
        return {only[0]: _value(rest, properties.get(only[0], {}))}
    if left := _PAIR.sub("", rest).strip():
        in_pairs = _PAIR.match(rest) is not None
        hint = f'Quote a value with spaces: {pairs[-1][0]}="a b".' if in_pairs else f"Write: {_example_call(function)}"
        raise UsageError(f"{left!r} belongs to no argument.", hint)
    return {key: _value(text, properties.get(key, {})) for key, text in pairs}


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """A typed value as JSON, or as text if the schema says so or it is not JSON."""
    if schema.get("type") == "string":
        return text.strip('"')
    try:
        return json.loads(text)
    except ValueError:
        return text


def _example_call(function: Mapping[str, Any]) -> str:
    names = list(function.get("parameters", {}).get("properties", {}))
    return " ".join([function["name"], *(f"{name}=..." for name in names)])
