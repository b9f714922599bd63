"""An image as PNG or as a data URL, and back; Pillow is imported only where there is one."""

import base64
import binascii
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

from grpo_env_sdk.errors import ContractError, UsageError

PNG_MODES = ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")
"""The modes of images that PNG keeps."""
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""What is read: other formats of Pillow start programs, such as Ghostscript, or are seldom used and little tested."""

MOST_PIXELS = 2**26
"""The pixels of the largest image: a PNG of 80 KB may have a hundred times as many, which fill the memory."""


def is_image(value: Any) -> bool:
    """Whether it is an image of Pillow; imports nothing."""
    return any(cls.__module__ == "PIL.Image" for cls in type(value).__mro__)


def are_texts_and_images(items: Sequence[Any]) -> bool:
    """Whether these are images, or texts and images."""
    return any(map(is_image, items)) and all(isinstance(item, str) or is_image(item) for item in items)


def as_image(value: Any) -> Any:
    """The image in a value: one of Pillow, its bytes, what Arrow makes of one, or a data URL; None for all else."""
    if is_image(value):
        return value
    if isinstance(value, Mapping) and isinstance(value.get("bytes"), bytes):
        return image_from(value["bytes"])
    if isinstance(value, bytes):
        return image_from(value)
    if isinstance(value, str) and value.startswith("data:image/") and ";base64," in value[:64]:
        try:
            return image_from(base64.b64decode(value.partition(",")[2], validate=True))
        except binascii.Error as exc:
            raise ContractError(f"{value[:40]}... is no base64: {exc}.", "Give the image itself.") from exc
    return None


def png_of(image: Any) -> bytes:
    """The image as PNG; one of a mode that PNG has not, such as CMYK, becomes RGB."""
    if image.mode not in PNG_MODES:
        image = image.convert("RGBA" if image.mode in ("PA", "La", "RGBa") else "RGB")
    written = io.BytesIO()
    image.save(written, format="PNG")
    return written.getvalue()


def image_from(data: bytes) -> Any:
    """The image in the bytes of a PNG, JPEG, GIF, WebP or BMP."""
    return _opened(data, _FORMATS)


def image_of_png(data: bytes) -> Any:
    """The image in a PNG that `png_of` has written; bytes of any other format are an error."""
    return _opened(data, ("PNG",))


def check_png(data: bytes) -> None:
    """Raise where the bytes are no PNG that `image_of_png` reads, as far as its first bytes say."""
    _opened(data, ("PNG",), load=False)


def image_in(data: bytes, mode: str, size: Sequence[int]) -> Any:
    """The image whose pixels are these bytes, as `tobytes` gives them."""
    if math.prod(size) > len(data) * (8 if mode == "1" else 1):  # Pillow makes room before it looks
        raise ValueError(f"{len(data)} bytes are no image of {size} pixels")
    return _pillow().frombytes(mode, tuple(size), data)


def data_url(png: bytes) -> str:
    """A PNG as a URL that holds it."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def _opened(data: bytes, formats: Sequence[str], load: bool = True) -> Any:
    pillow = _pillow()
    try:
        image = pillow.open(io.BytesIO(data), formats=formats)
        if math.prod(image.size) > MOST_PIXELS:
            raise ValueError(f"its {image.width} x {image.height} pixels are more than {MOST_PIXELS}")
        if load:
            image.load()
    except Exception as exc:  # decoders raise whatever bytes of others lead to
        why = "" if isinstance(exc, pillow.UnidentifiedImageError) else f": {' '.join(str(exc).split()):.200}"
        raise ContractError(f"These {len(data)} bytes are no image{why}.", "Give a PNG or a JPEG.") from exc
    return image


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as exc:
        raise UsageError("Images need Pillow.", 'pip install "grpo-env-sdk[images]"') from exc
    return Image
