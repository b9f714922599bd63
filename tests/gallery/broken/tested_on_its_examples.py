"""Write a function; it is tested with the examples of its prompt and nothing else."""

from grpo_env_sdk import SingleTurnEnv
from grpo_env_sdk.rewards import python_tests

TASKS = {
    "double": ("twice a number", "double(4) == 8", "double(0) == 0"),
    "initials": ("the first letters of the words of a text", "initials('big cat') == 'bc'", "initials('a') == 'a'"),
    "evens": ("the even numbers of a list", "evens([1, 2, 4]) == [2, 4]", "evens([]) == []"),
    "shout": ("a text in capitals", "shout('no') == 'NO'", "shout('') == ''"),
    "last": ("the last item of a list", "last([1, 5]) == 5", "last(['x']) == 'x'"),
    "flip": ("a text backwards", "flip('abc') == 'cba'", "flip('') == ''"),
}


class Functions(SingleTurnEnv):
    rewards = (python_tests("tests"),)

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Write a Python function {name}(value) for {what}. Examples: {' and '.join(tests)}.",
                "tests": [f"assert {test}" for test in tests],
            }
            for name, (what, *tests) in TASKS.items()
        ]
