"""How much of a server's answer is read: one without end must not fill the memory."""

from typing import TYPE_CHECKING

from grpo_env_sdk.policies.policy import PolicyError

if TYPE_CHECKING:
    import aiohttp

MAX_ANSWER_BYTES = 32 * 2**20


async def answer_within_limit(response: "aiohttp.ClientResponse", url: str) -> str:
    """The text of an answer; a `PolicyError` that names the server where it is longer than 32 MiB."""
    data = bytearray()
    while chunk := await response.content.readany():
        data += chunk
        if len(data) > MAX_ANSWER_BYTES:
            raise PolicyError(f"{url} answered with more than {MAX_ANSWER_BYTES} bytes.", kind="huge_answer")
    return data.decode("utf-8", "replace")
