"""The images of a run: PNG files beside its episodes, named by the hash of their bytes."""

import hashlib
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from grpo_env_sdk.errors import ContractError, GrpoEnvError
from grpo_env_sdk.files.whole_file import replace_file
from grpo_env_sdk.images.image import MOST_PIXELS, check_png, image_of_png, png_of

FOLDER = "images"
_MOST_BYTES = 256 * 2**20
"""The largest image: what is larger is not read before it is compared with its hash."""
_HASH = re.compile(r"[0-9a-f]{64}")


class RunImageError(GrpoEnvError, OSError):
    """An image of a run that is missing, or is not what its name says."""


class RunImages:
    """Writes and reads the images of one run; a record refers to each by `{"$": "image", "sha256": HASH}`."""

    def __init__(self, run: Path) -> None:
        self.folder = run / FOLDER
        self._opened: WeakValueDictionary[str, Any] = WeakValueDictionary()
        """The images that are in use, each once however often it is referred to."""

    def reference(self, image: Any) -> dict[str, str]:
        """The reference to an image, which is written if it is new."""
        png = _png_to_keep(image)
        found = _reference_to(png)
        path = self.folder / f"{found['sha256']}.png"
        if not path.exists():
            self.folder.mkdir(exist_ok=True)
            replace_file(path, png)
        return found

    def png(self, sha256: str) -> bytes:
        """The bytes of an image, checked against its hash, so that nothing else is ever read."""
        path = self.folder / f"{sha256}.png"
        try:
            known = _HASH.fullmatch(sha256) and path.is_file() and path.stat().st_size <= _MOST_BYTES
            png = path.read_bytes() if known else b""
        except OSError as exc:
            raise RunImageError(f"{path} cannot be read: {exc.strerror}.") from exc
        if hashlib.sha256(png).hexdigest() != sha256:
            found = "is damaged" if png else "is missing"
            raise RunImageError(f"The image {sha256[:64]!r} of {self.folder.parent} {found}.", "Copy the whole run.")
        return png

    def restored(self, value: Any) -> Any:
        """A value of a record with its images in place of the references to them."""
        if isinstance(value, list):
            return [self.restored(item) for item in value]
        if not isinstance(value, Mapping):
            return value
        if (name := referred(value)) is not None:
            return self._image(name)
        return {key: self.restored(item) for key, item in value.items()}

    def check(self, sha256: str) -> None:
        """Raise where an image is missing, damaged, too large or no PNG, without decoding it."""
        self._read(sha256, check_png)

    def _image(self, sha256: str) -> Any:
        image = self._opened.get(sha256)
        if image is None:
            image = self._opened[sha256] = self._read(sha256, image_of_png)
        return image

    def _read(self, sha256: str, read: Callable[[bytes], Any]) -> Any:
        try:
            return read(self.png(sha256))
        except ContractError as exc:
            raise RunImageError(
                f"{self.folder / sha256}.png cannot be used: {exc.message}", "Copy the whole run."
            ) from exc


def image_reference(image: Any) -> dict[str, str]:
    """The reference that a record would have to an image; nothing is written."""
    return _reference_to(_png_to_keep(image))


def _reference_to(png: bytes) -> dict[str, str]:
    return {"$": "image", "sha256": hashlib.sha256(png).hexdigest()}


def _png_to_keep(image: Any) -> bytes:
    """The bytes of an image, which is not too large for a run."""
    if math.prod(image.size) > MOST_PIXELS:
        raise ValueError(f"an image of {image.width} x {image.height} pixels has more than {MOST_PIXELS}")
    png = png_of(image)
    if len(png) > _MOST_BYTES:
        raise ValueError(f"an image of {len(png) >> 20} MiB is larger than {_MOST_BYTES >> 20} MiB")
    return png


def referred(value: Any) -> str | None:
    """The hash in a reference to an image; None for any other value."""
    if isinstance(value, Mapping) and value.keys() == {"$", "sha256"} and value["$"] == "image":
        return str(value["sha256"])
    return None


def references(value: Any) -> set[str]:
    """The hashes of all images that a record refers to."""
    if (name := referred(value)) is not None:
        return {name}
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return {name for item in items for name in references(item)}
