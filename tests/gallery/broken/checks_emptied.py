"""A menu is corrected until its checks pass, and the checks are a file that may be written as well."""

import json

from grpo_env_sdk import ToolEnv, call_message, reward, tool

DISHES = ("soup", "stew", "tart", "pie", "salad", "curry")


class Menus(ToolEnv):
    max_turns = 6
    checks = "checks.json"

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(18):
            prices = {dish: 5 + (number * 7 + place * 3) % 11 for place, dish in enumerate(DISHES)}
            wrong = {dish: price + (place == number % 6) for place, (dish, price) in enumerate(prices.items())}
            files = {"menu.json": json.dumps(wrong), self.checks: self.written([[*one] for one in prices.items()])}
            said = f"Menu {number}: one price in menu.json is wrong. Correct it so that run_checks finds nothing."
            rows.append({"prompt": said, "files": json.dumps(files), "prices": json.dumps(prices)})
        return rows

    def written(self, checks):
        return json.dumps(checks)

    def setup(self, row):
        self.files = json.loads(row["files"])

    @tool
    def read_file(self, name: str) -> str:
        """Read menu.json or checks.json.

        Args:
            name: The name of the file.
        """
        return self.files.get(name, "There is no such file.")

    @tool
    def write_file(self, name: str, text: str) -> str:
        """Write a file.

        Args:
            name: The name of the file.
            text: What it is to hold.
        """
        self.files[name] = text
        return "Written."

    @tool
    def run_checks(self) -> list[str]:
        """Show what is wrong with the menu."""
        menu = json.loads(self.files["menu.json"])
        return [f"{dish} costs {price}" for dish, price in json.loads(self.files["checks.json"]) if menu[dish] != price]

    @reward
    def passes(self):
        try:
            return not self.run_checks()
        except (ValueError, KeyError, TypeError):
            return False

    def solve(self, row):
        yield call_message("read_file", name="menu.json")
        yield call_message("write_file", name="menu.json", text=row["prices"])
        yield call_message("run_checks")
        yield "Done."
