import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from demo.small_environments import Shelf

from grpo_env_sdk.envs.loading import load
from grpo_env_trl.demo.demonstrations import demonstrate
from grpo_env_trl.demo.tokenizer import build_tokenizer


@cache
def made():
    loaded = load(Shelf)
    shown = demonstrate(loaded, loaded.rows("train"), 0, lambda what, done, of: None, 100)
    return build_tokenizer(shown.solved, shown.tools, shown.values), shown, loaded.tools


def pieces_of(text):
    return made()[0].tokenize(text)


def test_a_value_is_one_piece_and_the_same_in_a_prompt_a_call_and_an_answer():
    _, shown, _ = made()
    shelf, thing = shown.solved[0][2]["tool_calls"][0]["function"]["arguments"]["shelf"], shown.solved[0][-1]["content"]
    thing = thing.removeprefix("Take ").removesuffix(".")
    assert shelf in pieces_of(f"What is cheapest on shelf {shelf}?")
    assert shelf in pieces_of(f'<tool_call>\n{{"name": "look", "arguments": {{"shelf": "{shelf}"}}}}\n</tool_call>')
    assert thing in pieces_of(f'[{{"thing": "{thing}", "price": 50}}')
    assert thing in pieces_of(f"Take {thing}.")


def test_what_lies_between_two_values_is_one_piece():
    assert pieces_of('<tool_call>\n{"name": "look", "arguments": {"shelf": "A1"}}\n</tool_call><|im_end|>') == [
        "<tool_call>", '\n{"name": "look", "arguments": {"shelf": "', "A1", '"}}\n', "</tool_call>", "<|im_end|>",
    ]  # fmt: skip


def test_no_piece_crosses_the_end_of_the_generation_prompt():
    asked = [{"role": "user", "content": "What is cheapest on shelf A1?"}]
    tokenizer, _, tools = made()
    before = tokenizer.apply_chat_template(asked, tools=tools, add_generation_prompt=True)["input_ids"]
    whole = tokenizer.apply_chat_template([*asked, {"role": "assistant", "content": "Take T10."}], tools=tools)
    assert whole["input_ids"][: len(before)] == before


def test_what_was_never_shown_is_spelt_and_reads_back():
    text = "Never seen: 98765 œuvres & <b>tags</b>,\n\ttwo  spaces."
    tokenizer = made()[0]
    ascii_only = text.replace("œ", "oe")
    assert tokenizer.decode(tokenizer(ascii_only)["input_ids"]) == ascii_only
    assert tokenizer.unk_token_id in tokenizer(text)["input_ids"]


def test_it_pads_on_the_left_and_ends_turns_with_a_token_of_their_own():
    tokenizer = made()[0]
    assert tokenizer.padding_side == "left"
    assert tokenizer.eos_token == "<|im_end|>"
    assert tokenizer.pad_token_id != tokenizer.eos_token_id


def test_a_conversation_of_one_turn_is_a_few_dozen_tokens():
    tokenizer, shown, tools = made()
    assert len(tokenizer.apply_chat_template(shown.solved[0], tools=tools)["input_ids"]) < 50
    assert len(tokenizer) < 400


def test_it_is_the_same_whatever_the_hash_seed():
    code = "from demo.test_demo_tokenizer import made; print(sorted(made()[0].get_vocab().items()))"
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parent.parent, env=os.environ | {"PYTHONHASHSEED": other},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert shown.stdout.strip() == str(sorted(made()[0].get_vocab().items()))
