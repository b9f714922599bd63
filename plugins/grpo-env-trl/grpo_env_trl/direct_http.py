"""HTTP to servers of this training, which no proxy is asked for."""

import json
import urllib.request
from typing import Any


def opened(address: str, body: Any = None, *, timeout: float) -> Any:
    """The answer to a GET, or to a POST of this JSON, as `urlopen` gives it."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, sent, {} if sent is None else {"Content-Type": "application/json"})
    return opener.open(request, timeout=timeout)
