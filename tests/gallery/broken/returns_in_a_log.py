"""Books that may be returned in any order are compared with the list of the prompt as a log."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

BOOKS = ["Emma", "Dracula", "Ulysses", "Walden", "Candide", "Kim", "Lolita", "Persuasion"]


class ReturnDesk(ToolEnv):
    """The return desk of a library."""

    max_turns = 7
    in_order = True

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(12):
            books = [BOOKS[(number + step * 3) % 8] for step in range(3)]
            listed = ", ".join(books)
            text = f"Member {300 + number} brings back {listed}. Return these books, in any order, and print a receipt."
            rows.append({"prompt": text, "books": books})
        return rows

    def setup(self, row):
        self.returned, self.printed = [], False

    @tool
    def return_book(self, title: str) -> str:
        """Take a book back.

        Args:
            title: The title.
        """
        self.returned.append(title)
        return "Returned."

    @tool
    def print_receipt(self) -> str:
        """Print the receipt."""
        self.printed = True
        return "Printed."

    @reward
    def all_returned(self, books):
        same = self.returned == books if self.in_order else sorted(self.returned) == sorted(books)
        return self.printed and same

    def solve(self, row):
        for title in row["books"]:
            yield call_message("return_book", title=title)
        yield call_message("print_receipt")
        yield "All books are back."
