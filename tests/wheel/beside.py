"""Calls of boscage beside those of other packages that bring an OpenMP runtime: one process, any order, threads, fork.

usage: beside.py MODULE...    (sklearn, numba, torch)
"""

import itertools
import multiprocessing
import subprocess
import sys
import threading

ONE_ORDER = "--one-order"


def call_sklearn():
    import numpy as np
    import sklearn.cluster

    points = np.random.default_rng(1).random((2000, 3))
    sklearn.cluster.KMeans(4, n_init=1, random_state=0).fit(points)  # Cython's prange


def call_numba():
    import numba
    import numpy as np

    numba.config.THREADING_LAYER = "omp"

    @numba.njit(parallel=True)
    def sum_squares(values):
        total = 0.0
        for i in numba.prange(len(values)):
            total += values[i] * values[i]
        return total

    assert sum_squares(np.ones(100000)) == 100000
    assert numba.threading_layer() == "omp"


def call_torch():
    import torch

    square = torch.ones((600, 600))
    assert float((square @ square).sum()) == 600.0**3


def call_boscage():
    import numpy as np
    from boscage.hashing import unique
    from boscage.spatial import KDTree

    points = np.random.default_rng(2).random((50000, 3))
    distances, rows = KDTree(points).query(points[:5000], k=3)
    assert (distances[:, 0] == 0).all() and (rows[:, 0] == np.arange(5000)).all()
    assert len(unique(np.arange(100000) % 777)) == 777


CALLS = {"boscage": call_boscage, "sklearn": call_sklearn, "numba": call_numba, "torch": call_torch}


def call_in_child():
    """fork() after calls of all: boscage and NumPy still work in the child."""
    child = multiprocessing.get_context("fork").Process(target=call_boscage)
    child.start()
    child.join(120)
    assert child.exitcode == 0, f"the child ended with {child.exitcode}"


def run_order(names):
    """Calls in this order, twice; then from threads at once; then in a child."""
    for name in names * 2:
        CALLS[name]()
    failures = []
    threading.excepthook = lambda about: failures.append(about.exc_value)
    beside = [name for name in names if name != "numba"]  # its OpenMP layer serves one thread at a time
    threads = [threading.Thread(target=CALLS[name]) for name in beside for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    call_in_child()


if sys.argv[1:2] == [ONE_ORDER]:
    run_order(sys.argv[2:])
else:
    names = ["boscage", *sys.argv[1:]]
    rotations = [names[i:] + names[:i] for i in range(len(names))]
    orders = list(itertools.permutations(names)) if len(names) < 4 else rotations
    for order in orders:
        subprocess.run([sys.executable, __file__, ONE_ORDER, *order], check=True, timeout=300)
    print(f"beside {', '.join(sys.argv[1:])}: {len(orders)} orders")
