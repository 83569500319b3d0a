"""scipy's cKDTree on uniform points, as bench_kdtree times ours: peer_scipy.py [points [queries [dim]]]."""
import sys
import time

try:
    import numpy
    from scipy.spatial import cKDTree
except ImportError:
    sys.exit("peer_scipy: scipy is not installed")

n, m, dim = (int(a) for a in (sys.argv[1:] + ["1048576", "1048576", "3"][len(sys.argv) - 1:]))
random = numpy.random.default_rng(1)
points = random.random((n, dim), dtype=numpy.float32)
queries = random.random((m, dim), dtype=numpy.float32)
begin = time.perf_counter()
tree = cKDTree(points)
print(f"{'build':22} {1e3 * (time.perf_counter() - begin):11.4f}")
for k in (1, 8):
    begin = time.perf_counter()
    tree.query(queries, k)
    seconds = time.perf_counter() - begin
    print(f"nearest, k={k:<11} {1e3 * seconds:11.4f} {1e-6 * m / seconds:22.3f} M/s")
