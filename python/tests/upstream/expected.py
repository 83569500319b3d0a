"""Tests of other projects expected to fail with this package in place of theirs, and the reasons.

A name without parameters stands for all parameters. A listed test that passes is a failure."""

from importlib.metadata import version

EXPECTED = {
    "shortest_path": {
        "test_predecessors": "of two equal paths the one by the smaller predecessor is chosen, not that of scipy's heap",
    },
    "matscipy": {
        "TestNeighbours::test_wrong_number_of_cutoffs": "a ValueError, where matscipy has a TypeError",
    },
    "vesin": {
        "test_sorting": "lists are always sorted",
        "test_errors": "a ValueError names the argument, where vesin has a RuntimeError",
        "test_cpu_brute_force_error": "all algorithms are accepted, as the list does not depend on them",
        "test_dtype": "i and j are int64, by which all libraries index; vesin's are uint64",
        "test_integer_input_float_outputs": "i and j are int64",
    },
    "torch_cluster": {
        "test_nearest": "a row without points in its cloud gets -1, without a wait for an error",
    },
    "kdtree": {
        "test_query_pairs_eps": "scipy's eps may add pairs beyond the radius; here it only leaves out pairs near it",
    },
}

if tuple(map(int, version("scipy").split(".")[:2])) < (1, 18):
    EXPECTED["kdtree"]["test_kdtree_attributes"] = "`data` is a view that cannot be written to, as from scipy 1.18 on"

# Further ones where `accelerate` makes the replacements.
ACCELERATED = {"kdtree": {"test_ckdtree_view": "nodes are of this package's class, which has another name in scipy"}}
