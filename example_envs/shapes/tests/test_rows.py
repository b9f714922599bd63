import hashlib
import os
import subprocess
import sys

import pytest

from grpo_env_shapes import ShapesEnv
from grpo_env_shapes.drawing import draw_image
from grpo_env_shapes.rows import make_rows
from grpo_env_shapes.scene import COLOURS, QUESTIONS, Scene, Shape

DIGEST = """
import hashlib, random
from grpo_env_shapes.rows import make_rows
random.seed(7)
rows = make_rows(("count", "colour"), 84, "test", 0)
print(hashlib.sha256(b"".join(row["image"].tobytes() for row in rows)).hexdigest())
"""


def images(rows):
    return [row["image"].tobytes() for row in rows]


def test_there_are_400_rows_to_train_on_and_100_held_out_with_other_images():
    env = ShapesEnv()
    train, test = (
        [row["image"].tobytes() for row in env.build_dataset(None, split=each)] for each in ("train", "test")
    )
    assert (len(train), len(test)) == (400, 100)
    assert not set(train) & set(test)


def test_images_are_the_same_in_another_process_whatever_its_hash_seed():
    shown = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONHASHSEED": "123", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = make_rows(QUESTIONS, 84, "test", 0)
    assert (
        shown.stdout.strip() == hashlib.sha256(b"".join(row["image"].tobytes() for row in rows)).hexdigest()
    )


def test_another_seed_draws_other_images():
    first, second = (
        {row["image"].tobytes() for row in make_rows(QUESTIONS, 84, "test", seed)} for seed in (0, 1)
    )
    assert len(first & second) < 5


def test_an_image_shows_every_shape_in_its_cell_and_colour():
    shapes = tuple(Shape("square", colour, cell) for cell, colour in enumerate(COLOURS))
    image = draw_image(Scene(shapes, "square", "count"), 30)
    assert image.size == (30, 30)
    centres = [image.getpixel((10 * (cell % 3) + 5, 10 * (cell // 3) + 5)) for cell in range(9)]
    assert len(set(centres[:4])) == 4
    assert set(centres[4:]) == {(255, 255, 255)}


def test_the_answer_is_what_the_image_shows():
    shapes = (Shape("circle", "red", 0), Shape("circle", "blue", 4), Shape("square", "black", 8))
    assert Scene(shapes, "circle", "count").answer == "2"
    assert Scene(shapes, "square", "colour").answer == "black"


@pytest.mark.parametrize("questions", [["count"], ["colour"]])
def test_every_answer_is_about_as_frequent_as_the_others(questions):
    answers = [row["answer"] for row in ShapesEnv(questions=questions).build_dataset(None)]
    assert all(60 <= answers.count(answer) <= 140 for answer in set(answers))
    assert len(set(answers)) == 4


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"questions": []}, r"questions is \[\]; it can be some of count, colour"),
        ({"questions": ["size"]}, r"questions is \['size'\]"),
        ({"size": 8}, "size is 8; it can be 24 to 1024"),
    ],
)
def test_config_that_cannot_be_is_told_with_what_can(config, told):
    with pytest.raises(ValueError, match=told):
        ShapesEnv(**config)
