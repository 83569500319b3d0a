"""The installed tests of other projects pass, except for those listed with their reasons."""

import os
import pathlib
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

HERE = pathlib.Path(__file__).parent / "upstream"

FILES = {
    "scipy.spatial.tests.test_kdtree": "kdtree",
    "scipy.cluster.tests.test_hierarchy": "hierarchy",
    "scipy.sparse.csgraph.tests.test_spanning_tree": "csgraph",
    "scipy.sparse.csgraph.tests.test_connected_components": "csgraph",
    "scipy.sparse.csgraph.tests.test_shortest_path": "shortest_path",
    "sklearn.neighbors.tests.test_kd_tree": "sklearn_kdtree",
    "sklearn.neighbors.tests.test_neighbors": "neighbors",
    "sklearn.neighbors.tests.test_kde": "density",
    "sklearn.neighbors.tests.test_lof": "outliers",
    "sklearn.neighbors.tests.test_graph": "graphs",
    "sklearn.cluster.tests.test_dbscan": "clusters",
    "sklearn.cluster.tests.test_hdbscan": "clusters",
    "networkx.algorithms.tree.tests.test_mst": "networkx",
    "networkx.algorithms.components.tests.test_connected": "networkx",
    "networkx.algorithms.shortest_paths.tests.test_weighted": "networkx",
    "networkx.algorithms.shortest_paths.tests.test_unweighted": "networkx",
    "networkx.algorithms.shortest_paths.tests.test_generic": "networkx",
    "networkx.algorithms.traversal.tests.test_bfs": "networkx",
}

if find_spec("ase"):
    FILES.update({f"ase.test.neighbor.{name}": "ase" for name in ("test_neighbor", "test_neighbor_kernel")})


def run(which, *selected):
    """Runs tests of other projects: installed modules, or files."""
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = dict(os.environ, BOSCAGE_UPSTREAM=which, PYTHONPATH=path)
    if which == "networkx":
        environment.update(NETWORKX_TEST_BACKEND="boscage", NETWORKX_FALLBACK_TO_NX="1")
    options = ["-p", "boscage_upstream", "-p", "no:cacheprovider", "-q", "-c", os.devnull]
    options += ["-rfEX", "--tb=short", "-W", "ignore"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *selected], env=environment, capture_output=True, text=True, cwd="/"
    )
    said = ran.stdout[-6000:] + ran.stderr[-2000:]
    assert ran.returncode == 0, said
    passed = int(re.search(r"(\d+) passed", ran.stdout).group(1))
    listed = int((re.search(r"(\d+) xfailed", ran.stdout) or [0, 0])[1])
    assert passed >= 9 * listed, said  # at most a tenth of a file


@pytest.mark.timeout(600)
@pytest.mark.parametrize("module", FILES)
def test_upstream(module):
    run(FILES[module], "--pyargs", module)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "module", [module for module in FILES if module.startswith("scipy.") or module.endswith(("test_kde", "test_lof"))]
)
def test_upstream_accelerated(module):
    run(FILES[module] + ":accelerated", "--pyargs", module)


# Tests that packages are installed without: a variable has the paths of these files in the sources of the project.
SOURCES = {
    "cupy": "BOSCAGE_CUPY_TESTS",  # tests/cupyx_tests/scipy_tests/spatial_tests/test_kdtree.py
    "matscipy": "BOSCAGE_MATSCIPY_TESTS",  # tests/test_neighbours.py
    "vesin": "BOSCAGE_VESIN_TESTS",  # python/vesin/tests/test_numpy.py, test_torch.py, test_cupy.py
    "torch_cluster": "BOSCAGE_TORCH_CLUSTER_TESTS",  # test/test_knn.py and others
}
HERE_ARE = [name for name, variable in SOURCES.items() if variable in os.environ]

if HERE_ARE:

    @pytest.mark.timeout(600)
    @pytest.mark.parametrize("name", HERE_ARE)
    def test_sources(name):
        run(name, *os.environ[SOURCES[name]].split(os.pathsep))
