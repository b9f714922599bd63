"""Small real environments on which the bridges are tried."""

from grpo_env_sdk import ModelUser, MultiTurnEnv, SingleTurnEnv, ToolEnv, Turn, metric, reward, tool

SCHEMA = {
    "type": "function",
    "function": {
        "name": "look-up",
        "description": 'Find a person\'s number; "quoted" & <marked> as it stands.',
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": ["Ada", "Bob"]},
                "how": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": None},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    },
}
"""A schema that no Python signature could be turned into, its name included."""


def rows(count, **columns):
    """Rows of distinct prompts, with these columns in each."""
    return [{"prompt": f"Task {place}: say yes.", "place": place, **columns} for place in range(count)]


class Letters:
    """A plain class of one turn that keeps state: scored one at a time, in order."""

    def __init__(self):
        self.scored = []

    def build_dataset(self, tokenizer):
        return rows(40)

    def score_episode(self, model, tokenizer, completion, place):
        self.scored.append(place)
        return (len(completion) % 10) / 10


class Harder:
    """A plain class that asks for more the longer it goes."""

    def __init__(self):
        self.asked = 0

    def build_dataset(self, tokenizer):
        return rows(40)

    def score_episode(self, model, tokenizer, completion):
        self.asked += 1
        return ((len(completion) + self.asked) % 10) / 10


class CountsAsked(Harder):
    """The same, which says itself what is to be kept."""

    def state_dict(self):
        return {"asked": self.asked}

    def load_state_dict(self, state):
        self.asked = state["asked"]


class CountsInParallel(CountsAsked):
    """The same in each of several workers."""

    parallel = True


class Parts(SingleTurnEnv):
    """Three weighted parts, one of them a penalty, one that abstains at times, and one named `score`."""

    def build_dataset(self, tokenizer):
        return rows(40)

    @reward(weight=3)
    def score(self, completion):
        return (len(completion) % 7) / 7

    @reward(weight=1)
    def often(self, completion, place):
        return None if place % 3 == 0 else (len(completion) % 3) / 3

    @reward(weight=-0.5)
    def rambling(self, completion):
        return (len(completion) % 2) / 2

    @metric
    def length(self, completion):
        return len(completion)


class Errands(ToolEnv):
    """Tools that answer, fail or are many; a row says where its episode fails."""

    max_turns = 5

    def __init__(self, fails=("",)):
        self.fails = fails

    def build_dataset(self, tokenizer):
        return [{**row, "fails": self.fails[row["place"] % len(self.fails)]} for row in rows(40)]

    def setup(self, row):
        if row["fails"] == "reset":
            raise OSError("no office today")

    @tool
    def add(self, x: int, y: int) -> int:
        """Add two numbers.

        Args:
            x: One.
            y: The other.
        """
        if self.row["fails"] == "tool":
            raise LookupError("the abacus is gone")
        if self.row["fails"] == "memory":
            raise MemoryError("no room for the sum")
        return x + y

    @tool
    def note(self, text: str) -> str:
        """Write something down.

        Args:
            text: What to write.
        """
        return f"noted: {text}"

    @reward(weight=3)
    def short(self, messages):
        if self.row["fails"] == "score":
            raise ZeroDivisionError("nothing to divide by")
        return 1.0 / len(messages)

    @reward
    def called(self, tool_calls):
        return float(any(call["error"] is None for call in tool_calls))

    @metric
    def notes(self, tool_calls):
        return sum(call["name"] == "note" for call in tool_calls)


class Served(Errands):
    """A user answers every message without a call, and leaves after the third."""

    def user(self, messages):
        return None if self.turns > 2 else f"I have read {len(messages)} messages. And now?"


class Customer:
    """A user model in this process."""

    name = "customer"

    async def respond(self, request):
        said = f"Answer {request.turn} to row {request.row_index}."
        return Turn({"role": "assistant", "content": said + " ###STOP###" * (request.turn > 1)})


class ServedByModel(Errands):
    """A model speaks for the user."""

    user = ModelUser(Customer(), "You are in a hurry.")


class Talk(MultiTurnEnv):
    """Answers calls as tools do and text as a user does; ends when it hears `bye`."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return rows(40)

    def get_tools(self):
        return [SCHEMA]

    def step(self, action):
        heard = action["content"]
        calls = action.get("tool_calls", [])
        said = [{"role": "tool", "name": call["function"]["name"], "content": "42"} for call in calls]
        info = {"metrics": {"calls": float(len(calls))}}
        return said or f"You said {len(heard)} letters. More?", 0.25, "bye" in heard, False, info


class Chat(Talk):
    """The same for models that know of no tools."""

    def get_tools(self):
        return []
