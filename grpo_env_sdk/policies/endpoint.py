"""The address and credentials of a model's server; no message ever shows its secrets."""

import os
import re
from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, quote_plus, unquote, unquote_plus, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.isolation.values.env_values import hide

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
DEFAULT_URL = "https://api.openai.com/v1"
_SHORTEST_SECRET = 4  # people give vLLM the key `x`; replacing that in every message would make it unreadable
_SHORTEST_HIDDEN = 8  # `EMPTY` is a word that transcripts may have
_NAMES_A_SECRET = re.compile(r"key|token|secret|sig|pass|code|auth|cred", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of chat completions, the Authorization header, and the proxy."""

    address: str
    authorization: str
    proxy: str | None
    secrets: tuple[str, ...]

    @property
    def url(self) -> str:
        """The address for messages, without its query, which may contain a key."""
        return self.address.partition("?")[0]

    def redacted(self, text: str, most: int) -> str:
        """The beginning of a server's text on one line, with secrets replaced before it is cut."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return " ".join(text.split())[:most]


def usual_url() -> str:
    """The server where no command line names one."""
    return os.environ.get(URL_VARIABLE) or DEFAULT_URL


def endpoint(base_url: str, key: str, key_variable: str = KEY_VARIABLE) -> Endpoint:
    """The endpoint for a base URL and the key of a variable, with the proxy of the environment variables."""
    base, key = _split(base_url), key.strip()
    _check_characters(key, f"The key in {key_variable}", f"Copy the key again: export {key_variable}=...")
    netloc = base.netloc.rpartition("@")[2]
    address = base._replace(netloc=netloc, path=base.path.rstrip("/") + "/chat/completions", fragment="")
    proxy = None if proxy_bypass(base.hostname or "") else getproxies().get(base.scheme)
    _check_characters(proxy or "", f"The proxy in {base.scheme}_proxy", f"Correct it, or unset {base.scheme}_proxy.")
    authorization = _authorization(base, key)
    given = (key, base.password, authorization.rpartition(" ")[2], urlsplit(proxy or "").password)
    secrets = {form for secret in (*given, *_keys_in(base.query)) for form in _spellings(secret or "")}
    for secret in secrets:
        if len(secret) >= _SHORTEST_HIDDEN:
            hide(secret)  # a model or a server may repeat it
    hidden = sorted((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True)
    return Endpoint(urlunsplit(address), authorization, proxy, tuple(hidden))


def without_credentials(url: str | None) -> str | None:
    """The address without user, password, query and fragment, which may contain a key."""
    if url is None:
        return None
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def _check_characters(secret: str, what: str, hint: str) -> None:
    if not secret.isprintable():
        raise UsageError(f"{what} has a line end, a control character or a byte that is not UTF-8 in it.", hint)


def _keys_in(query: str) -> list[str]:
    """The values of a query that may be keys: not `2024-06-01` in `api-version=2024-06-01`, which transcripts have."""
    pairs = [pair.partition("=") for pair in query.split("&")]
    return [value or name for name, _, value in pairs if not value or _NAMES_A_SECRET.search(name) or len(value) >= 16]


def _spellings(secret: str) -> set[str]:
    """A secret as it is, and as it is written in or read from an address."""
    plain = {secret, unquote(secret), unquote_plus(secret)}
    return plain | {write(text, safe="") for text in plain for write in (quote, quote_plus)}


def _authorization(base: SplitResult, key: str) -> str:
    """The header; credentials in the address are for this server, so they come before a key in the environment."""
    if base.username:
        pair = f"{unquote(base.username)}:{unquote(base.password or '')}"
        return f"Basic {b64encode(pair.encode()).decode()}"
    return f"Bearer {key}" if key else ""


def _split(base_url: str) -> SplitResult:
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and base_url.isprintable()
    except ValueError:
        usable = False
    if not usable:
        address = re.split(r"[?#]", base_url.rpartition("@")[2])[0]
        raise UsageError(
            f"The base URL {address!r} is not an http address.", "Like: --base-url http://127.0.0.1:8000/v1"
        )
    return parts
