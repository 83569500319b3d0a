"""Every public function with arrays of every type: equal to the original, or a TypeError that names the argument."""

import datetime
import pickle
import re
from decimal import Decimal
from fractions import Fraction

import boscage
import numpy as np
import pandas
import pytest
import scipy.cluster.hierarchy
import scipy.sparse.csgraph
import scipy.spatial
import sklearn.neighbors
from hypothesis import given
from hypothesis import strategies as st

from boscage._arrays import Space
from boscage._convert import flags
from boscage.cluster.hierarchy import linkage
from boscage.hamming import CellGraph, Trie, pack, unpack
from boscage.hashing import HashMap, HashSet, MultiMap, factorize, isin, unique
from boscage.neighbors import KDTree as SklearnTree
from boscage.neighbors import NearestNeighbors
from boscage.sparse.csgraph import connected_components, minimum_spanning_tree
from boscage.spatial import KDTree, VoxelGrid, cKDTree, emst
from boscage.terrain import Camera, ConcurrentBinaryTree, Terrain

NUMBERS = [f"{c}{size}" for c in "iu" for size in (1, 2, 4, 8)] + ["f2", "f4", "f8", "longdouble", "?"]
UNITS = ["Y", "M", "D", "h", "s", "ms", "ns"]


def _gaps(x):
    out = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    out[..., ::2] = x
    return out[..., ::2]


def _odd(x):
    """A contiguous array behind a header of 13 bytes."""
    x = np.ascontiguousarray(x)
    out = np.frombuffer(bytes(13) + x.tobytes(), x.dtype, offset=13).reshape(x.shape)
    assert not (out.size and out.flags.aligned)
    return out


def _frozen(x):
    x.flags.writeable = False
    return x


def _objects(x):
    out = np.empty(x.shape, object)
    out.ravel()[:] = x.ravel().tolist()
    return out


def _text(x, t):
    return x.astype("U").astype(t)


def _frame(x, dtype):
    return pandas.Series(x, dtype=dtype) if x.ndim == 1 else pandas.DataFrame(x, dtype=dtype)


# Arrays of small numbers as every type; those of REAL have the numbers' values.
REAL = {t: lambda x, t=t: x.astype(t) for t in NUMBERS}
REAL |= {t: lambda x, t=t: x.astype(t) for t in (">i2", ">i4", ">i8", ">u4", ">u8", ">f2", ">f4", ">f8")}
REAL |= {
    "gaps": lambda x: _gaps(x.astype(np.float64)),
    "gaps of integers": _gaps,
    "reversed": lambda x: x.astype(np.float64)[..., ::-1].copy()[..., ::-1],
    "Fortran": lambda x: np.asfortranarray(x.astype(np.float64)),
    "frozen": lambda x: _frozen(x.astype(np.float64)),
    "odd address": lambda x: _odd(x.astype(np.float64)),
    "odd address of integers": lambda x: _odd(x.astype(np.int64)),
    "list": lambda x: x.tolist(),
    "objects": _objects,
    "matrix": lambda x: np.asmatrix(x) if x.ndim == 2 else x,
    "no mask": lambda x: np.ma.array(x),
    "Int64": lambda x: _frame(x, "Int64"),
    "UInt8": lambda x: _frame(x, "UInt8"),
    "Float32": lambda x: _frame(x, "Float32"),
    "series": lambda x: _frame(x, "int64"),
}
OTHER = {
    "c8": lambda x: x.astype("c8"),
    "c16": lambda x: x + 1j,
    "U": lambda x: _text(x, "U"),
    "U40": lambda x: _text(x, "U40"),
    ">U3": lambda x: _text(x, ">U3"),
    "S": lambda x: _text(x, "S"),
    "long text": lambda x: np.char.add(_text(x, "U"), "\N{SNOWMAN}" + "y" * 20),
    "texts": lambda x: _objects(_text(x, "U")),
    "mixed": lambda x: _objects(x) + np.where(x == 1, 0.5, 0) if x.size else _objects(x),
    "mask": lambda x: np.ma.array(x, mask=x == 1),
    "masked dates": lambda x: np.ma.array(x.astype("M8[D]"), mask=x == 1),
    "string": lambda x: _frame(_text(x, "U"), "string"),
    "str": lambda x: _frame(_text(x, "U"), "str"),
    "category": lambda x: pandas.Categorical(x) if x.ndim == 1 else _frame(x, "category"),
    "categories": lambda x: pandas.Categorical(_text(x, "U")) if x.ndim == 1 else _frame(_text(x, "U"), "category"),
    "missing": lambda x: pandas.array([None if i == 1 else i for i in x.ravel().tolist()], dtype="Int64"),
    "missing texts": lambda x: pandas.Series([None if i == 1 else str(i) for i in x.ravel().tolist()], dtype="str"),
    "record": lambda x: np.rec.fromarrays([x, x], dtype="i4,i4"),
    "zones": lambda x: pandas.Series(pandas.to_datetime(x.ravel(), utc=True)),
}
OTHER |= {f"M8[{u}]": lambda x, u=u: x.astype(f"M8[{u}]") for u in UNITS}
OTHER |= {f"m8[{u}]": lambda x, u=u: x.astype(f"m8[{u}]") for u in UNITS}
OTHER |= {">M8[s]": lambda x: x.astype(">M8[s]"), ">m8[h]": lambda x: x.astype(">m8[h]")}
ALL = REAL | OTHER

FEW = np.array([3, 1, 0, 1, 24, 3, 2, 48])
FEWER = np.array([1, 0, 2, 7, 3, 24])


def refused(call, name):
    """Runs a call; returns its result, or None if it raised a TypeError that names the argument."""
    try:
        return call()
    except TypeError as error:
        assert re.search(rf"\b{name}\b", str(error)), error
        return None


def plain(x):
    """The elements as Python's values, and NumPy's dates."""
    if isinstance(x, pandas.Categorical):
        x = np.asarray(x)
    if hasattr(x, "isna") and not isinstance(x, np.ndarray):
        return [None if pandas.isna(i) else i for i in x.tolist()]
    if np.ma.is_masked(x):
        return [None if i is np.ma.masked else i for i in x.ravel()]
    x = np.asarray(x).ravel()
    return list(x) if x.dtype.kind in "mM" else x.tolist()


def same_value(a, b):
    """True if two keys are equal: as numbers, dates of any unit, or strings."""
    for kind in (np.datetime64, np.timedelta64, str, bytes, tuple):
        if isinstance(a, kind) or isinstance(b, kind):
            if not (isinstance(a, kind) and isinstance(b, kind)):
                return False
            if kind is np.timedelta64 and {np.datetime_data(x)[0] in "YM" for x in (a, b)} == {True, False}:
                return False
            return bool(a == b) or (kind in (np.datetime64, np.timedelta64) and bool(np.isnat(a) and np.isnat(b)))
    if a is None or b is None or isinstance(a, datetime.datetime) or isinstance(b, datetime.datetime):
        return False
    return a == b or (a != a and b != b)


def equal(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    return np.array_equal(ours, theirs, equal_nan=ours.dtype.kind in "fc")


# --- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
def test_unique(kind):
    ar = ALL[kind](FEW)
    for options in ({}, {"return_index": True, "return_inverse": True, "return_counts": True}):
        try:
            theirs = np.unique(ar, **options)
        except TypeError:
            with pytest.raises(TypeError):
                unique(ar, **options)
            continue
        ours = refused(lambda: unique(ar, **options), "ar")
        if ours is None:
            assert kind == "missing"  # NumPy makes floats of them
            continue
        pairs = zip(ours, theirs) if options else [(ours, theirs)]
        assert all(equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("kind", ALL)
def test_unique_unsorted(kind):
    ar = ALL[kind](FEW)
    if kind in ("missing", "missing texts", "mask", "masked dates", "record", "zones"):
        return
    found, first, inverse, counts = unique(ar, True, True, True, sorted=False)
    flat = np.asarray(ar)
    assert found.dtype == flat.dtype and (found == flat[first]).all() and (found[inverse] == flat).all()
    assert (np.diff(first) > 0).all() and len(found) == len(np.unique(flat)) and counts.sum() == len(flat)


@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("kind", ALL)
def test_factorize(kind, sort):
    values = ALL[kind](FEW)
    ours = refused(lambda: factorize(values, sort), "values")
    if ours is None:
        assert kind in ("mask", "masked dates")
        return
    theirs = values if hasattr(values, "isna") else np.asarray(values)
    if isinstance(theirs, np.ndarray) and not theirs.dtype.isnative:
        theirs = theirs.astype(theirs.dtype.newbyteorder("="))  # which pandas refuses
    theirs = pandas.factorize(theirs, sort=sort)
    assert (ours[0] == theirs[0]).all()
    assert list(ours[1]) == list(theirs[1])
    if isinstance(theirs[1], np.ndarray):
        assert ours[1].dtype.newbyteorder("=") == theirs[1].dtype
    else:
        assert type(ours[1]) is type(theirs[1]) and ours[1].dtype == theirs[1].dtype


@pytest.mark.parametrize("kind", ALL)
def test_isin(kind):
    a = ALL[kind](FEW)
    for other, fill in ALL.items():
        b = fill(FEWER)
        for element, tests in ((a, b), (b, a)):
            try:
                want = np.isin(element, tests)
            except (TypeError, ValueError):
                with pytest.raises((TypeError, ValueError)):
                    isin(element, tests)
                continue
            assert equal(isin(element, tests), want), other


def make(kind, values=FEW):
    return refused(lambda: HashSet(ALL[kind](values)), "keys")


@pytest.mark.parametrize("kind", ALL)
def test_sets(kind):
    keys = ALL[kind](FEW)
    table = make(kind)
    if table is None:
        assert kind in ("longdouble", "c8", "c16", "objects", "mixed", "mask", "masked dates", "missing", "zones") or (
            kind == "missing texts"
        )
        return
    values = plain(keys)
    assert len(table) == len(set(map(str, values))) and all(v in table for v in values)
    assert table.contains(keys).all() and list(table) == plain(table.keys())
    assert sorted(map(str, plain(table.keys()))) == sorted(set(map(str, values)))
    again = pickle.loads(pickle.dumps(table))
    assert again.contains(keys).all()
    for other, fill in ALL.items():
        others = fill(FEWER)
        for queries in (others, fill(FEWER[:0])):
            want = [any(same_value(a, b) for b in values) for a in plain(queries)]
            assert table.contains(queries).tolist() == want, (kind, other)
        want = [any(same_value(a, b) for b in values) for a in plain(others)]
        if other not in ("mask", "masked dates"):
            assert [a in table for a in plain(others)] == want, (kind, other)
        copied = pickle.loads(pickle.dumps(table))
        assert copied.discard(others) == len({str(b) for b in values if any(same_value(a, b) for a in plain(others))})
        if refused(lambda: copied.add(others) or True, "keys"):
            assert copied.contains(others).all() and all(a in copied for a in plain(others)), (kind, other)


@pytest.mark.parametrize("kind", ALL)
def test_values(kind):
    values = ALL[kind](FEW)
    keys = np.arange(len(FEW))
    table = refused(lambda: HashMap(keys, values), "values")
    if table is None:
        return
    want = np.asarray(values)
    assert (table[keys] == want).all() and table[keys[::-1]].tolist() == want[::-1].tolist()
    assert MultiMap(keys, values)[3].tolist() == want[3:4].tolist()
    for other, fill in ALL.items():
        more = fill(FEWER)
        if refused(lambda: table.insert(np.arange(len(FEWER)), more) or True, "values"):
            got = table[np.arange(len(FEWER))]
            assert all(same_value(a, b) for a, b in zip(plain(got), plain(more))), (kind, other)
    for duplicates in ("sum", "min"):
        if want.dtype.newbyteorder("=") in ("i4", "i8", "u4", "u8", "f4", "f8"):
            total = HashMap(np.zeros(len(FEW), int), values, duplicates=duplicates)[0]
            assert total == (want.sum() if duplicates == "sum" else want.min())


def test_defaults_are_values():
    table = HashMap([1, 2], np.array([5, 6], np.int16))
    assert table.get([1, 3], -1).tolist() == [5, -1] and table.get([3]).tolist() == [0]
    for default in (0.5, 2**15, "a", None, np.datetime64("NaT")):
        with pytest.raises(TypeError, match="default: "):
            table.get([3], default)
    assert HashMap([1], ["abc"]).get([2]).tolist() == [""]


def test_values_of_objects_are_strings():
    assert HashMap([1], np.array([b"a"], object))[1] == b"a" and HashMap([1], np.array(["a"], object))[1] == "a"
    with pytest.raises(TypeError, match="^values: a string ends in a zero"):
        HashMap([1], np.array(["a\0"], object))


def test_infinity_is_no_integer():
    for t, low in (("i4", -(2**31)), ("i8", -(2**63))):
        assert not HashSet(np.array([-np.inf], "f2")).contains(np.array([low], t)).any()


LIMITS = [0, 1, 2**24, 2**31, 2**32, 2**53, 2**62, 2**63, 2**64]
NEAR = st.sampled_from(LIMITS).flatmap(lambda n: st.integers(n - 3, n + 3))
ANY = st.one_of(NEAR, NEAR.map(lambda n: -n), st.integers(-5, 5))
TYPES = st.sampled_from([np.dtype(t) for t in NUMBERS if t != "longdouble"])


@st.composite
def limits(draw):
    """Numbers near the ends of types, of one type."""
    t = draw(TYPES)
    values = draw(st.lists(ANY, min_size=1, max_size=12))
    if t.kind == "f":
        with np.errstate(all="ignore"):
            return np.array([float(v) + draw(st.sampled_from([0, 0, 0.5])) for v in values]).astype(t)
    low, high = (0, 1) if t.kind == "b" else (np.iinfo(t).min, np.iinfo(t).max)
    return np.array([min(max(v, low), high) for v in values], t)


@given(limits(), limits())
def test_no_number_is_rounded(keys, queries):
    plain_keys = [x for x in keys.tolist()]
    want = [x in plain_keys for x in queries.tolist()]
    table = HashMap(keys, np.arange(len(keys)) + 1)
    values, found = table.find(queries)
    assert found.tolist() == want == HashSet(keys).contains(queries).tolist()
    assert ((values != 0) == found).all()
    multi = MultiMap(keys, np.arange(len(keys)))
    counts = [plain_keys.count(x) for x in queries.tolist()]
    offsets, found = multi.retrieve(queries)
    assert multi.count(queries).tolist() == counts == np.diff(offsets).tolist()
    assert keys[found].tolist() == [x for x, n in zip(queries.tolist(), counts) for _ in range(n)]
    assert table.erase(queries) == len(set(plain_keys) & set(queries.tolist()))
    if keys.dtype.kind in "iub" and queries.dtype.kind in "iub":
        assert isin(queries, keys).tolist() == want
    assert (factorize(keys)[1][factorize(keys)[0]] == keys).all()


@given(st.lists(st.one_of(st.none(), ANY.filter(lambda n: -(2**63) <= n < 2**63)), max_size=12))
def test_nullable_integers(values):
    values = pandas.array(values, dtype="Int64")
    ours, theirs = factorize(values), pandas.factorize(values)
    assert (ours[0] == theirs[0]).all() and (ours[1] == theirs[1]).all()
    found = HashSet(np.arange(-3, 3)).contains(values)
    assert found.tolist() == [v is not pandas.NA and -3 <= v < 3 for v in values]


@given(st.lists(st.text(max_size=20)), st.lists(st.text(max_size=20)))
def test_strings(keys, queries):
    keys, queries = ([s.rstrip("\0") for s in part] for part in (keys, queries))
    for encode in (lambda x: np.array(x, "U"), lambda x: np.array(x, object), lambda x: pandas.Series(x, dtype="str")):
        table = HashMap(encode(keys), np.arange(len(keys)))
        want = {key: i for i, key in enumerate(keys)}
        assert table.get(encode(queries), -1).tolist() == [want.get(key, -1) for key in queries]
        assert dict(zip(*(x.tolist() for x in table.arrays()))) == want
        again = pickle.loads(pickle.dumps(table))
        again.erase(encode(queries))
        assert set(again) == set(keys) - set(queries)
    codes, found = factorize(np.array(keys, "U"))
    assert [found[c] for c in codes] == keys and len(set(keys)) == len(found)


def test_bytes_that_look_like_numbers_of_long_strings():
    odd = b"\0" * 8 + b"\xff" * 8
    for keys in ([b"x" * 30, odd], [odd, b"x" * 30], [odd]):
        table = HashSet(np.array(keys))
        assert sorted(table) == sorted(keys) and all(key in table for key in keys) and b"y" * 30 not in table


def test_single_keys():
    days = HashSet(np.array(["2020-01-01", "2020-01-02"], "M8[D]"))
    assert datetime.date(2020, 1, 1) in days and pandas.Timestamp("2020-01-02") in days
    assert np.datetime64("2020-01-01T01") not in days and np.datetime64("2020-01-01T00") in days
    assert pandas.Timestamp("2020-01-02", tz="UTC") not in days and "2020-01-01" not in days and 18262 not in days
    few = HashSet([1, 2])
    assert 1.0 in few and 1.5 not in few and True in few and Fraction(2) in few and Fraction(1, 2) not in few
    assert Decimal(2) in few and Decimal("NaN") not in few and Fraction(10**400) not in few
    assert Fraction(2**60 + 1) not in HashSet([2**60]) and Fraction(1, 3) not in HashSet([1 / 3])
    assert Decimal("0.1") not in HashSet([0.1]) and Decimal("0.5") in HashSet([0.5])
    assert 2**80 in HashSet([2.0**80]) and 2**80 + 1 not in HashSet([2.0**80]) and Decimal(2**80) in HashSet([2.0**80])
    assert 2**80 not in few and "1" not in few and None not in few and (1, 2) not in few and 1 + 1j not in few
    for kind, most in (("f2", 70000.0), ("f4", 1e300)):
        ends = HashSet(np.array([np.inf, -np.inf], kind))
        assert most not in ends and -most not in ends and not ends.contains([most, -most]).any()
        assert float("inf") in ends and -float("inf") in ends and float("nan") not in ends
        assert most not in HashSet(np.array([1.0], kind)) and float("nan") in HashSet(np.array([np.nan], kind))
    assert 0.1 in HashSet(np.array([0.1], "f4")) and np.float64(0.1) not in HashSet(np.array([0.1], "f4"))
    for key in ([1], np.array([1, 2])):
        with pytest.raises(TypeError, match="key: "):
            key in few
    orders = MultiMap(["abc"], [1])
    assert orders["abc"].tolist() == [1]
    for key in ("abcd", "ab", 1, None, b"abc"):
        with pytest.raises(KeyError):
            orders[key]
    pairs = HashSet(np.array([(1, 2)], "i4,i4"))
    assert (1, 2) in pairs and (2, 1) not in pairs and np.array((1, 2), "i4,i4")[()] in pairs and 1 not in pairs
    assert not any(key in pairs for key in ((1.5, 2), ("1", 2), (1,), (1, 2, 3), (2**40, 1), (None, 2)))
    with pytest.raises(TypeError, match="keys: "):
        HashSet(np.array([(0.0, 1)], "f4,i4"))


# --- points -----------------------------------------------------------------------------------------------------------

SQUARE = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [1, 0], [0, 0]])
QUERIES = np.array([[1, 1], [0, 0], [1, 0]])
TREE = KDTree(SQUARE)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "name, call",
    {
        "data": lambda x: KDTree(x).query(QUERIES, k=3)[0],
        "data of a set": lambda x: cKDTree(x).query_pairs(1.5, output_type="ndarray"),
        "data of voxels": lambda x: VoxelGrid(x, 0.6).query_pairs(1.5),
        "points": lambda x: np.column_stack(emst(x)),
        "x": lambda x: KDTree(SQUARE + 0.25).query(x, k=2)[0],
        "x of a ball": lambda x: KDTree(SQUARE).query_ball_point(x, 1.2, return_length=True),
        "x of rows": lambda x: np.concatenate(KDTree(SQUARE).query_ball_csr(x, 1.2)),
        "x of float32": lambda x: KDTree(SQUARE.astype("f4")).query(x, k=2)[0].astype("f8"),
        "lows of boxes": lambda x: np.concatenate(KDTree(SQUARE).query_box(x, np.zeros((6, 2)) + 1)),
        "x of voxels": lambda x: VoxelGrid(SQUARE, 0.6).count(x, 1.2),
        "y": lambda x: linkage(x),
        "X": lambda x: SklearnTree(x).query(QUERIES, k=2)[0],
        "X queries": lambda x: SklearnTree(SQUARE).query(x, k=2)[0],
        "heights": lambda x: Terrain(x).locate([[0.5, 2.5]])[1],
        "points of a terrain": lambda x: Terrain(SQUARE.astype("f4")).locate(x)[1],
        "vectors": lambda x: pack(x),
        "vectors of cells": lambda x: CellGraph(x).pairs()[0],
        "vectors of a trie": lambda x: Trie(x).find(SQUARE)[0],
    }.items(),
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_points(kind, name, call):
    name = name.split()[0]
    array = ALL[kind](SQUARE)
    if kind in ("mixed", "zones"):
        return  # numbers of Python, and others than the array's
    if name == "vectors" and np.asarray(array).dtype.kind not in "iub":
        with pytest.raises(TypeError, match="vectors"):
            call(array)
        return
    if kind in REAL or kind == "category":
        assert np.allclose(call(array), call(SQUARE if name == "vectors" else SQUARE.astype(np.float64)))
    else:
        with pytest.raises((TypeError, ValueError)) as caught:
            call(array if array.shape == SQUARE.shape else np.reshape(array, SQUARE.shape))
        assert kind in ("missing", "mixed") or isinstance(caught.value, TypeError), caught.value
        assert re.match(rf"'?{name}\b", str(caught.value)), caught.value


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "name, call",
    {
        "r": lambda x: KDTree(SQUARE).query_ball_point(SQUARE, x, return_length=True),
        "r of pairs": lambda x: KDTree(SQUARE).count_neighbors(KDTree(SQUARE), x),
        "weights": lambda x: TREE.count_neighbors(TREE, [1.0], weights=x),
        "distance_upper_bound": lambda x: KDTree(SQUARE).query(SQUARE, k=2, distance_upper_bound=x)[0],
        "sample_weight": lambda x: SklearnTree(SQUARE, sample_weight=x).kernel_density(SQUARE, 1.0),
        "r of scikit-learn": lambda x: SklearnTree(SQUARE).two_point_correlation(SQUARE, x),
        "values": lambda x: Trie(SQUARE, x).values(),
        "lengths": lambda x: np.stack(Trie(SQUARE).prefix(SQUARE, x)),
        "nodes": lambda x: ConcurrentBinaryTree(4, 2).find(x),
        "nodes counted": lambda x: ConcurrentBinaryTree(4, 2).count(x),
        "commands": lambda x: ConcurrentBinaryTree(4, 1).update(x[:2]),
        "leaves": lambda x: Terrain(np.arange(25.0).reshape(5, 5)).neighbours(x),
        "words": lambda x: unpack(np.asarray(x).reshape(-1, 1) if isinstance(x, list) else x.reshape(-1, 1), 5),
        "mask": lambda x: CellGraph([[0, 0], [0, 1]]).components(x[:2])[1],
    }.items(),
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_numbers(kind, name, call):
    name = name.split()[0]
    ones = np.array([1, 1, 1, 2, 2, 2]) if name != "mask" else np.ones(6, int)
    if name in ("words", "commands", "mask") and not isinstance(ALL[kind](ones), (np.ndarray, list)):
        return
    ones = np.ones(6, int) if kind == "?" else ones
    array = ALL[kind](ones)
    if kind == "mixed":
        array = _objects(ones * 0.5)
    of_floats = name in ("r", "weights", "distance_upper_bound", "sample_weight")
    dtype = np.asarray(array).dtype
    integral = dtype.kind in "iub" and kind in REAL or kind == "category"
    if kind == "mixed" and of_floats:
        assert np.allclose(call(array), call(ones * 0.5))
    elif kind in REAL and of_floats or integral or (kind == "category" and of_floats):
        assert np.allclose(call(array), call(ones.astype(np.float64) if of_floats else ones))
    else:
        with pytest.raises((TypeError, ValueError)) as caught:
            call(array)
        assert isinstance(caught.value, TypeError), caught.value
        assert re.search(rf"\b{name}\b", str(caught.value)), caught.value


@pytest.mark.parametrize(
    "name, call",
    {
        "r": lambda x: KDTree(SQUARE).query_ball_point([0, 0], x),
        "r of pairs": lambda x: KDTree(SQUARE).query_pairs(x),
        "r of trees": lambda x: KDTree(SQUARE).query_ball_tree(KDTree(SQUARE), x),
        "max_distance": lambda x: KDTree(SQUARE).sparse_distance_matrix(KDTree(SQUARE), x),
        "p": lambda x: KDTree(SQUARE).query([0, 0], p=x),
        "eps": lambda x: KDTree(SQUARE).query([0, 0], eps=x),
        "distance_upper_bound": lambda x: KDTree(SQUARE).query([0, 0], distance_upper_bound=x),
        "boxsize": lambda x: KDTree(SQUARE, boxsize=x),
        "cell": lambda x: VoxelGrid(SQUARE, x),
        "spacing": lambda x: Terrain(SQUARE, spacing=x),
        "error": lambda x: Terrain(np.zeros((5, 5))).select(error=x),
        "load": lambda x: HashSet([1], load=x),
    }.items(),
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_single_numbers(name, call):
    for bad in (1j, "1", b"1", np.datetime64(1, "D"), np.timedelta64(1, "s"), np.complex128(1), None, {}):
        if bad is None and name in ("boxsize", "error"):
            continue
        with pytest.raises(TypeError) as caught:
            call(bad)
        assert str(caught.value).startswith(f"{name.split()[0]}: ")
    if name != "boxsize":  # one number for an array
        with pytest.raises(ValueError, match=f"^{name.split()[0]}: "):
            call(10**400)


@pytest.mark.parametrize(
    "name, call",
    {
        "k": lambda x: KDTree(SQUARE).query([0, 0], k=x),
        "workers": lambda x: KDTree(SQUARE).query([0, 0], workers=x),
        "leafsize": lambda x: KDTree(SQUARE, leafsize=x),
        "seed": lambda x: HashSet([1], seed=x),
        "source": lambda x: CellGraph([[0, 0], [0, 1]]).bfs(x),
        "target": lambda x: CellGraph([[0, 0], [0, 1]]).shortest_path(0, x),
        "letter_bits": lambda x: CellGraph([[0, 0], [0, 1]], letter_bits=x),
        "letter_bits of words": lambda x: pack(SQUARE, x),
        "length": lambda x: unpack(pack(SQUARE), x),
        "threads": lambda x: boscage.use("cpu", threads=x),
        "camera.width": lambda x: Terrain(np.zeros((5, 5))).select(camera=Camera((0, 0, 9), (0, 0, -1), width=x)),
        "depth": lambda x: ConcurrentBinaryTree(x),
        "level": lambda x: ConcurrentBinaryTree(4, x),
        "triangles": lambda x: Terrain(np.zeros((5, 5))).select(triangles=x),
        "begin": lambda x: Trie(SQUARE).keys(x),
    }.items(),
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_whole_numbers(name, call):
    name = name.split()[0]
    whole_floats = () if name == "k" else (1.0, np.float64(1))  # scipy takes these as k
    for bad in (1.5, 1j, "1", np.timedelta64(1, "s"), *whole_floats):
        with pytest.raises(TypeError) as caught:
            call(bad)
        assert str(caught.value).startswith(f"{name}: ")
    if name != "leafsize":
        with pytest.raises(ValueError, match=f"^{name}: "):
            call(2**70)


@pytest.mark.parametrize(
    "name, call",
    {
        "vectors": lambda: CellGraph(5),
        "vectors of text": lambda: CellGraph("ab"),
        "vectors without a shape": lambda: Trie([[0, 1], [0]]),
        "data": lambda: KDTree([[0.0, 1.0], [0.0]]),
        "keys": lambda: HashSet([[1, 2], [3]]),
        "keys of a search": lambda: HashSet([1, 2]).contains([[1, 2], [3]]),
        "element": lambda: isin([[1, 2], [3]], [1]),
        "test_elements": lambda: isin([1], [[1, 2], [3]]),
        "camera": lambda: Terrain(np.zeros((5, 5))).select(camera=Camera((0, 0), (0, 0, -1))),
        "camera of a number": lambda: Terrain(np.zeros((5, 5))).select(camera=Camera(5.0, (0, 0, -1))),
        "regions": lambda: Terrain(np.zeros((5, 5))).select(1.0, regions=[[0, 0, 1]]),
        "regions of a number": lambda: Terrain(np.zeros((5, 5))).select(1.0, regions=5),
    }.items(),
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_shapes(name, call):
    with pytest.raises(ValueError, match=f"^{name.split()[0]}: "):
        call()


def test_masks_on_a_device_are_checked_as_in_host_memory():
    elsewhere = Space()
    assert flags(np.array([True, False]), elsewhere, "mask").dtype == np.uint8
    with pytest.raises(TypeError, match="^mask: 2 is"):
        flags(np.array([2, 0]), elsewhere, "mask")


def test_integers_out_of_range():
    tree, terrain = ConcurrentBinaryTree(4, 2), Terrain(np.zeros((5, 5)))
    for call in (
        lambda: tree.find([-1]),
        lambda: tree.split(np.array([-4])),
        lambda: tree.update([256, 1, 0, 0]),
        lambda: tree.update([0.5, 1, 0, 0]),
        lambda: terrain.neighbours(np.array([2**63], np.uint64)),
        lambda: Trie(SQUARE[:1], np.array([2**63], np.uint64)),
        lambda: Trie(SQUARE[:1], [1.5]),
        lambda: unpack(np.array([[-1]]), 3),
        lambda: CellGraph([[0, 0], [0, 1]]).components([2, 0]),
        lambda: Trie(SQUARE[:1]).prefix(SQUARE[:1], [2**32 + 1]),
    ):
        with pytest.raises(TypeError, match=r"^(nodes|commands|leaves|values|words|mask|lengths): "):
            call()


# --- float32 beside float64 -------------------------------------------------------------------------------------------

NEAR_A_MILLION = 1e6 + np.random.default_rng(3).random((200, 2))


@pytest.mark.parametrize("boxsize", [None, 2e6])
def test_queries_of_float64_are_not_rounded(boxsize):
    points, queries = NEAR_A_MILLION.astype(np.float32), NEAR_A_MILLION + 0.01
    ours, theirs = cKDTree(points, boxsize=boxsize), scipy.spatial.cKDTree(points, boxsize=boxsize)
    assert np.allclose(ours.query(queries, k=3)[0], theirs.query(queries, k=3)[0], rtol=1e-12)
    for r in (0.05, 0.1):
        a, b = (t.query_ball_point(queries, r, return_sorted=True) for t in (ours, theirs))
        assert a.tolist() == b.tolist()
        assert (ours.query_ball_point(queries, r, return_length=True) == [len(x) for x in b]).all()
        offsets, ids = ours.query_ball_csr(queries, r)
        assert [ids[s:e].tolist() for s, e in zip(offsets, offsets[1:])] == b.tolist()
    offsets, ids = ours.query_box(queries - 0.05, queries + 0.05)
    inside = (points >= (queries - 0.05)[:, None]) & (points <= (queries + 0.05)[:, None])
    assert np.diff(offsets).tolist() == inside.all(axis=2).sum(axis=1).tolist()
    again = pickle.loads(pickle.dumps(ours))
    assert (again.query(queries)[0] == ours.query(queries)[0]).all()
    grid = VoxelGrid(points, 0.05)
    assert (grid.count(queries, 0.05) == [len(x) for x in theirs.query_ball_point(queries, 0.05)]).all()
    ours.rebuild(queries)
    assert np.allclose(ours.query(queries - 0.02)[0], scipy.spatial.cKDTree(queries).query(queries - 0.02)[0])


def test_a_failed_rebuild_leaves_the_structure():
    points = np.zeros((3, 2), np.float32)
    for structure, bad in (
        (KDTree(points, boxsize=1.0), np.full((3, 2), 5.0)),
        (KDTree(points), np.zeros((3, 3))),
        (VoxelGrid(points, 1.0), np.zeros((3, 3))),
        (VoxelGrid(points, 1.0), np.full((3, 2), np.nan)),
    ):
        before = {**structure.__dict__, "_boxsize": None}
        with pytest.raises(ValueError):
            structure.rebuild(bad)
        assert all(structure.__dict__[name] is value for name, value in before.items() if value is not None)
        assert len(structure.query_pairs(0.5)) == 3


def test_bytes_include_the_second_tree():
    tree = KDTree(NEAR_A_MILLION.astype(np.float32))
    before = tree.nbytes
    tree.query(NEAR_A_MILLION)
    assert tree.nbytes > 2 * before


def test_trees_of_both_types():
    points, others = NEAR_A_MILLION.astype(np.float32), NEAR_A_MILLION[:50] + 0.01
    for a, b in ((points, others), (others, points)):
        ours, theirs = (cKDTree(a), cKDTree(b)), (scipy.spatial.cKDTree(a), scipy.spatial.cKDTree(b))
        assert ours[0].query_ball_tree(ours[1], 0.05) == [sorted(x) for x in theirs[0].query_ball_tree(theirs[1], 0.05)]
        assert ours[0].count_neighbors(ours[1], 0.1) == theirs[0].count_neighbors(theirs[1], 0.1)
        w = np.arange(len(a)), np.arange(len(b))
        assert np.isclose(*(t[0].count_neighbors(t[1], 0.1, weights=w) for t in (ours, theirs)))
        x, y = (t[0].sparse_distance_matrix(t[1], 0.1, output_type="coo_matrix").toarray() for t in (ours, theirs))
        assert np.allclose(x, y, rtol=1e-12)


def test_linkage_of_float32():
    points = NEAR_A_MILLION.astype(np.float32)
    assert np.allclose(linkage(points)[:, 2], scipy.cluster.hierarchy.single(points)[:, 2], rtol=1e-12)


@pytest.mark.parametrize("kind", ALL)
def test_estimators(kind):
    array = ALL[kind](SQUARE)
    ours, theirs = (
        of(n_neighbors=2, algorithm="kd_tree") for of in (NearestNeighbors, sklearn.neighbors.NearestNeighbors)
    )
    for fit, queries in ((array, SQUARE), (SQUARE, array)):
        try:
            want = theirs.fit(fit).kneighbors(queries)[0]
        except (TypeError, ValueError):
            with pytest.raises((TypeError, ValueError)):
                ours.fit(fit).kneighbors(queries)
            continue
        got = refused(lambda: ours.fit(fit).kneighbors(queries)[0], "X")
        assert kind in OTHER if got is None else got.dtype == want.dtype and np.allclose(got, want)


def test_neighbours_of_float32():
    points = NEAR_A_MILLION.astype(np.float32)
    ours, theirs = (
        of(n_neighbors=3, algorithm="kd_tree").fit(points).kneighbors(NEAR_A_MILLION.astype(np.float32))[0]
        for of in (NearestNeighbors, sklearn.neighbors.NearestNeighbors)
    )
    assert ours.dtype == theirs.dtype and np.allclose(ours, theirs, rtol=1e-12)


# --- graphs -----------------------------------------------------------------------------------------------------------

GRAPH = np.array([[0, 3, 1, 0], [0, 0, 2, 0], [0, 0, 0, 3], [0, 0, 0, 0]])


@pytest.mark.parametrize("kind", ALL)
def test_graphs(kind):
    array = ALL[kind](GRAPH)
    if not hasattr(array, "ndim") or array.ndim == 2:
        for ours, theirs in (
            (minimum_spanning_tree, scipy.sparse.csgraph.minimum_spanning_tree),
            (connected_components, scipy.sparse.csgraph.connected_components),
        ):
            try:
                want = theirs(array)
            except Exception:
                if kind not in ("list", "series", "category"):  # which are accepted here
                    with pytest.raises((TypeError, ValueError)):
                        ours(array)
                    continue
                want = theirs(GRAPH)
            got = refused(lambda: ours(array), "csgraph")
            if got is None:
                assert kind not in REAL
            elif ours is connected_components:
                assert got[0] == want[0] and (got[1] == want[1]).all()
            else:
                assert (got.toarray() == want.toarray()).all()
    if kind in REAL and isinstance(array, np.ndarray) and array.dtype.kind != "O" and array.dtype.isnative:
        if np.dtype(array.dtype).name not in ("float16",):
            sparse = scipy.sparse.csr_array(array)
            got, want = minimum_spanning_tree(sparse), scipy.sparse.csgraph.minimum_spanning_tree(sparse)
            assert (got.toarray() == want.toarray()).all() and got.dtype == want.dtype


def test_a_matrix_of_distances_is_warned_of():
    square = scipy.spatial.distance.squareform([1.0, 2.0, 3.0])
    with pytest.warns(scipy.cluster.hierarchy.ClusterWarning):
        assert np.allclose(linkage(square), scipy.cluster.hierarchy.single(square))


def test_negative_radii_are_empty():
    tree = KDTree(SQUARE)
    assert tree.query_pairs(-1) == set() and tree.query_pairs(-1, output_type="ndarray").shape == (0, 2)
    assert tree.query_ball_point([0, 0], -1) == [] and tree.query_ball_tree(tree, -1) == [[]] * 6
    assert tree.count_neighbors(tree, -1) == 0 and tree.sparse_distance_matrix(tree, -1).nnz == 0
    assert tree.query([0, 0], distance_upper_bound=-1) == (np.inf, 6)


def test_queries_of_scikit_learns_tree_have_coordinates():
    for search in (lambda x: SklearnTree(SQUARE).query(x), lambda x: SklearnTree(SQUARE).query_radius(x, 1.0)):
        with pytest.raises(ValueError, match="dimension"):
            search(5.0)


def test_subclasses_of_scikit_learns_tree():
    class Derived(SklearnTree):
        pass

    assert (Derived(SQUARE).kernel_density(QUERIES, 1.0) == SklearnTree(SQUARE).kernel_density(QUERIES, 1.0)).all()


def test_the_interface_of_scikit_learns_tree():
    weights = np.arange(6.0)
    ours, theirs = (of(SQUARE, sample_weight=weights) for of in (SklearnTree, sklearn.neighbors.KDTree))
    public = {name for name in dir(theirs) if not name.startswith("_")}
    assert public <= set(dir(ours))
    for a, b in zip(ours.get_arrays(), theirs.get_arrays()):
        assert (a == b).all()
    for name in ("idx_array", "node_data", "node_bounds", "sample_weight", "sum_weight"):
        assert (np.asarray(getattr(ours, name)) == np.asarray(getattr(theirs, name))).all()
    assert ours.get_n_calls() == theirs.get_n_calls() and ours.get_tree_stats() == theirs.get_tree_stats()
    ours.kernel_density(SQUARE, 0.5)  # without calls of scikit-learn's tree, which are counted
    assert ours.get_n_calls() == 0
    ours.reset_n_calls()
    assert ours.get_n_calls() == 0
    assert (pickle.loads(pickle.dumps(ours)).query(SQUARE)[1] == ours.query(SQUARE)[1]).all()
