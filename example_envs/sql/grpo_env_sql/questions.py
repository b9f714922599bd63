"""Questions to a database: each template writes one, and the SELECT that answers it."""

from collections.abc import Callable

from grpo_env_sql.scene import Question, Scene
from grpo_env_sql.schema import Difficulty

Template = Callable[[Scene], Question]


def count_above(scene: Scene) -> Question:
    """How many rows are above a number."""
    table = scene.child
    many, number = table.table.many, scene.number(table)
    least = scene.threshold(table, number)
    side, sign = scene.rng.choice((("above", ">"), ("below", "<")))
    return Question(
        f"How many {many} are there whose {number.said} is {side} {least}?",
        f"SELECT COUNT(*) FROM {table.name} WHERE {number.name} {sign} {least}",
    )


def extreme(scene: Scene) -> Question:
    """The highest, lowest or total number."""
    table, number = scene.child, scene.number(scene.child)
    word, function = scene.rng.choice((("highest", "MAX"), ("lowest", "MIN"), ("total", "SUM")))
    return Question(
        f"What is the {word} {number.said} of the {table.table.many}?",
        f"SELECT {function}({number.name}) FROM {table.name}",
    )


def labels_where(scene: Scene) -> Question:
    """The names in a group that are not above a number."""
    table, group, label = scene.child, scene.child.column("group"), scene.child.column("label")
    number, value = scene.number(table), scene.value(table, group)
    most = scene.threshold(table, number)
    return Question(
        f"Which {table.table.many} have {value} as {group.said} and a {number.said} of at most {most}? "
        f"Give the {label.said} of each.",
        f"SELECT {label.name} FROM {table.name} WHERE {group.name} = '{value}' AND {number.name} <= {most}",
    )


def mean_by_group(scene: Scene) -> Question:
    """The mean of every group."""
    table, group, number = scene.child, scene.child.column("group"), scene.number(scene.child)
    return Question(
        f"Give each {group.said} of the {table.table.many} and the mean {number.said} there.",
        f"SELECT {group.name}, AVG({number.name}) FROM {table.name} GROUP BY {group.name}",
    )


def labels_by_parent(scene: Scene) -> Question:
    """The names of rows whose parents are in a group."""
    parent, child = scene.parent, scene.child
    label, group = child.column("label"), parent.column("group")
    value = scene.value(parent, group)
    return Question(
        f"Which {child.table.many} belong to {parent.table.many} whose {group.said} is {value}? "
        f"Give the {label.said} of each.",
        f"SELECT c.{label.name} FROM {child.name} c JOIN {parent.name} p ON p.id = c.{child.parent_key} "
        f"WHERE p.{group.name} = '{value}'",
    )


def first_three(scene: Scene) -> Question:
    """The three highest, in order."""
    table, label, number = scene.child, scene.child.column("label"), scene.number(scene.child)
    return Question(
        f"Give {label.said} and {number.said} of the three {table.table.many} with the highest "
        f"{number.said}, the highest first; equal ones by {label.said}, A first.",
        f"SELECT {label.name}, {number.name} FROM {table.name} "
        f"ORDER BY {number.name} DESC, {label.name} LIMIT 3",
        ordered=True,
    )


def above_the_mean(scene: Scene) -> Question:
    """The rows above the mean of all rows."""
    table, label, number = scene.child, scene.child.column("label"), scene.number(scene.child)
    return Question(
        f"Which {table.table.many} have a {number.said} above the mean of all {table.table.many}? "
        f"Give the {label.said} of each.",
        f"SELECT {label.name} FROM {table.name} "
        f"WHERE {number.name} > (SELECT AVG({number.name}) FROM {table.name})",
    )


def children_of_each(scene: Scene) -> Question:
    """How many rows each parent has, including 0."""
    parent, child = scene.parent, scene.child
    label, number = parent.column("label"), scene.number(child)
    least = scene.threshold(child, number)
    return Question(
        f"Give the {label.said} of every one of the {parent.table.many}, and how many {child.table.many} "
        f"with a {number.said} of at least {least} they have; 0 where they have none.",
        f"SELECT p.{label.name}, COUNT(c.id) FROM {parent.name} p LEFT JOIN {child.name} c "
        f"ON c.{child.parent_key} = p.id AND c.{number.name} >= {least} GROUP BY p.id",
    )


def without_events(scene: Scene) -> Question:
    """The rows without events."""
    child, event, label = scene.child, scene.event, scene.child.column("label")
    return Question(
        f"Which {child.table.many} have no {event.table.many} at all? "
        f"Give the {label.said} of each, A first.",
        f"SELECT {label.name} FROM {child.name} c WHERE NOT EXISTS "
        f"(SELECT 1 FROM {event.name} e WHERE e.{event.parent_key} = c.id) ORDER BY {label.name}",
        ordered=True,
    )


def total_by_parent_group(scene: Scene) -> Question:
    """A total over three tables for each group of parents, from a given year on."""
    parent, child, event = scene.parent, scene.child, scene.event
    group, number, year = parent.column("group"), event.column("first"), event.column("second")
    since = scene.threshold(event, year)
    return Question(
        f"Give each {group.said} of the {parent.table.many} and the total {number.said} of the "
        f"{event.table.many} in {since} or later of all {child.table.many} there; "
        "leave out those without any.",
        f"SELECT p.{group.name}, SUM(e.{number.name}) FROM {event.name} e "
        f"JOIN {child.name} c ON c.id = e.{event.parent_key} "
        f"JOIN {parent.name} p ON p.id = c.{child.parent_key} "
        f"WHERE e.{year.name} >= {since} GROUP BY p.{group.name}",
    )


def best_of_each_group(scene: Scene) -> Question:
    """The highest in each group."""
    table, group, label = scene.child, scene.child.column("group"), scene.child.column("label")
    number = scene.number(table)
    return Question(
        f"For each {group.said} of the {table.table.many}, give the {group.said} and the {label.said} of the "
        f"one with the highest {number.said}; all of them where several have it.",
        f"SELECT {group.name}, {label.name} FROM {table.name} a WHERE {number.name} = "
        f"(SELECT MAX({number.name}) FROM {table.name} b WHERE b.{group.name} = a.{group.name})",
    )


def busiest(scene: Scene) -> Question:
    """The rows with at least so many events, the most first."""
    child, event, label = scene.child, scene.event, scene.child.column("label")
    many, least = event.table.many, scene.rng.randint(2, 3)
    return Question(
        f"Which {child.table.many} have at least {least} {many}? Give the {label.said} and the number of "
        f"{many}, the most first; equal ones by {label.said}, A first.",
        f"SELECT c.{label.name}, COUNT(*) AS n FROM {child.name} c "
        f"JOIN {event.name} e ON e.{event.parent_key} = c.id "
        f"GROUP BY c.id HAVING n >= {least} ORDER BY n DESC, c.{label.name}",
        ordered=True,
    )


TEMPLATES: dict[Difficulty, tuple[Template, ...]] = {
    "easy": (count_above, extreme),
    "normal": (labels_where, mean_by_group, labels_by_parent, first_three, above_the_mean),
    "hard": (children_of_each, without_events, total_by_parent_group, best_of_each_group, busiest),
}
