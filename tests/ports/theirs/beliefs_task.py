"""A task of Inspect, as its users write one."""

from inspect_ai import Task, task
from inspect_ai.dataset import example_dataset
from inspect_ai.scorer import match
from inspect_ai.solver import generate


@task
def beliefs():
    return Task(dataset=example_dataset("theory_of_mind"), solver=generate(), scorer=match("exact"))
