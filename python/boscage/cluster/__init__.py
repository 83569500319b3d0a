"""Clustering: `boscage.cluster.hierarchy`."""

from . import hierarchy

__all__ = ["hierarchy"]
