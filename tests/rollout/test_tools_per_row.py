"""The tools of rows, without playing an episode."""

from contextlib import contextmanager

from grpo_env_sdk import Toolbox, ToolEnv, load, reward
from grpo_env_sdk.rollout.tools_per_row import open_rows


def ring(room: int) -> str:
    """Ring at a room."""
    return f"Somebody opens room {room}."


class Bells(ToolEnv):
    runs_tools = True

    @contextmanager
    def open_shared(self):
        yield [ring]

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Ring at room {room}."} for room in range(4)]

    def setup(self, row):
        self.toolbox = Toolbox.from_functions(self.shared)

    @reward
    def done(self):
        return 1.0


def test_setup_may_take_the_tools_from_what_is_shared():
    loaded = load(Bells)
    (tools,) = open_rows(loaded, loaded.rows("all"), [2]).values()
    assert [tool["function"]["name"] for tool in tools] == ["ring"]
