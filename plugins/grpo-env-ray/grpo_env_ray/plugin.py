"""Registers the pool, without importing Ray."""

from grpo_env_sdk import hookimpl
from grpo_env_sdk.ext import PoolFlag, PoolSpec

ADDRESS, RESOURCES = "ray-address", "ray-resources"


@hookimpl
def grpo_env_register_pools() -> list[PoolSpec]:
    """`--env-pool ray`, with the address of the cluster and what each worker asks of it."""
    return [
        PoolSpec(
            name="ray",
            help="actors on a Ray cluster",
            target="grpo_env_ray.pool:ray_workers",
            flags=(
                PoolFlag(ADDRESS, "ADDRESS", "auto, local, HOST:PORT or ray://HOST:PORT (default: what Ray finds)"),
                PoolFlag(RESOURCES, "JSON", "what each worker asks of a node, such as '{\"num_cpus\": 2}'"),
            ),
            reads=("ray_resources",),
        )
    ]
