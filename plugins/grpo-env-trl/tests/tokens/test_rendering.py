import copy
import json

import pytest
from environments import SCHEMA, Errands, Talk
from scripted import calls, tokens, written
from tiny_models import FAMILIES, tiny_tokenizer

from grpo_env_sdk import load
from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_trl.tokens.rendering import Renderer
from tests.images.pictures import square

WITH_TOOLS = ("qwen3", "qwen2.5", "llama3.2")
ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": 'it\'s <b>&amp; "so"'}]


@pytest.mark.parametrize("family", WITH_TOOLS)
@pytest.mark.parametrize("several_turns", [False, True])
def test_an_opening_is_the_template_applied_to_the_exact_schemas(family, several_turns):
    tokenizer = tiny_tokenizer(family)
    for tools in ([SCHEMA], load(Errands).tools, load(Talk).tools):
        renderer = Renderer(tokenizer, tools, runs_tools=True, several_turns=several_turns)
        rendered = tokenizer.apply_chat_template(ASKED, tools=tools, add_generation_prompt=True, return_dict=False)
        assert renderer.opening(ASKED) == rendered
        if family != "llama3.2":  # whose template indents them
            assert json.dumps(tools[0]) in tokenizer.decode(rendered)


@pytest.mark.parametrize("family", FAMILIES)
def test_without_tools_an_opening_is_the_template_applied(family):
    tokenizer = tiny_tokenizer(family)
    rendered = tokenizer.apply_chat_template(ASKED, add_generation_prompt=True, return_dict=False)
    assert Renderer(tokenizer, several_turns=True).opening(ASKED) == rendered


@pytest.mark.parametrize("family", FAMILIES)
def test_parts_that_are_all_text_are_read_as_one_text(family):
    renderer = Renderer(tiny_tokenizer(family), several_turns=True)
    parted = [
        {**message, "content": [{"type": "text", "text": one} for one in message["content"]]} for message in ASKED
    ]
    assert renderer.opening(parted) == renderer.opening(ASKED)
    said = {"role": "assistant", "content": "Yes."}
    assert renderer.following(said, parted[1:]) == renderer.following(said, ASKED[1:])


@pytest.mark.parametrize("family", ["gemma3", "deepseek-r1-distill"])
def test_tools_that_are_schemas_only_are_a_warning_where_the_template_has_none(family):
    with pytest.warns(GrpoEnvWarning, match="cannot render tools, so the model never reads of the 1"):
        renderer = Renderer(tiny_tokenizer(family), [SCHEMA])
    said = renderer.turn(tokens(renderer.tokenizer, "yes"))
    assert said == {"role": "assistant", "content": "yes"}


@pytest.mark.parametrize("family", ["gemma3", "deepseek-r1-distill"])
def test_tools_that_are_to_be_run_are_refused_where_the_template_has_none(family):
    with pytest.raises(UsageError, match=r"cannot render tool calls, and this environment runs tools\. Use a model"):
        Renderer(tiny_tokenizer(family), [SCHEMA], runs_tools=True, several_turns=True)


@pytest.mark.parametrize("family", WITH_TOOLS)
def test_a_rendered_call_is_read_back(family):
    tokenizer = tiny_tokenizer(family)
    renderer = Renderer(tokenizer, [SCHEMA], runs_tools=True, several_turns=True)
    for arguments in ({"name": "Ada", "how": None}, {"name": 'it\'s "Bob" <b>', "how": 3}, {}):
        said = renderer.turn(tokens(tokenizer, written(tokenizer, calls(("look-up", arguments)))))
        assert [call["function"] for call in said["tool_calls"]] == [{"name": "look-up", "arguments": arguments}]


@pytest.mark.parametrize("family", ["qwen3", "qwen2.5"])
def test_a_template_that_nobody_knows_is_parsed_by_what_it_renders(family):
    tokenizer = tiny_tokenizer(family)
    tokenizer.chat_template = "{#- mended here -#}" + tokenizer.chat_template.replace("# Tools", "# The tools")
    renderer = Renderer(tokenizer, [SCHEMA], runs_tools=True)
    said = renderer.turn(tokens(tokenizer, f"Let me see. {written(tokenizer, calls(('look-up', {'name': 'Ada'})))}"))
    assert said["content"].strip() == "Let me see."
    assert [call["function"]["name"] for call in said["tool_calls"]] == ["look-up"]
    assert not hasattr(tokenizer, "response_template") or tokenizer.response_template is None  # left as it came


def test_a_template_whose_calls_no_parser_reads_is_refused():
    tokenizer = tiny_tokenizer("qwen2.5")
    tokenizer.chat_template = tokenizer.chat_template.replace("<tool_call>", "[[call]]").replace(
        "</tool_call>", "[[/call]]"
    )
    with pytest.raises(UsageError, match=r"of this model cannot be parsed.* Set tokenizer\.response_template"):
        Renderer(tokenizer, [SCHEMA], runs_tools=True)


def test_a_response_template_that_somebody_set_is_used():
    tokenizer = tiny_tokenizer("qwen2.5")
    from trl.chat_template_utils import qwen3_template

    tokenizer.response_template = copy.deepcopy(qwen3_template)
    assert Renderer(tokenizer, [SCHEMA], runs_tools=True).response_template == qwen3_template


def test_a_template_that_renders_old_turns_otherwise_is_refused():
    tokenizer = tiny_tokenizer("qwen2.5")
    tokenizer.chat_template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content if loop.last else m.content | upper }}"
        "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    Renderer(tokenizer)
    with pytest.raises(UsageError, match="renders an earlier turn differently once another one follows"):
        Renderer(tokenizer, several_turns=True)


def test_a_template_that_takes_one_call_a_message_still_answers_several():
    tokenizer = tiny_tokenizer("llama3.2")
    renderer = Renderer(tokenizer, [SCHEMA], runs_tools=True, several_turns=True)
    two = calls(("look-up", {"name": "Ada"}), ("look-up", {"name": "Bob"}))
    with pytest.raises(Exception, match="single tool-calls"):
        tokenizer.apply_chat_template([{"role": "user", "content": "-"}, two], tokenize=False)
    told = [{"role": "tool", "name": "look-up", "content": number} for number in ("one", "two")]
    text = tokenizer.decode(renderer.following(two, told))
    assert text.index("one") < text.index("two")
    assert text.endswith("<|start_header_id|>assistant<|end_header_id|>\n\n")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_user_who_answers_is_rendered_as_the_template_has_it(family):
    tokenizer = tiny_tokenizer(family)
    renderer = Renderer(tokenizer, several_turns=True)
    asked, answer, told = (
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "c"},
    )
    whole = tokenizer.apply_chat_template(
        [asked, answer, told],
        add_generation_prompt=True,
        tokenize=False,
        chat_template=renderer._kwargs.get("chat_template"),
    )
    assert whole.endswith(tokenizer.decode(renderer.following(answer, [told])))
    assert tokenizer.decode(renderer.following(answer, [told])).strip().startswith(("<", "\n"))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_ends_a_turn_is_no_part_of_what_was_said(family):
    tokenizer = tiny_tokenizer(family)
    renderer = Renderer(tokenizer, several_turns=True)
    assert renderer.eos_ids
    for end in renderer.eos_ids:
        assert renderer.turn([*tokens(tokenizer, "yes", end=False), end]) == {"role": "assistant", "content": "yes"}


def test_roles_that_a_template_refuses_are_told_with_what_to_do():
    tokenizer = tiny_tokenizer("gemma3")
    renderer = Renderer(tokenizer, several_turns=True)
    with pytest.raises(
        UsageError, match=r"cannot render what follows an assistant's turn: it refuses assistant messages"
    ):
        renderer.following({"role": "assistant", "content": "b"}, [{"role": "assistant", "content": "c"}])


def test_a_tokenizer_without_a_template_carries_one_turn_alone():
    tokenizer = tiny_tokenizer("qwen3")
    tokenizer.chat_template = None
    assert tokenizer.decode(Renderer(tokenizer).opening([{"role": "user", "content": "hi"}])) == "hi"
    with pytest.raises(UsageError, match=r"has no chat template, and this environment has tools or several turns\."):
        Renderer(tokenizer, several_turns=True)


def test_a_rendering_that_a_caller_changes_is_not_what_the_next_one_gets():
    renderer = Renderer(tiny_tokenizer("qwen3"))
    renderer.opening(ASKED).append(0)
    assert renderer.opening(ASKED)[-1] != 0


def test_a_template_that_leaves_out_plain_text_is_refused():
    tokenizer = tiny_tokenizer("qwen3")
    tokenizer.chat_template = (
        "{% for message in messages %}{% for part in message['content'] %}{{ part['text'] }}{% endfor %}{% endfor %}"
    )
    with pytest.raises(UsageError, match="leaves out messages that are plain text"):
        Renderer(tokenizer)


def test_where_only_text_is_read_an_image_is_an_error_and_never_left_out():
    renderer = Renderer(tiny_tokenizer("qwen2.5"), several_turns=True)
    shown = [{"role": "user", "content": [{"type": "image", "image": square("red")}, {"type": "text", "text": "?"}]}]
    for render in (renderer.opening, lambda messages: renderer.following({"content": "yes"}, messages)):
        with pytest.raises(UsageError, match="shows images"):
            render(shown)
