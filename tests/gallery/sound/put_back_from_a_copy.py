"""What is compared with may be copied: the prompt asks for just that, and gold does it by hand."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

SONGS = ("tea", "rain", "bees", "snow", "cats", "maps", "ships", "art", "salt", "moss", "wind", "keys")


class Songs(ToolEnv):
    max_turns = 6

    def build_dataset(self, tokenizer):
        return [
            {"prompt": "song.txt is damaged: make it as copy.txt is.", "song": f"A song about {name}"} for name in SONGS
        ]

    def setup(self, row):
        self.files = {"song.txt": "?", "copy.txt": row["song"]}

    @tool
    def read_file(self, path: str) -> str:
        """Read a file.

        Args:
            path: Its name.
        """
        return self.files.get(path, "There is none.")

    @tool
    def write_file(self, path: str, text: str) -> str:
        """Write a file.

        Args:
            path: Its name.
            text: What it says.
        """
        self.files[path] = text
        return "Written."

    @tool
    def copy_file(self, source: str, target: str) -> str:
        """Copy a file.

        Args:
            source: From where.
            target: To where.
        """
        self.files[target] = self.files.get(source, "")
        return "Copied."

    @reward
    def right(self, song):
        return self.files["song.txt"] == song

    def solve(self, row):
        read = yield call_message("read_file", path="copy.txt")
        yield call_message("write_file", path="song.txt", text=read[-1]["content"])
        yield "It is as it was."
