"""Lend books from a library; where no copy is left, nobody has to have looked."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

TITLES = ("Emma", "Dune", "Ulysses", "Beloved", "Walden", "Middlemarch")
NONE_LEFT = "No copy is left."


class Library(ToolEnv):
    """Look the book up, then lend the copy that is there; if there is none, say so."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Ask for '{title}' on {day} May. Lend it, and answer 'Lent COPY.' or '{NONE_LEFT}'",
                "title": title,
                "copy": None if (place + day) % 4 == 0 else f"C{100 + 37 * place + day}",
            }
            for place, title in enumerate(TITLES)
            for day in range(1, 9)
        ]

    def setup(self, row):
        self.lent = []

    @tool
    def look_up(self, title: str) -> dict:
        """Which copy of a book is on the shelf.

        Args:
            title: The title of the book.
        """
        return {"title": title, "copy": self.row["copy"] if title == self.row["title"] else None}

    @tool
    def lend(self, copy: str) -> dict:
        """Lend a copy.

        Args:
            copy: Its number, such as C104.
        """
        self.lent.append(copy)
        return {"lent": copy}

    @reward
    def right(self, messages, copy):
        said = messages[-1]["content"]
        if copy is None:
            return not self.lent and said == NONE_LEFT
        return self.lent == [copy] and said == f"Lent {copy}."

    def solve(self, row):
        yield call_message("look_up", title=row["title"])
        if row["copy"] is None:
            yield NONE_LEFT
        else:
            yield call_message("lend", copy=row["copy"])
            yield f"Lent {row['copy']}."
