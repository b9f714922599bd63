"""Tools that belong to a row: seen by the policy, run, recorded, and refused where they are not sound."""

import pytest

from grpo_env_sdk import MultiTurnEnv, Toolbox, ToolEnv, Turn, call_message, evaluate, load, reward, to_gymnasium
from grpo_env_sdk.envs.protocol import check_contract
from grpo_env_sdk.envs.traits import traits_of
from grpo_env_sdk.errors import ContractError, EnvironmentFailedError
from grpo_env_sdk.ext import tools_of_rows
from grpo_env_sdk.views import keep_last_turns
from tests.row_tools_envs import KITCHENS, Connected, FirstCall, Kitchen, PlainKitchen, Waiter, rows, schema, tools_for


class Watching:
    """Says nothing, and notes the tools of each row that it is asked about."""

    name = "watching"

    def __init__(self):
        self.shown = {}

    async def respond(self, request):
        self.shown.setdefault(request.row_index, []).append(list(request.tools))
        return Turn({"role": "assistant", "content": "No."})


def failed(env, index=0):
    """The error of the episode of one row."""
    episode = next(one for one in evaluate(env, "random", split="all").episodes if one.row_index == index)
    assert episode.stop_reason == "env_error"
    return episode.error


@pytest.mark.parametrize("env", KITCHENS)
def test_a_policy_reads_the_tools_of_its_row_and_the_record_keeps_them(env):
    watching = Watching()
    episodes = evaluate(env, watching, split="all").episodes
    assert watching.shown == {index: [tools_for(row)] for index, row in enumerate(rows())}
    assert all(episode.tools == tools_for(episode.row) for episode in episodes)
    assert load(env).tools == []


@pytest.mark.parametrize("env", KITCHENS)
@pytest.mark.parametrize("concurrency", [1, 64])
def test_gold_is_at_the_top_and_random_is_below(env, concurrency):
    assert evaluate(env, "gold", split="all", concurrency=concurrency).summary["reward"]["mean"] == 1.0
    assert evaluate(env, "random", split="all", concurrency=concurrency).summary["reward"]["mean"] < 1.0


@pytest.mark.parametrize("env", KITCHENS)
def test_transcripts_do_not_depend_on_the_concurrency(env):
    one, many = (
        sorted((episode.row_index, str(episode.messages)) for episode in found.episodes)
        for found in (evaluate(env, "random", split="all", concurrency=at_once) for at_once in (1, 64))
    )
    assert one == many


@pytest.mark.parametrize("env", [Kitchen, Connected, PlainKitchen])
def test_the_tool_of_another_row_is_unknown(env):
    class Wrong(Watching):
        async def respond(self, request):
            return Turn(call_message("make_cake", guests=2) if request.turn == 0 else {"content": ""})

    episode = next(one for one in evaluate(env, Wrong(), split="all").episodes if one.row["dish"] == "soup")
    assert episode.tool_calls[0]["error"] == "unknown_tool"
    assert "make_soup" in episode.tool_calls[0]["content"]


@pytest.mark.parametrize("env", [Kitchen, Connected, Waiter])
def test_a_view_goes_with_tools_of_rows(env):
    seen = type("Seen", (env,), {"view": keep_last_turns(1)})
    assert traits_of(seen()).has_view
    assert [one.reward for one in evaluate(seen, "gold", split="all", rows=3).episodes] == [1.0] * 3


def test_the_kind_is_known_before_any_row():
    assert [traits_of(env()).kind for env in KITCHENS] == ["tools", "tools", "tools", "single-turn", "multi-turn"]
    assert all(traits_of(env()).tools_of_rows for env in KITCHENS)
    assert not traits_of(load("hotel-v1").env).tools_of_rows


def test_one_instance_has_the_tools_of_each_row_in_turn():
    for env in (Kitchen(), Connected(), Waiter()):
        for row in (rows()[0], rows()[-1], rows()[0]):
            _, info = env.reset(options=row)
            assert info["tools"] == tools_for(row)


def test_a_step_by_hand_runs_the_tools_of_the_row():
    env, row = Connected(), rows()[5]
    env.reset(options=row)
    observation, *_ = env.step(call_message("make_bread", guests=row["guests"]))
    assert observation[0]["content"] == "Done."
    assert env.step("Here you are.")[1] == 1.0


def test_a_plain_class_behind_gymnasium_has_the_tools_of_the_episode():
    env = to_gymnasium(PlainKitchen)
    for row in (rows()[0], rows()[-1]):
        _, info = env.reset(options=row)
        assert info["tools"] == env.get_tools() == tools_for(row)
    env.close()


def test_marked_methods_and_schemas_of_the_row_go_together():
    from grpo_env_sdk import tool

    class Both(Kitchen):
        @tool
        def taste(self) -> str:
            """Taste it."""
            return "Good."

        def get_tools(self, row):
            return [*super(Kitchen, self).get_tools(), *tools_for(row)]

    env = Both()
    _, info = env.reset(options=rows()[0])
    assert [one["function"]["name"] for one in info["tools"]] == ["taste", "make_soup", "wait"]
    assert env.step(call_message("taste"))[0][0]["content"] == "Good."


def test_a_row_may_have_no_tools_at_all():
    class Closed(Kitchen):
        def get_tools(self, row):
            return [] if row["guests"] == 2 else tools_for(row)

    found = evaluate(Closed, "random", split="all")
    assert found.summary["errors"] == {}
    assert [episode.tools for episode in found.episodes if episode.row["guests"] == 2] == [[], [], []]


def test_a_method_runs_the_tool_of_its_name_where_the_class_says_that_calls_run():
    class Named(Kitchen):
        runs_tools = True
        call_tool = None

        def make_soup(self, guests):
            self.made.append(("make_soup", guests))
            return "Done."

    assert traits_of(Named()).runs_tools == "methods"
    found = evaluate(Named, "gold", split="all")
    assert {e.row["dish"]: e.reward for e in found.episodes} == {"soup": 1.0, "bread": 0.0, "cake": 0.0}


def test_tools_of_a_row_that_are_not_sound_fail_its_episode_and_name_the_row():
    class Invalid(Kitchen):
        def get_tools(self, row):
            return [schema("make", guests="number of people")] if row["case_idx"] == 3 else tools_for(row)

    class Twice(Kitchen):
        def get_tools(self, row):
            return tools_for(row) * (1 + (row["case_idx"] == 3))

    class Text(Kitchen):
        def get_tools(self, row):
            return "make" if row["case_idx"] == 3 else tools_for(row)

    class Raises(Kitchen):
        def get_tools(self, row):
            return tools_for({} if row["case_idx"] == 3 else row)

    assert "(row 3) tool 'make' $.function.parameters.properties.guests.type" in failed(Invalid, 3).message
    assert "(row 3) tool 'make_soup' $.function.name: also the name of tool 0" in failed(Twice, 3).message
    assert "get_tools returned str (row 3)" in failed(Text, 3).message
    assert (failed(Raises, 3).type, failed(Raises, 3).stage) == ("KeyError", "reset")
    assert "row_tools_envs.py" in failed(Raises, 3).traceback
    assert sum(episode.error is not None for episode in evaluate(Invalid, "gold", split="all").episodes) == 1


def test_what_the_class_forgot_to_say_is_named():
    class Silent(ToolEnv):
        build_dataset = Kitchen.build_dataset

        def get_tools(self, row):
            return [schema("cook")]

        def cook(self):
            return "Done."

        @reward
        def right(self):
            return True

    class Unset(Silent):
        runs_tools = True
        get_tools = ToolEnv.get_tools

    class Undeclared(Unset):
        runs_tools = None

        def setup(self, row):
            self.toolbox = Toolbox.from_functions([self.cook])

    class Odd(Unset):
        def setup(self, row):
            self.toolbox = [self.cook]

    class Wordy(Silent):
        runs_tools = "yes"

    assert "runs_tools = True" in failed(Silent).message
    assert "gave it no tools" in failed(Unset).message
    assert "runs_tools = True" in failed(Undeclared).message
    assert "list as self.toolbox" in failed(Odd).message
    with pytest.raises(ContractError, match="runs_tools is 'yes'"):
        load(Wordy)


def test_calls_end_the_episode_where_the_class_says_so():
    class Named(FirstCall):
        runs_tools = False

        def make_soup(self, guests):
            raise AssertionError

    assert evaluate(Named, "gold", split="all").summary["reward"]["mean"] == 1.0


def test_get_tools_may_need_only_the_row():
    class Needs(Kitchen):
        def get_tools(self, question):
            return []

    with pytest.raises(ContractError, match=r"get_tools needs 'question'.*get_tools\(self, row\)"):
        check_contract(Needs)


def test_a_multi_turn_environment_may_set_its_toolbox_too():
    class Own(MultiTurnEnv):
        runs_tools = True
        build_dataset = Kitchen.build_dataset

        def setup(self, row):
            self.toolbox = Toolbox.from_schemas(tools_for(row), call=lambda name, arguments: "Done.")

        def step(self, action):
            return "Next.", 1.0, True, False, {}

    watching = Watching()
    evaluate(Own, watching, split="all")
    assert watching.shown[11] == [tools_for(rows()[11])]


def test_the_tools_of_rows_are_known_without_an_episode():
    loaded = load(Connected)
    found = dict(tools_of_rows(loaded, loaded.rows(), [0, 11]))
    assert found == {0: tools_for(rows()[0]), 11: tools_for(rows()[11])}

    class Down(Connected):
        def setup(self, row):
            raise ConnectionError("nobody there")

    loaded = load(Down)
    with pytest.raises(EnvironmentFailedError, match=r"row 4 .*ConnectionError: nobody there"):
        dict(tools_of_rows(loaded, loaded.rows(), [4]))


def test_schemas_in_a_column_lose_the_keys_that_arrow_adds():
    class Column(Kitchen):
        def build_dataset(self, tokenizer):
            return [{**row, "functions": [schema(f"make_{row['dish']}", **{row["dish"]: "string"})]} for row in rows()]

        def get_tools(self, row):
            return row["functions"]

    watching = Watching()
    evaluate(Column, watching, split="all")
    assert watching.shown == {
        index: [[schema(f"make_{row['dish']}", **{row["dish"]: "string"})]] for index, row in enumerate(rows())
    }


def test_a_default_of_null_that_an_author_wrote_stays():
    class Null(Kitchen):
        def get_tools(self, row):
            made = schema("make", sauce="string")
            made["function"]["parameters"]["properties"]["sauce"]["default"] = None
            return [made]

    _, info = Null().reset(options=rows()[0])
    assert info["tools"][0]["function"]["parameters"]["properties"]["sauce"]["default"] is None
