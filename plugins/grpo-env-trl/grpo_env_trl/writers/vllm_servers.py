"""The vLLM servers of a training: what each serves, which of them still answer, and who gets the next turn."""

import json
import urllib.error
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from weakref import WeakKeyDictionary

from grpo_env_sdk import GrpoEnvWarning
from grpo_env_sdk.ext import UnusablePolicyError, UsageError
from grpo_env_trl import ranks, trl_facts
from grpo_env_trl.direct_http import opened
from grpo_env_trl.settings.servers import base_url

PATIENCE = 30.0
"""Seconds in which a server says how it is; its first answer about itself takes some."""
START = "Start one as docs/scale.md shows: VLLM_SERVER_DEV_MODE=1 vllm serve MODEL ..."
RESUME = "Start it again, then continue from the last checkpoint: grpo-env train --resume RUN."


@dataclass(frozen=True, slots=True)
class Served:
    """What a server says of itself; `instance` differs after a restart, and its settings are empty outside dev mode."""

    model: str
    context: int
    instance: str = ""
    settings: Mapping[str, Any] | None = None
    adapters: Sequence[str] = ()
    """The names under which it has adapters of the model."""


@dataclass(eq=False)
class VLLMServer:
    """One server, and how many turns it samples now."""

    url: str
    served: Served
    open: int = 0
    gone: str = ""
    """Why it is left out; empty while it is in use."""


class VLLMServers:
    """All servers of one training; a server that is left out stays out, as it misses weights from then on."""

    def __init__(self, urls: Sequence[str]) -> None:
        self.all = [VLLMServer(url, look_at(url)) for url in urls]

    @property
    def live(self) -> list[VLLMServer]:
        """Those in use."""
        return [server for server in self.all if not server.gone]

    @property
    def context_length(self) -> int:
        """The most tokens, prompt and completion together, that each of them reads."""
        return min(server.served.context for server in self.all)

    def choose(self, before: VLLMServer | None) -> VLLMServer:
        """Who samples the next turn: the one that has the episode in its cache, unless another is less busy."""
        self._check_left()
        turned = self.all[ranks.rank() % len(self.all) :] + self.all[: ranks.rank() % len(self.all)]
        live = [server for server in turned if not server.gone]
        least = min(live, key=lambda server: server.open)
        return before if before in live and before.open <= least.open + 1 else least

    def leave_out(self, server: VLLMServer, why: str) -> None:
        """Use the others from now on; raises where it is the last one."""
        if server.gone:
            return
        server.gone = why
        self._check_left()
        names = ", ".join(other.url for other in self.live)
        warnings.warn(f"{why}. Left out from now on: {names} samples the rest.", GrpoEnvWarning, stacklevel=2)

    def check(self) -> list[int]:
        """The places of those that answer and were not started again, equal in every process, which all call this."""
        gone = {place: server.gone for place, server in enumerate(self.all) if server.gone}
        known = {place: why for found in ranks.of_all(gone) for place, why in found.items()}
        for place, why in ranks.from_first(lambda: self._looked_at(known)).items():
            self.leave_out(self.all[place], why)
        self._check_left()
        return [place for place, server in enumerate(self.all) if not server.gone]

    def failed(self, place: int) -> None:
        """Raise where the server at this place is gone: nothing but a new start has it get the weights."""
        if why := lost(self.all[place]):
            raise UnusablePolicyError(f"A vLLM server failed while it got the weights: {why}.", RESUME, "server_gone")

    def _check_left(self) -> None:
        if not self.live:
            why = "; ".join(server.gone for server in self.all)
            raise UnusablePolicyError(f"No vLLM server is left: {why}.", RESUME, "server_gone")

    def _looked_at(self, known: dict[int, str]) -> dict[int, str]:
        found = dict(known)
        for place, server in enumerate(self.all):
            if place not in found and (why := lost(server)):
                found[place] = why
        return found


_OF: "WeakKeyDictionary[Any, VLLMServers]" = WeakKeyDictionary()


def servers_of(trainer: Any, urls: Sequence[str] = ()) -> VLLMServers:
    """The servers of a trainer, found at the first call; `urls` names them where TRL's arguments hold only the first.

    Every process must call this, and TRL's weights go to all of them from then on.
    """
    generation = trainer.vllm_generation
    if generation not in _OF:
        servers = VLLMServers(urls or [base_url(trl_facts.server_url(trainer.args))])
        limits = (generation.max_model_length, servers.context_length)
        generation.max_model_length = min(limit for limit in limits if limit)
        trl_facts.sync_with_servers(trainer, [server.url for server in servers.all], servers.check, servers.failed)
        _OF[generation] = servers
    return _OF[generation]


def lost(server: VLLMServer) -> str:
    """Why a server cannot be used any more, or an empty text."""
    try:
        now = look_at(server.url)
    except UsageError as exc:
        return exc.message.rstrip(".")
    known = now.instance and server.served.instance
    return restarted(server.url) if known and now.instance != server.served.instance else ""


def restarted(url: str) -> str:
    """What a restart means."""
    return f"{url} was started again, and no longer has the weights of the training"


def look_at(url: str) -> Served:
    """What a server serves; a `UsageError` where nobody answers, or somebody who is no vLLM server."""
    models = fetched(f"{url}/v1/models")
    try:
        first = models["data"][0]
        name, context = str(first["id"]), int(first["max_model_len"])
        adapters = tuple(str(other["id"]) for other in models["data"][1:])
    except (KeyError, IndexError, TypeError, ValueError) as exc:
        raise UsageError(
            f"{url} is not a vLLM server: /v1/models names no model with a max_model_len.",
            "Give the address that `vllm serve` prints, like http://127.0.0.1:8000",
        ) from exc
    try:
        info = fetched(f"{url}/server_info?config_format=json")
    except UsageError:
        return Served(name, context, adapters=adapters)
    settings = info.get("vllm_config") if isinstance(info, Mapping) else None
    settings = settings if isinstance(settings, Mapping) else None
    return Served(name, context, str(settings.get("instance_id", "")) if settings else "", settings, adapters)


def fetched(address: str) -> Any:
    """The JSON at an address."""
    try:
        with opened(address, timeout=PATIENCE) as answer:
            return json.loads(answer.read(2**24))
    except urllib.error.HTTPError as exc:
        raise UsageError(f"{address} answered {exc.code}.", "Is this the address of a vLLM server?") from exc
    except (OSError, ValueError, RecursionError, HTTPException) as exc:  # the last: it speaks no HTTP
        why = " ".join(str(getattr(exc, "reason", exc)).split()) or type(exc).__name__
        raise UsageError(f"No vLLM server answers at {address}: {why:.200}.", START) from exc


def posted(address: str, body: Any) -> tuple[int, Any]:
    """The status and the JSON of an answer, if it is any."""
    try:
        with opened(address, body, timeout=PATIENCE) as answer:
            return answer.status, json.loads(answer.read(2**24))
    except urllib.error.HTTPError as exc:
        text = exc.read(2**16).decode("utf-8", "replace")
        return exc.code, text
    except (OSError, ValueError, RecursionError, HTTPException) as exc:
        return 0, str(exc)
