"""Files of a model from its folder, the cache or the hub; errors of the hub in one line."""

from functools import lru_cache
from pathlib import Path

from grpo_env_sdk.ext import UsageError, one_line

_SECONDS = 10.0


@lru_cache(maxsize=1)
def hub_answers() -> bool:
    """Whether the hub can be reached; its own library would try for half a minute per file."""
    from huggingface_hub import constants, get_session

    try:
        get_session().head(constants.ENDPOINT, timeout=_SECONDS)
    except Exception:  # of whichever HTTP client that library has
        return False
    return True


def fetch(model: str, file: str, revision: str | None = None, *, needed: bool = False) -> Path | None:
    """The path of a file of a model, or None where there is no such file; offline, only the cache is used."""
    if Path(model).is_dir():
        path = Path(model) / file
        return path if path.exists() else None
    from huggingface_hub import constants, errors, hf_hub_download

    at = f"{constants.ENDPOINT}/{model}"
    try:
        return Path(hf_hub_download(model, file, revision=revision, local_files_only=not hub_answers()))
    except errors.GatedRepoError as exc:
        raise UsageError(
            f"{at} is gated, and you have no access to it.",
            "Request access on that page, then log in: hf auth login (or set HF_TOKEN).",
        ) from exc
    except errors.RepositoryNotFoundError as exc:
        raise UsageError(
            f"There is no model {model!r}: no such folder, and none that you can access at {constants.ENDPOINT}.",
            "Check the spelling; for a private one log in: hf auth login (or set HF_TOKEN).",
        ) from exc
    except errors.RevisionNotFoundError as exc:
        raise UsageError(f"{at} has no revision {revision!r}.", "Use a branch, a tag or a commit.") from exc
    except errors.LocalEntryNotFoundError as exc:
        if not needed:
            return None
        why = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else f"{constants.ENDPOINT} does not answer"
        raise UsageError(
            f"There is no model {model!r}: no such folder, not in the cache ({constants.HF_HUB_CACHE}), and {why}.",
            "Download it while online (hf download MODEL), set a mirror in HF_ENDPOINT, or give a folder.",
        ) from exc
    except errors.EntryNotFoundError:
        return None
    except (errors.HfHubHTTPError, errors.HFValidationError, OSError) as exc:
        raise UsageError(
            f"{at} could not be downloaded: {one_line(exc).rstrip('.')}.", "Try again, or give a folder."
        ) from exc
