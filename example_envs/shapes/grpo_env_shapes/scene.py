"""A scene: shapes in the cells of a grid, and how a random one is drawn for a question."""

from dataclasses import dataclass
from random import Random
from typing import Literal, get_args

Form = Literal["circle", "square", "triangle"]
Colour = Literal["red", "green", "blue", "black"]
Question = Literal["count", "colour"]
FORMS: tuple[Form, ...] = get_args(Form)
COLOURS: tuple[Colour, ...] = get_args(Colour)
QUESTIONS: tuple[Question, ...] = get_args(Question)
CELLS = 9
"""The grid has three rows of three cells."""
MOST = 4
"""The most shapes that a question asks to count."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape: its form, its colour, and its cell, counted from the upper left."""

    form: Form
    colour: Colour
    cell: int


@dataclass(frozen=True, slots=True)
class Scene:
    """The shapes of an image, and what is asked about those of one form."""

    shapes: tuple[Shape, ...]
    asked: Form
    question: Question

    @property
    def answer(self) -> str:
        """How many shapes of that form there are, or the colour of the only one."""
        found = [shape for shape in self.shapes if shape.form == self.asked]
        return str(len(found)) if self.question == "count" else found[0].colour

    @property
    def text(self) -> str:
        """The question in words."""
        if self.question == "count":
            return f"How many {self.asked}s are in the image?"
        return f"Which colour is the {self.asked}?"


def draw_scene(rng: Random, questions: tuple[Question, ...]) -> Scene:
    """A random scene; every answer of a question is equally likely."""
    question, asked = rng.choice(questions), rng.choice(FORMS)
    count = rng.randint(1, MOST) if question == "count" else 1
    others = [form for form in FORMS if form != asked]
    forms = [asked] * count + [rng.choice(others) for _ in range(rng.randint(1, 3))]
    cells = rng.sample(range(CELLS), len(forms))
    placed = zip(forms, cells, strict=True)
    shapes = (Shape(form, rng.choice(COLOURS), cell) for form, cell in placed)
    return Scene(tuple(sorted(shapes, key=lambda shape: shape.cell)), asked, question)
