"""What `grpo-env runs export` writes, as trainers read it."""

from datasets import load_dataset
from tiny_models import tiny_tokenizer

from grpo_env_sdk import ToolEnv, call_message, evaluate, tool
from grpo_env_sdk.cli import main


class Notes(ToolEnv):
    """Two tools whose arguments have one name and two types."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Note it.", "many": False}, {"prompt": "Note them.", "many": True}]

    @tool
    def note(self, what: str) -> str:
        """Note one thing."""
        return "noted"

    @tool
    def note_all(self, what: list[int]) -> str:
        """Note many."""
        return "noted"

    def score_episode(self, model, tokenizer, completion):
        return 1.0

    def solve(self, row):
        return [call_message("note_all", what=[7, 8]) if row["many"] else call_message("note", what="milk"), "Done."]


def test_exported_episodes_are_loaded_and_rendered_by_a_chat_template(tmp_path):
    run, file = tmp_path / "run", tmp_path / "sft.jsonl"
    evaluate(Notes, "gold", split="all", out=run)
    assert main(["runs", "export", str(run), "--out", str(file)]) == 0
    loaded = load_dataset("json", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded.column_names == ["messages", "tools", "row_index", "sample", "reward"]
    tokenizer = tiny_tokenizer("qwen2.5")
    rendered = [
        tokenizer.apply_chat_template(line["messages"], tools=line["tools"], tokenize=False)
        for line in sorted(loaded, key=lambda line: line["messages"][0]["content"])
    ]
    assert '{"name": "note", "arguments": {"what": "milk"}}' in rendered[0]
    assert '{"name": "note_all", "arguments": {"what": [7, 8]}}' in rendered[1]
    assert "null" not in "".join(rendered)
