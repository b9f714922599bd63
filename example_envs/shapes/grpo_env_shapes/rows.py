"""The rows of the dataset: different scenes with their images, split by content."""

import hashlib
from random import Random
from typing import Any, Literal

from grpo_env_shapes.answer import RULES
from grpo_env_shapes.drawing import draw_image
from grpo_env_shapes.scene import Question, Scene, draw_scene

Split = Literal["train", "test"]
SIZES: dict[Split, int] = {"train": 400, "test": 100}


def make_rows(questions: tuple[Question, ...], size: int, split: Split, seed: int) -> list[dict[str, Any]]:
    """The rows of one split, the same in every process; no scene is in both."""
    rng = Random(f"shapes/{seed}/{' '.join(questions)}")
    found: dict[Scene, int] = {}
    while len(found) < SIZES[split]:
        drawn = rng.getrandbits(32)
        scene = draw_scene(Random(drawn), questions)
        if _split_of(scene) == split:
            found.setdefault(scene, drawn)
    return [_row(scene, drawn, size) for scene, drawn in found.items()]


def _split_of(scene: Scene) -> Split:
    """Every fifth image is held out, whatever is asked about it."""
    digest = hashlib.blake2b(repr(scene.shapes).encode(), digest_size=4).digest()
    return "test" if int.from_bytes(digest) % 5 == 0 else "train"


def _row(scene: Scene, seed: int, size: int) -> dict[str, Any]:
    asked = [{"role": "system", "content": RULES}, {"role": "user", "content": scene.text}]
    return {
        "prompt": asked,
        "image": draw_image(scene, size),
        "question": scene.question,
        "seed": seed,
        "answer": scene.answer,
    }
