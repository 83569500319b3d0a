"""Massively parallel data structures, rebuilt from their data, on the CPU and on CUDA devices, with the same answers:
k-d trees, spanning forests, hash tables, graphs of vectors that differ in one letter, terrains.

Modules have the names of the libraries with the same interface: change one import.

===========================  ==========================================================================
`boscage.spatial`            ``KDTree`` and ``cKDTree`` of scipy; ``VoxelGrid``; ``emst``, ``tour``
`boscage.neighbors`          trees, classifiers, regressors and other estimators of scikit-learn
`boscage.sparse.csgraph`     ``minimum_spanning_tree``, ``connected_components``, ``dijkstra``; ``verify_spanning_tree``
`boscage.clouds`             ``PointClouds``: neighbours and farthest points of many clouds
`boscage.voxels`             ``Voxels``, ``voxel_down_sample``, ``voxelize``: voxels of clouds, kernel maps
`boscage.cluster`            ``DBSCAN``, ``dbscan`` of scikit-learn; ``friends_of_friends``
`boscage.cluster.hierarchy`  ``linkage`` of scipy, by single linkage
`boscage.nx`                 a backend of networkx
`boscage.hashing`            ``HashMap``, ``MultiMap``, ``HashSet``; ``unique``, ``isin``, ``factorize``
`boscage.hamming`            ``CellGraph``, ``Trie``
`boscage.atoms`              ``neighbor_list`` of ASE, matscipy and vesin
`boscage.terrain`            ``Terrain``, ``ConcurrentBinaryTree``
`boscage.torch`              ``knn``, ``radius``, ``knn_graph``, ``fps``, ... of PyTorch Geometric
`boscage.jax`                ``knn``, ``knn_points``, ``neighbor_matrix``, ... in programs of JAX
`boscage.planet`             ``Planet``: meshes of whole planets
`boscage.bisectors`          ``Bisectors``: triangle meshes refined to level 60
`boscage.collision`          ``CollisionDetector``, ``colliding_pairs`` of triangle meshes
`boscage.geometric`          ``GeometricHash``, ``find_transform``: models of points in scenes
`boscage.planner`            ``Planner``: certified routes of rotations
`boscage.arrangement`        ``Arrangement``: the cells between planes
`boscage.prims`              ``sort``, ``scan``, ``split`` and other primitives
`boscage.random`             points, keys, words and relief, the same everywhere
`boscage.ranks`              structures over several GPUs, threads, and processes of MPI
===========================  ==========================================================================

`boscage.accelerate` puts these names into the libraries themselves; ``python -m boscage SCRIPT`` does so for a program.
`boscage.use` chooses the CPU or a GPU for NumPy arrays; arrays of CuPy, PyTorch and JAX stay on their device.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import _core
from ._accelerate import accelerate
from ._where import use

__version__ = _core.version()

_MODULES = (
    "arrangement",
    "atoms",
    "bisectors",
    "clouds",
    "cluster",
    "collision",
    "geometric",
    "hamming",
    "hashing",
    "jax",
    "neighbors",
    "nx",
    "planet",
    "planner",
    "prims",
    "random",
    "ranks",
    "sparse",
    "spatial",
    "terrain",
    "torch",
    "voxels",
)

__all__ = ["__version__", "accelerate", "device_count", "info", "use", *_MODULES]


def device_count() -> int:
    """CUDA devices that can be used; 0 where there is no driver, or where the package was built without CUDA."""
    return _core.device_count()


def info() -> dict[str, Any]:
    """Capabilities on this machine: backends, level of the CPU, threads, and the reason if there is no CUDA."""
    about = _core.Where().info()
    return {
        "version": __version__,
        "cpu_level": about["cpu_level"],
        "threads": about["threads"],
        "devices": device_count(),
        "cuda": _core.backend_reason("cuda") or "usable",
    }


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'boscage' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
