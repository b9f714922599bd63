"""Gold looks the code of a shelf up; whoever tries another code is told the right one."""

import json

from grpo_env_sdk import ToolEnv, call_message, reward, tool

THINGS = ("ladder", "drill", "saw", "hammer", "rope", "bucket", "lamp", "glue", "nails", "brush", "tape", "gloves")


class Shelves(ToolEnv):
    max_turns = 5

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Take the {thing} out of its locker.", "thing": thing, "code": f"LK-{3001 + 727 * n % 6000}"}
            for n, thing in enumerate(THINGS)
        ]

    def setup(self, row):
        self.taken = False

    @tool
    def find_locker(self, thing: str) -> dict[str, str]:
        """The code of the locker of a thing.

        Args:
            thing: What is in it.
        """
        return {"code": self.row["code"] if thing == self.row["thing"] else "none"}

    @tool
    def unlock(self, code: str) -> dict[str, str]:
        """Unlock a locker and take out what is in it.

        Args:
            code: Its code.
        """
        if code != self.row["code"]:
            return {"error": f"code {code} given, code {self.row['code']} needed"}
        self.taken = True
        return {"state": "open"}

    @reward
    def right(self):
        return self.taken

    def solve(self, row):
        found = yield call_message("find_locker", thing=row["thing"])
        yield call_message("unlock", code=json.loads(found[-1]["content"])["code"])
        yield "Here it is."
