import pytest

from grpo_env_sdk import call_message
from grpo_env_trl.demo.slot_values import Values
from grpo_env_trl.demo.tokenizer import build_tokenizer
from grpo_env_trl.tokens.rendering import Renderer

TOOLS = [
    {
        "type": "function",
        "function": {"name": "look", "description": "", "parameters": {"properties": {"shelf": {}, "row": {}}}},
    },
    {"type": "function", "function": {"name": "wait"}},
]
ASKED = [{"role": "user", "content": "Which?"}]
LOOKED = [
    {**call_message("look", shelf="A1", row={"deep": [1, None, 'it\'s "quoted" é']}), "content": "Let me see."},
    {"role": "tool", "content": "T1", "name": "look"},
]


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer([[*ASKED, *LOOKED]], [TOOLS], Values([]))


def text(tokenizer, messages, tools=None, to_answer=False):
    return tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, add_generation_prompt=to_answer)


def test_tools_are_a_line_each_before_what_the_system_says(tokenizer):
    messages = [{"role": "system", "content": "Be brief."}, *ASKED]
    assert text(tokenizer, messages, TOOLS, True) == (
        "<|im_start|>system\nlook(shelf, row)\nwait()\nBe brief.<|im_end|>"
        "<|im_start|>user\nWhich?<|im_end|><|im_start|>assistant\n"
    )


def test_without_tools_there_is_nothing_but_the_messages(tokenizer):
    assert text(tokenizer, ASKED) == "<|im_start|>user\nWhich?<|im_end|>"


def test_content_in_parts_is_read_as_text(tokenizer):
    parts = [{"type": "text", "text": "Whi"}, {"type": "image"}, {"type": "text", "text": "ch?"}]
    assert text(tokenizer, [{"role": "user", "content": parts}]) == text(tokenizer, ASKED)


def test_what_comes_later_changes_nothing_before_it(tokenizer):
    conversation = [*ASKED, *LOOKED, {"role": "assistant", "content": "A."}, *ASKED]
    whole = text(tokenizer, conversation, TOOLS)
    assert all(whole.startswith(text(tokenizer, conversation[:end], TOOLS)) for end in range(1, len(conversation)))


def test_calls_read_back_as_they_were_written(tokenizer):
    renderer = Renderer(tokenizer, TOOLS, runs_tools=True, several_turns=True)
    calls = [LOOKED[0]["tool_calls"][0], call_message("wait")["tool_calls"][0]]
    said = {"role": "assistant", "content": "", "tool_calls": calls}
    written = text(tokenizer, [*ASKED, said], TOOLS).removeprefix(text(tokenizer, ASKED, TOOLS, True))
    read = renderer.turn(tokenizer(written)["input_ids"])
    assert [call["function"] for call in read["tool_calls"]] == [call["function"] for call in calls]


def test_exactly_what_the_assistant_says_is_marked_as_generated(tokenizer):
    made = tokenizer.apply_chat_template(
        [*ASKED, *LOOKED, {"role": "assistant", "content": "T1."}], tools=TOOLS, return_assistant_tokens_mask=True
    )
    said = [token for token, mine in zip(made["input_ids"], made["assistant_masks"], strict=True) if mine]
    assert tokenizer.decode(said) == (
        'Let me see.<tool_call>\n{"name": "look", "arguments": {"shelf": "A1", '
        '"row": {"deep": [1, null, "it\'s \\"quoted\\" é"]}}}\n</tool_call><|im_end|>T1.<|im_end|>'
    )
