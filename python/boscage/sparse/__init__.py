"""Sparse graphs: `boscage.sparse.csgraph`."""

from . import csgraph

__all__ = ["csgraph"]
