"""Tests of other projects that are expected to fail with this package in the place of theirs, and why.

A name without parameters stands for all of them. What passes unexpectedly fails."""

EXPECTED = {
    "test_kdtree.py": {
        "test_query_pairs_eps": "scipy's eps may add pairs beyond the radius; here it only leaves out pairs near it",
    },
}
