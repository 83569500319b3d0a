"""Checks of answers over ranks, for mpi_program.py and torch_program.py."""

import numpy as np

import boscage.hashing
import boscage.spatial
from boscage import ranks


def check_answers(comm):
    points = np.random.default_rng(0).random((3000, 3))
    tree = ranks.KDTree(comm, comm.slice(points))
    tree.verify()
    d, i = tree.query(comm.slice(points), 5)
    want = boscage.spatial.cKDTree(points).query(comm.slice(points), 5)
    assert (d == want[0]).all() and (i == want[1]).all()
    offsets, ids = tree.query_ball_csr(comm.slice(points), 0.05)
    want = boscage.spatial.cKDTree(points).query_ball_csr(comm.slice(points), 0.05)
    assert (offsets == want[0]).all() and (ids == want[1]).all()
    keys = np.random.default_rng(1).integers(0, 500, 4000)
    codes = ranks.unique(comm, comm.slice(keys))[0]
    assert (codes == comm.slice(boscage.hashing.factorize(keys)[0])).all()
    assert (ranks.sort(comm, comm.slice(keys)) == comm.slice(np.sort(keys))).all()
    assert ranks.reduce(comm, comm.slice(keys)) == keys.sum()
    pairs = ranks.emst(comm, comm.slice(points))[0]
    begin, end = comm.bounds(len(points))
    assert (pairs == boscage.spatial.emst(points)[0][begin:end]).all()
