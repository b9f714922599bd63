"""The same two tasks in verifiers 0.1.14, run inside a virtual environment of its own; prints CPU ms a rollout."""

import json
import os
import sys
import time


def main() -> None:
    """Evaluate both tasks against the server whose address is given."""
    os.environ["BENCH_KEY"] = "none"
    import verifiers as vf
    from datasets import Dataset

    url, count = sys.argv[1], int(sys.argv[2])
    rows = Dataset.from_list([{"question": f"Question {i}?", "answer": "done"} for i in range(count)])

    def right(completion, answer, **kwargs):  # type: ignore[no-untyped-def]  # as its users write it
        last = completion[-1]
        return float((last["content"] if isinstance(last, dict) else last.content) == answer)

    def look_up(name: str, page: int = 0) -> dict:  # type: ignore[type-arg]  # as its users write it
        """Look something up.

        Args:
            name: What.
            page: Which page of it.
        """
        return {"name": name, "page": str(page)}

    rubric = vf.Rubric(funcs=[right])
    client = vf.ClientConfig(api_key_var="BENCH_KEY", api_base_url=url)
    found = {}
    for name, env in (
        ("one", vf.SingleTurnEnv(eval_dataset=rows, rubric=rubric)),
        ("five", vf.ToolEnv(tools=[look_up], eval_dataset=rows, rubric=rubric, max_turns=10)),
    ):
        env.evaluate_sync(client, model="x", num_examples=20, max_concurrent=64)
        started = time.process_time()
        results = env.evaluate_sync(client, model="x", num_examples=count, max_concurrent=64)
        seconds = time.process_time() - started
        rewards = [output["reward"] for output in results["outputs"]]
        assert sum(rewards) == count, (name, sum(rewards))
        found[name] = seconds / count * 1000
    print(json.dumps(found))


main()
