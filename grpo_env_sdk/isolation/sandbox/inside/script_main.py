"""In the sandbox: run a solution as a script, on the input that comes after the order."""

from .limits import take_order


def main() -> None:
    """Say that the order is read, and then be the script."""
    order = take_order()
    print("ready", flush=True)
    exec(compile(order["solution"], "solution.py", "exec"), {"__name__": "__main__"})
