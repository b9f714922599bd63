"""A script as its author would write it, with every public name: `mypy --strict` accepts it, and it runs."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grpo_env_sdk import (
    CommandSpec,
    Environment,
    EnvSpec,
    Episode,
    Evaluation,
    GrpoEnvError,
    GrpoEnvWarning,
    Injected,
    Limits,
    Message,
    ModelUser,
    MultiTurnEnv,
    Policy,
    Row,
    Run,
    Sampling,
    SingleTurnEnv,
    Toolbox,
    ToolCall,
    ToolEnv,
    Turn,
    answer_tag,
    answer_text,
    call_message,
    check_env,
    evaluate,
    hookimpl,
    load,
    load_prompts,
    make,
    metric,
    open_run,
    register,
    reward,
    spec,
    specs,
    to_gymnasium,
    tool,
)
from grpo_env_sdk.policies import Request
from grpo_env_sdk.rewards import exact_match


class Countdown:
    """A plain class, without tools."""

    def build_dataset(self, tokenizer: Any) -> list[Row]:
        """The rows."""
        return [{"prompt": f"Count down from {start} to 1.", "start": start} for start in range(2, 12)]

    def score_episode(self, model: Any, tokenizer: Any, completion: str, start: int) -> float:
        """Whether every number is there."""
        return float(completion.split() == [str(n) for n in range(start, 0, -1)])

    def solve(self, row: Row) -> str:
        """The right answer."""
        return " ".join(str(n) for n in range(row["start"], 0, -1))


class Opener(SingleTurnEnv):
    """A client that all episodes share."""

    @reward
    async def known(self, completion: list[Message]) -> bool:
        """What the client says."""
        return bool(await self.shared.knows(answer_text(completion)))


class Session(ToolEnv):
    """Async methods; Gymnasium's own are plain."""

    async def setup(self, row: Row) -> None:
        """Begin."""
        self.session = await self.shared.begin()

    async def close(self) -> None:  # type: ignore[override]
        """End."""
        await self.shared.end(self.session)


class Calculator(Countdown):
    """The same with `get_tools`."""

    def get_tools(self) -> list[dict[str, Any]]:
        """One tool that nothing runs."""
        return [{"type": "function", "function": {"name": "count", "description": "Count."}}]


class Sums(SingleTurnEnv):
    """Rewards, one ready and one written here."""

    rewards = (exact_match("answer", weight=2),)

    def build_dataset(self, tokenizer: Any) -> Any:
        """Rows from data in memory."""
        return load_prompts([{"question": f"{n} + 1 = ?", "answer": str(n + 1)} for n in range(20)])

    @reward
    def short(self, completion: list[Message]) -> bool:
        """A short answer."""
        return len(answer_text(completion)) < 20

    @metric
    def characters(self, completion: list[Message]) -> int:
        """How long the answer is."""
        return len(answer_text(completion))


class Guess(MultiTurnEnv):
    """Several turns; its author names attributes as he likes."""

    max_turns = 5

    def __init__(self, largest: int = 15) -> None:
        self.largest = largest
        self.history: list[str] = []

    def build_dataset(self, tokenizer: Any) -> list[Row]:
        """The rows."""
        return [{"prompt": "Guess my number.", "secret": n} for n in range(1, self.largest + 1)]

    def setup(self, row: Row) -> None:
        """Begin."""
        self.turns = 0
        self.history = []

    def step(self, action: Message) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Higher or lower."""
        self.turns += 1
        guess, secret = int(answer_tag([action], "guess") or answer_text([action])), int(self.row["secret"])
        self.history.append(str(guess))
        if guess == secret:
            return "Right.", 1.0, True, False, {}
        return "Higher." if guess < secret else "Lower.", 0.0, False, False, {}

    def solve(self, row: Row) -> Iterator[str]:
        """One guess."""
        yield str(row["secret"])


class Phonebook(ToolEnv):
    """A tool, and an argument that the model never sees."""

    def build_dataset(self, tokenizer: Any) -> list[Row]:
        """The rows."""
        return [{"prompt": f"The number of person {n}?", "number": str(n)} for n in range(20)]

    @tool
    def look_up(self, row: Injected[Row]) -> str:
        """The number of the person."""
        return str(row["number"])

    @reward
    def right(self, completion: str, tool_calls: list[dict[str, Any]], number: str) -> float:
        """The number, looked up."""
        return float(number in answer_text(completion) and len(tool_calls) == 1)

    def solve(self, row: Row) -> Iterator[Message | str]:
        """One call, and the answer."""
        yield call_message("look_up")
        yield str(row["number"])


class Caller(Phonebook):
    """The same, for a caller whom a model speaks for."""

    user = ModelUser("echo", "You want the number {number}.")


class Counting:
    """A policy."""

    name = "counting"

    async def respond(self, request: Request) -> Turn:
        """Counts down, whatever it is asked."""
        return Turn({"role": "assistant", "content": "3 2 1"}, completion_tokens=3)


class Plugin:
    """What a plugin may bring."""

    @hookimpl
    def grpo_env_register_envs(self) -> list[EnvSpec]:
        """One environment."""
        return [EnvSpec("plugged-v1", "typed_script:Countdown")]

    @hookimpl
    def grpo_env_register_commands(self) -> list[CommandSpec]:
        """One command."""
        return [CommandSpec("count", "count down", "typed_script:main")]


def rows_of(env: Environment) -> int:
    """How many rows an environment of any kind has."""
    return len(load(env).rows("all"))


def best(episodes: list[Episode]) -> float:
    """The highest reward."""
    return max(episode.reward or 0.0 for episode in episodes)


def main(folder: Path) -> list[str]:
    """Use everything once."""
    said = [f"{rows_of(env)} rows" for env in (Countdown(), Calculator(), Sums(), Guess(), Phonebook(), Caller())]

    policy: Policy = Counting()
    found: Evaluation = evaluate(
        Countdown, policy, split="all", rows=3, samples=2, limits=Limits(turns=1), concurrency=2
    )
    said.append(f"{best(found.episodes)} at best, {found.summary['reward']['mean']:.2f} on average")
    for env in (Sums, Guess, Phonebook):
        gold = evaluate(
            env, "echo" if env is Sums else "gold", sampling=Sampling(temperature=0.5), out=folder / env.__name__
        )
        run: Run = open_run(folder / env.__name__)
        said.append(f"{len(gold.episodes)} of {len(list(run.episodes()))} episodes")

    registered = register("typed-guess-v1", Guess, largest=7)
    known: list[EnvSpec] = [spec("typed-guess-v1"), *specs()]
    made = make(registered.id, largest=3)
    assert registered in known
    assert isinstance(made, Guess)
    said.append(f"{made.largest} at most, turns {made.turns}")
    score: float | None = made.score_episode(None, None, "2", prompt="Guess my number.", secret=2)
    said.append(f"replayed: {score}")
    observation, _ = make(registered.id).reset(seed=1)
    said.append(str(observation))

    report = check_env(Countdown, effort="quick", select="C101", env_pool="thread")
    said.append(f"{report.verdict}, {len(report.findings)} findings")

    stepped = to_gymnasium(Countdown, limits=Limits(call_seconds=5.0))
    stepped.reset(options={"prompt": "Count down from 3 to 1.", "start": 3})
    _, value, terminated, truncated, info = stepped.step("3 2 1")
    said.append(f"{value} {terminated or truncated} {info['score']}")
    stepped.close()

    outcome = Toolbox([Plugin().grpo_env_register_commands]).run(ToolCall("1", "count", {}))
    said.append(str(outcome.error))
    try:
        make("no-such-env-v1")
    except GrpoEnvError as error:
        said.append(error.hint or GrpoEnvWarning.__name__)
    return said


if __name__ == "__main__":
    print("\n".join(main(Path(sys.argv[1]))))
