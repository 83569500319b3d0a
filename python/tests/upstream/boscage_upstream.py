"""A plugin of pytest that runs the installed tests of other projects with this package in place of theirs.

`BOSCAGE_UPSTREAM` names the replacements; behind it ":accelerated" makes them by `boscage.accelerate`. Tests expected to fail are listed in `expected.py`, each with its reason.
A listed test that passes is a failure, and so is a listed name that is no test.
"""

import os
import warnings

import pytest
from expected import ACCELERATED, EXPECTED

WHICH, _, HOW = os.environ["BOSCAGE_UPSTREAM"].partition(":")


def replace_kdtree():
    import scipy.spatial
    import scipy.spatial._ckdtree

    import boscage.spatial

    scipy.spatial.KDTree = boscage.spatial.KDTree
    scipy.spatial.cKDTree = boscage.spatial.cKDTree
    scipy.spatial._ckdtree.cKDTreeNode = boscage.spatial.cKDTreeNode


def replace_csgraph():
    import scipy.sparse.csgraph

    import boscage.sparse.csgraph

    for name in ("minimum_spanning_tree", "connected_components"):
        setattr(scipy.sparse.csgraph, name, getattr(boscage.sparse.csgraph, name))


def replace_shortest_path():
    import scipy.sparse.csgraph

    import boscage.sparse.csgraph

    for name in ("dijkstra", "shortest_path"):
        setattr(scipy.sparse.csgraph, name, getattr(boscage.sparse.csgraph, name))


def replace_neighbors():
    import sklearn.neighbors

    import boscage.neighbors

    for name in boscage.neighbors.__all__:
        if hasattr(sklearn.neighbors, name):
            setattr(sklearn.neighbors, name, getattr(boscage.neighbors, name))


def replace_sklearn_kdtree():
    import sklearn.neighbors._kd_tree

    import boscage.neighbors

    for name in ("KDTree", "KDTree32", "KDTree64"):
        setattr(sklearn.neighbors._kd_tree, name, getattr(boscage.neighbors, name))


def replace_clusters():
    import sklearn.cluster

    import boscage.cluster

    for name in ("DBSCAN", "HDBSCAN", "dbscan"):
        setattr(sklearn.cluster, name, getattr(boscage.cluster, name))


def replace_ase():
    from types import SimpleNamespace

    import ase.neighborlist

    from boscage.atoms import neighbor_list

    def of_arrays(
        quantities, pbc, cell, positions, cutoff, numbers=None, self_interaction=False, use_scaled_positions=False, **_
    ):
        at = positions @ cell if use_scaled_positions else positions
        system = SimpleNamespace(positions=at, cell=cell, pbc=pbc, numbers=numbers)
        return neighbor_list(quantities, system, cutoff, self_interaction)

    ase.neighborlist.neighbor_list = neighbor_list
    ase.neighborlist.primitive_neighbor_list = of_arrays


def replace_matscipy():
    import matscipy.neighbours

    import boscage.atoms

    matscipy.neighbours.neighbour_list = boscage.atoms.neighbour_list


def replace_vesin():
    import vesin._ase

    import boscage.atoms

    vesin.NeighborList = vesin._ase.NeighborList = boscage.atoms.NeighborList


def replace_torch_cluster():
    import torch
    import torch_cluster

    import boscage.torch

    for name in ("fps", "grid_cluster", "knn", "knn_graph", "nearest", "radius", "radius_graph"):
        setattr(torch_cluster, name, getattr(boscage.torch, name))
    torch.jit.script = lambda function: function  # TorchScript compiles functions of its own subset of Python alone


def replace_hierarchy():
    import scipy.cluster.hierarchy

    import boscage.cluster.hierarchy

    for name in ("cut_tree", "single"):
        theirs, ours = getattr(scipy.cluster.hierarchy, name), getattr(boscage.cluster.hierarchy, name)
        describe(ours, theirs)
        setattr(scipy.cluster.hierarchy, name, ours)


def describe(ours, theirs):
    """Gives a function the array libraries of the original, by which its tests are chosen."""
    try:
        from scipy._lib._array_api import xp_capabilities_table as libraries
    except ImportError:  # before 1.16
        return
    libraries[ours] = libraries.get(theirs)


def replace_cupy_kdtree():
    import cupyx.scipy.spatial

    import boscage.spatial

    cupyx.scipy.spatial.KDTree = boscage.spatial.KDTree


def replace_all():
    """All that `accelerate` replaces."""
    import scipy.cluster.hierarchy  # noqa: F401 - so that its functions are replaced here

    import boscage

    for each in boscage.accelerate()._replacements():
        if getattr(each.holder, "__name__", None) == "scipy.cluster.hierarchy":
            describe(getattr(each.holder, each.name), each.original)


def replace_nothing():
    """networkx reads NETWORKX_TEST_BACKEND instead."""


def pytest_configure(config):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        replacements = {
            "kdtree": replace_kdtree,
            "csgraph": replace_csgraph,
            "shortest_path": replace_shortest_path,
            **dict.fromkeys(("neighbors", "density", "outliers", "graphs"), replace_neighbors),
            "sklearn_kdtree": replace_sklearn_kdtree,
            "clusters": replace_clusters,
            "ase": replace_ase,
            "hierarchy": replace_hierarchy,
            "cupy": replace_cupy_kdtree,
            "matscipy": replace_matscipy,
            "vesin": replace_vesin,
            "torch_cluster": replace_torch_cluster,
            "networkx": replace_nothing,
        }
        (replace_all if HOW else replacements[WHICH])()


def pytest_collection_modifyitems(config, items):
    expected = EXPECTED.get(WHICH, {}) | (ACCELERATED.get(WHICH, {}) if HOW else {})
    unseen = set(expected)
    for item in items:
        name = item.nodeid.split("::", 1)[1]
        for key in (name, name.split("[")[0]):
            if key in expected:
                item.add_marker(pytest.mark.xfail(reason=expected[key], strict=True))
                unseen.discard(key)
    if unseen and not config.getoption("keyword"):
        raise pytest.UsageError(f"expected.py names what is no test: {sorted(unseen)}")
