"""A file that a flag names, read to its end unless it has none."""

from grpo_env_sdk.errors import UsageError

MOST_BYTES = 64 * 2**20


def text_of_named(path: str, whose: str, hint: str, most: int = MOST_BYTES) -> str:
    """The text of a file, also of a pipe; a `UsageError` that begins with `whose` where it cannot be had."""
    try:
        with open(path, "rb") as file:
            data = file.read(most + 1)
        text = data[:most].decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else exc
        raise UsageError(f"{whose} cannot be read: {reason}.", hint) from exc
    if len(data) > most:
        raise UsageError(f"{whose} cannot be read: it has more than {most >> 20} MiB.", hint)
    return text
