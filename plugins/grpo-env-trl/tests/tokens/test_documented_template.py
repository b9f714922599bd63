"""The small chat template of the documentation renders tools, and its calls are read back."""

import re
from pathlib import Path

from grpo_env_trl.tokens.rendering import SMALL_TEMPLATE, Renderer

ROOT = Path(__file__).parents[4]
CALL = '<tool_call>\n{"name": "find", "arguments": {"word": "a dog"}}\n</tool_call><|im_end|>'
FIND = {
    "type": "function",
    "function": {"name": "find", "description": "Find.", "parameters": {"type": "object", "properties": {}}},
}


def test_the_template_that_messages_name_renders_tools_and_reads_calls_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page, _, heading = SMALL_TEMPLATE.partition("#")
    section = (ROOT / page).read_text().partition(f"### {heading.replace('-', ' ').capitalize()}\n")[2]
    made = {}
    exec(re.search(r"```python\n(.*?)```", section, re.S)[1], made)
    tokenizer = made["tokenizer"]
    renderer = Renderer(tokenizer, [FIND], runs_tools=True, several_turns=True)
    turn = renderer.turn(tokenizer(CALL, add_special_tokens=False)["input_ids"])
    assert turn["tool_calls"][0]["function"] == {"name": "find", "arguments": {"word": "a dog"}}
    opening = tokenizer.decode(renderer.opening([{"role": "user", "content": "Go."}]))
    assert '"name": "find"' in opening
    assert opening.endswith("<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n")
