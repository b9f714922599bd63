"""Where a model's server is and how to get in; whatever is told of it afterwards is told without its secrets."""

from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from grpo_env_sdk.errors import UsageError

_SHORTEST_SECRET = 4  # vLLM is given a key of `x`; hiding that would only garble the message


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of chat completions, the header that lets one in, and the proxy on the way."""

    address: str
    authorization: str
    proxy: str | None
    secrets: tuple[str, ...]

    @property
    def url(self) -> str:
        """The address as messages show it; a query may hold a key."""
        return self.address.partition("?")[0]

    def shown(self, text: str, most: int) -> str:
        """The beginning of what a server said, on one line; cut only once its secrets are out of it."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return " ".join(text.split())[:most]


def endpoint(base_url: str, key: str) -> Endpoint:
    """What follows from a base URL, a key, and the proxies that the environment names."""
    base = _split(base_url)
    netloc = base.netloc.rpartition("@")[2]
    address = base._replace(netloc=netloc, path=base.path.rstrip("/") + "/chat/completions", fragment="")
    proxy = None if proxy_bypass(base.hostname or "") else getproxies().get(base.scheme)
    authorization = _authorization(base, key.strip())
    secrets = {key.strip(), base.password, authorization.rpartition(" ")[2], urlsplit(proxy or "").password}
    hidden = sorted((secret for secret in secrets if secret and len(secret) >= _SHORTEST_SECRET), key=len, reverse=True)
    return Endpoint(urlunsplit(address), authorization, proxy, tuple(hidden))


def _authorization(base: SplitResult, key: str) -> str:
    """HTTP takes one: what stands in the address is for this server, a key in the environment for any."""
    if base.username:
        pair = f"{unquote(base.username)}:{unquote(base.password or '')}"
        return f"Basic {b64encode(pair.encode()).decode()}"
    return f"Bearer {key}" if key else ""


def _split(base_url: str) -> SplitResult:
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        shown = base_url.rpartition("@")[2]
        raise UsageError(f"The base URL {shown!r} is no http address.", "Like: --base-url http://127.0.0.1:8000/v1")
    return parts
