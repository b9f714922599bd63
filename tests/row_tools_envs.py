"""Environments in which each row has tools of its own."""

from grpo_env_sdk import MultiTurnEnv, Toolbox, ToolEnv, call_message, reward

DISHES = ("soup", "bread", "cake")


def schema(name, **types):
    """An OpenAI function schema whose parameters are all required."""
    properties = {key: {"type": type_, "description": f"The {key}."} for key, type_ in types.items()}
    parameters = {"type": "object", "properties": properties, "required": list(types)}
    return {"type": "function", "function": {"name": name, "description": f"To {name}.", "parameters": parameters}}


def tools_for(row):
    """One tool that only rows of this dish have, and one that all have."""
    return [schema(f"make_{row['dish']}", guests="integer"), schema("wait")]


def rows():
    """Twelve rows of three dishes."""
    return [{"prompt": f"{dish} for {n}.", "dish": dish, "guests": n} for dish in DISHES for n in range(2, 6)]


class Kitchen(ToolEnv):
    """Make what a guest wants: `call_tool` runs the tools that `get_tools` gives for the row."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return rows()

    def setup(self, row):
        self.made = []

    def get_tools(self, row):
        return tools_for(row)

    def call_tool(self, name, arguments):
        self.made.append((name, arguments.get("guests")))
        return "Done."

    @reward
    def right(self, dish, guests):
        return self.made == [(f"make_{dish}", guests)]

    def solve(self, row):
        return [call_message(f"make_{row['dish']}", guests=row["guests"]), "Here you are."]


class Connected(ToolEnv):
    """The same, with tools that are known only once an episode has begun."""

    max_turns = 4
    runs_tools = True
    build_dataset, right, solve = Kitchen.build_dataset, Kitchen.right, Kitchen.solve

    def setup(self, row):
        self.made = []
        self.toolbox = Toolbox.from_schemas(tools_for(row), call=self.answer)

    def answer(self, name, arguments):
        self.made.append((name, arguments.get("guests")))
        return "Done."


class PlainKitchen:
    """The same as a plain class; the calls are in the transcript."""

    def build_dataset(self, tokenizer):
        return rows()

    def get_tools(self, row):
        return tools_for(row)

    def call_tool(self, name, arguments):
        return "Done."

    def score_episode(self, model, tokenizer, completion, dish, guests, messages):
        called = [call["function"] for message in messages for call in message.get("tool_calls", ())]
        return float([(call["name"], call["arguments"]) for call in called] == [(f"make_{dish}", {"guests": guests})])

    def solve(self, row):
        return [call_message(f"make_{row['dish']}", guests=row["guests"]), "Here you are."]


class FirstCall(PlainKitchen):
    """One call, which ends the episode, and is what is scored."""

    call_tool = None


class Waiter(MultiTurnEnv):
    """An environment that answers each message itself, and offers each row other tools."""

    def build_dataset(self, tokenizer):
        return rows()

    def get_tools(self, row):
        return tools_for(row)

    def step(self, action):
        called = [call["function"] for call in action.get("tool_calls", ())]
        wanted = [{"name": f"make_{self.row['dish']}", "arguments": {"guests": self.row["guests"]}}]
        return "Next.", float(called == wanted), True, False, {}

    def solve(self, row):
        return [call_message(f"make_{row['dish']}", guests=row["guests"])]


KITCHENS = (Kitchen, Connected, PlainKitchen, FirstCall, Waiter)
