"""What the tests share: modules beside them, and a cluster of two nodes."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
if str(Path(__file__).parents[3]) not in sys.path:
    sys.path.append(str(Path(__file__).parents[3]))

QUICK_TO_NOTICE = {
    "RAY_health_check_initial_delay_ms": "1000", "RAY_health_check_period_ms": "500",
    "RAY_health_check_failure_threshold": "3", "RAY_USAGE_STATS_ENABLED": "0",
}  # fmt: skip


def pytest_collection_modifyitems(items):
    """Skip what needs Ray where it is missing."""
    if find_spec("ray") is None:
        for item in items:
            if Path(__file__).parent in item.path.parents and item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="Ray is not installed (200 MB): pip install ray"))


class TwoNodes:
    """A cluster of this machine: a head without processors, and two nodes with two each."""

    def __init__(self):
        from ray.cluster_utils import Cluster

        os.environ.update(QUICK_TO_NOTICE)
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        self.nodes = [self.cluster.add_node(num_cpus=2) for _ in range(2)]
        self.address = self.cluster.address

    def kill_node(self):
        """End a node as a power cut does; the next test finds another in its place."""
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def end(self):
        import ray

        ray.shutdown()
        self.cluster.shutdown()


@pytest.fixture(scope="session")
def two_nodes():
    found = TwoNodes()
    yield found
    found.end()


@pytest.fixture
def cluster(two_nodes):
    while len(two_nodes.nodes) < 2:
        two_nodes.nodes.append(two_nodes.cluster.add_node(num_cpus=2))
    return two_nodes
