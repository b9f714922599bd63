"""Write a file into a workspace."""

import tempfile
from pathlib import Path

from grpo_env_sdk import ToolEnv, call_message, reward, tool


class Workspace(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Write '{word} {n}' into {word}.txt.", "name": f"{word}.txt", "text": f"{word} {n}"}
            for word in ("oak", "elm", "fir", "yew")
            for n in range(10, 19)
        ]

    def setup(self, row):
        self.folder = Path(tempfile.mkdtemp(prefix="workspace-"))

    @tool
    def write_file(self, name: str, text: str) -> str:
        """Write a text file.

        Args:
            name: A name without a folder, such as notes.txt.
            text: What to write.
        """
        if not name.replace(".", "").isalnum() or not name[0].isalnum() or len(name) > 40:
            return "That is no name of a file."
        (self.folder / name).write_text(text, encoding="utf-8", errors="replace")
        return "written"

    @reward
    def right(self, name, text):
        path = self.folder / name
        return path.exists() and path.read_text(encoding="utf-8") == text

    def solve(self, row):
        return [call_message("write_file", name=row["name"], text=row["text"]), "Done."]
