"""Primitives against NumPy."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boscage import prims

TYPES = ["float32", "float64", "int32", "int64", "uint32", "uint64"]
UFUNCS = {"sum": np.add, "min": np.minimum, "max": np.maximum}


def numbers(n, dtype, seed=0, most=50):
    rng = np.random.default_rng(seed)
    low = -most if dtype[0] in "if" else 0
    return rng.integers(low, most, n).astype(dtype)


@given(st.integers(0, 3000), st.sampled_from(TYPES), st.sampled_from(list(UFUNCS)))
def test_reduce_and_scan(n, dtype, op):
    x = numbers(n, dtype, n)
    if n:
        assert prims.reduce(x, op) == UFUNCS[op].reduce(x, dtype=dtype if op == "sum" else None)
        assert prims.reduce(x, op).dtype == dtype
    want = UFUNCS[op].accumulate(x, dtype=dtype) if n else x
    ours = prims.scan(x, op)
    assert ours.dtype == dtype and (ours == want).all()
    exclusive = prims.scan(x, op, exclusive=True)
    assert (exclusive[1:] == want[:-1]).all()
    heads = np.random.default_rng(n).random(n) < 0.1
    ours = prims.scan(x, op, heads=heads)
    borders = np.flatnonzero(heads | (np.arange(n) == 0)).tolist() + [n]
    for begin, end in zip(borders, borders[1:]):
        assert (ours[begin:end] == UFUNCS[op].accumulate(x[begin:end], dtype=dtype)).all()


def test_identities():
    assert prims.reduce(np.zeros(0), "sum") == 0 and prims.reduce(np.zeros(0), "min") == np.inf
    assert prims.reduce(np.zeros(0, np.int32), "max") == np.iinfo(np.int32).min


@given(st.integers(0, 2000), st.sampled_from(TYPES))
def test_sorts_and_searches(n, dtype):
    x, y = numbers(n, dtype, n), np.sort(numbers(n // 2, dtype, n + 1))
    assert (prims.sort(x) == np.sort(x)).all() and prims.sort(x).dtype == dtype
    assert (prims.argsort(x) == np.argsort(x, kind="stable")).all()
    keys, values = prims.sort_pairs(x, np.arange(n))
    assert (keys == np.sort(x)).all() and (x[values] == keys).all()
    assert (prims.merge(np.sort(x), y) == np.sort(np.concatenate([x, y]))).all()
    assert (prims.searchsorted(y, x) == np.searchsorted(y, x)).all()
    assert (prims.searchsorted(y, x, "right") == np.searchsorted(y, x, "right")).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [2, 3, 40, 5000])
def test_nans_and_zeros_of_any_sign(n, dtype):
    values = np.array([0.0, -0.0, 1.0, -1.0, -np.inf, np.inf, np.nan, -np.nan], dtype)
    x = values[np.random.default_rng(n).integers(0, len(values), n)]
    x[:2] = (0.0, -0.0) if n == 2 else (-np.nan, 1.0)  # 0 / 0 is -nan on x86
    order = np.argsort(x, kind="stable")
    sorted_x = x[order]
    assert (prims.argsort(x) == order).all()
    assert np.array_equal(prims.sort(x), sorted_x, equal_nan=True)
    assert np.array_equal(prims.merge(sorted_x, sorted_x), np.sort(np.tile(x, 2)), equal_nan=True)
    for side in ("left", "right"):
        assert (prims.searchsorted(sorted_x, values, side) == np.searchsorted(sorted_x, values, side)).all()
    if find_spec("torch"):
        import torch

        assert prims.argsort(torch.asarray(x)).tolist() == order.tolist()


def test_searches_right_of_the_greatest():
    for y in (
        np.array([-np.inf, -1.0, -0.0, 0.0, 5e-324, 2.0, np.inf, np.inf, np.nan]),
        np.array([-(2**31), 0, 2**31 - 1, 2**31 - 1], np.int32),
        np.array([0, 7, 2**64 - 1], np.uint64),
    ):
        for side in ("left", "right"):
            assert (prims.searchsorted(y, y, side) == np.searchsorted(y, y, side)).all()
    greatest = np.array([1, np.finfo(np.float32).max, np.inf], np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert prims.searchsorted(greatest, greatest, "right").tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="side"):
        prims.searchsorted([1], [1], "middle")


@given(st.integers(0, 500), st.integers(1, 4), st.sampled_from(["float32", "float64", "int32", "int64"]))
def test_points(n, m, dtype):
    points = numbers(n * m, dtype, n, 3).reshape(n, m)
    for first in range(m):
        columns = [np.arange(n)] + [points[:, (first + c) % m] for c in reversed(range(m))]
        assert (prims.sort_points(points, first) == np.lexsort(columns)).all()


@given(st.integers(0, 2000), st.integers(1, 30))
def test_buckets(n, buckets):
    rng = np.random.default_rng(n)
    of = rng.integers(0, buckets, n)
    assert (prims.bincount(of) == np.bincount(of)).all()
    assert (prims.bincount(of, minlength=40) == np.bincount(of, minlength=40)).all()
    keep = of % 2 == 0
    assert (prims.compact(of, keep) == of[keep]).all()
    order = np.argsort(of, kind="stable")
    offsets = np.append(0, np.cumsum(np.bincount(of, minlength=buckets)))
    for x in (rng.random(n), rng.random((n, 3)), rng.integers(0, 9, (n, 2)).astype(np.int16), rng.random(n) + 1j):
        out, begins = prims.split(x, of, buckets)
        assert out.dtype == x.dtype and (out == x[order]).all() and (begins == offsets).all()


def test_small_types_become_larger_ones():
    assert prims.sort(np.array([3, 1], np.int8)).dtype == np.int32
    assert prims.scan([True, True]).tolist() == [1, 2]
    assert prims.sort(np.array([np.nan, 1.0, -0.0])).tolist()[:2] == [0.0, 1.0]


@pytest.mark.parametrize(
    ("call", "error", "name"),
    [
        (lambda: prims.reduce([1], "product"), ValueError, "op"),
        (lambda: prims.reduce([[1]]), ValueError, "x"),
        (lambda: prims.reduce(["a"]), TypeError, "x"),
        (lambda: prims.scan([1, 2], heads=[1]), ValueError, "heads"),
        (lambda: prims.compact([1, 2], [1]), ValueError, "keep"),
        (lambda: prims.compact([1, 2], [1, 2]), TypeError, "keep"),
        (lambda: prims.bincount([-1]), TypeError, "x"),
        (lambda: prims.bincount([1], -3), ValueError, "minlength: -3"),
        (lambda: prims.split([1, 2], [0, 5], 3), ValueError, "bucket"),
        (lambda: prims.split([1, 2], [0], 3), ValueError, "buckets"),
        (lambda: prims.split(np.zeros((2, 0)), [0, 5], 3), ValueError, "buckets"),
        (lambda: prims.split([1, 2], [0, 1], 0), ValueError, "bucket_count"),
        (lambda: prims.merge([1], [1.0]), TypeError, "b"),
        (lambda: prims.searchsorted([1], [1.0]), TypeError, "v"),
        (lambda: prims.sort_points([[1.0]], 1), ValueError, "first"),
        (lambda: prims.sort([1 + 1j]), TypeError, "x"),
        (lambda: prims.sort_pairs([1, 2], [1]), ValueError, "values"),
    ],
)
def test_bad_arguments(call, error, name):
    with pytest.raises(error, match=name):
        call()


def test_numbers_for_too_many_bins():
    with pytest.raises(ValueError, match="x, minlength"):
        prims.bincount([2**28])


if find_spec("torch"):

    def test_tensors_are_not_cut_to_the_type_of_bins():
        import torch

        for bad in (torch.tensor([-1, 2]), torch.tensor([0, 2**32])):
            with pytest.raises(TypeError, match="^x:"):
                prims.bincount(bad)
            with pytest.raises(TypeError, match="^buckets:"):
                prims.split(torch.tensor([1, 2]), bad, 3)
        with pytest.raises(TypeError, match="integers are needed"):
            prims.bincount(torch.tensor([0.5]))
        assert prims.bincount(torch.tensor([0, 2, 2])).tolist() == [1, 0, 2]
