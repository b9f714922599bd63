"""Phone numbers; whoever is not in the book makes the tool fail, and the answer is then "unlisted"."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

BOOK = {f"Person{n}": str(4000 + 37 * n) for n in range(40) if n % 4}


class PhoneBook(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"The number of Person{n}? The number, or unlisted.", "name": f"Person{n}"} for n in range(40)
        ]

    @tool
    def look_up(self, name: str) -> str:
        """The number of a person.

        Args:
            name: As it stands in the book, such as Person7.
        """
        if name not in BOOK:
            raise LookupError(f"nobody is called {name}")
        return BOOK[name]

    @reward
    def right(self, messages, tool_calls, name):
        looked = any(call["name"] == "look_up" and call["arguments"] == {"name": name} for call in tool_calls)
        return looked and messages[-1]["content"].strip() == BOOK.get(name, "unlisted")

    def solve(self, row):
        answered = yield call_message("look_up", name=row["name"])
        said = answered[-1]["content"]
        yield said if said.isdigit() else "unlisted"
