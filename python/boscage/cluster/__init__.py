"""Clusters: `DBSCAN`, `dbscan` and `HDBSCAN` of scikit-learn, friends of friends, and `boscage.cluster.hierarchy`."""

from typing import Any

from . import hierarchy
from ._friends import friends_of_friends

_OF_HDBSCAN = (
    "HDBSCAN",
    "all_points_membership_vectors",
    "approximate_predict",
    "membership_vector",
    "validity_index",
)
__all__ = ["DBSCAN", *_OF_HDBSCAN, "dbscan", "friends_of_friends", "hierarchy"]


def __getattr__(name: str) -> Any:
    if name in ("DBSCAN", "dbscan"):  # they import scikit-learn
        from . import _dbscan

        return getattr(_dbscan, name)
    if name in _OF_HDBSCAN:
        from . import _hdbscan

        return getattr(_hdbscan, name)
    raise AttributeError(f"module 'boscage.cluster' has no attribute {name!r}")
