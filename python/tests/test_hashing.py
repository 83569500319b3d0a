"""Hash tables against dictionaries, NumPy and pandas."""

import pickle
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import boscage.hashing
from boscage.hashing import HashMap, HashSet, MultiMap, factorize, isin, unique

TYPES = [np.int32, np.int64, np.uint32, np.uint64, np.float32, np.float64]


def columns(types=TYPES, **options):
    few = {np.dtype(t): st.sampled_from(np.array([0, 1, 2, 3, 40, 100], t).tolist()) for t in types}
    return st.sampled_from(types).flatmap(
        lambda t: st.one_of(
            hnp.arrays(t, st.integers(0, 60), elements=few[np.dtype(t)]), hnp.arrays(t, st.integers(0, 60), **options)
        )
    )


def same(a, b):
    return (
        np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f") and np.asarray(a).dtype == np.asarray(b).dtype
    )


@given(columns(), st.booleans(), st.booleans(), st.booleans())
def test_unique(values, index, inverse, counts):
    mine = unique(values, index, inverse, counts)
    theirs = np.unique(values, index, inverse, counts)
    mine, theirs = (x if isinstance(x, tuple) else (x,) for x in (mine, theirs))
    assert len(mine) == len(theirs) and all(same(a, b) for a, b in zip(mine, theirs))


@given(columns())
def test_unique_unsorted(values):
    found, index, inverse, counts = unique(values, True, True, True, sorted=False)
    assert same(np.sort(found), np.unique(values))
    assert same(found[inverse], values + 0 if values.dtype.kind != "f" else values + values.dtype.type(0))
    assert (np.diff(index) > 0).all() and counts.sum() == len(values)


@pytest.mark.parametrize(
    "values",
    [
        np.array(["b", "a", "b"]),
        np.arange(6, dtype=np.int8) % 3,
        np.array([True, False, True]),
        np.array([[1, 2], [1, 2]]),
        np.array([1 + 1j, 1 + 1j]),
        [3, 1, 3],
        [],
    ],
)
def test_unique_of_other_types(values):
    assert same(unique(values), np.unique(values))


@given(columns(), columns(), st.booleans())
def test_isin(elements, tests, invert):
    assert same(isin(elements, tests, invert=invert), np.isin(elements, tests, invert=invert))


def test_isin_of_other_types():
    for a, b in [
        (["x", "yy"], ["yy"]),
        ([1, 2], []),
        ([], [1]),
        ([[1, 2], [3, 4]], [2, 3]),
        (["longer than sixteen"], ["x"]),
        (np.array(["2020-01-01", "NaT"], "M8[D]"), np.array(["2020-01-01", "NaT"], "M8[D]")),
        ([1.5, 2], [2]),
        (np.array([2**63], np.uint64), np.array([-(2**63)])),
    ]:
        assert same(isin(a, b), np.isin(a, b))


def test_few_tests_and_elements_are_left_to_numpy(monkeypatch):
    monkeypatch.setattr(boscage.hashing, "_core", None)
    elements = np.arange(1000) % 7
    assert same(isin(elements, [3, 5]), np.isin(elements, [3, 5]))
    assert same(isin(elements, [3, 5], invert=True), np.isin(elements, [3, 5], invert=True))
    assert isin(np.array([1.0, np.nan]), [np.nan]).tolist() == [False, False]
    assert same(unique(elements[:50] * 0.5), np.arange(7) * 0.5)


def test_few_tests_are_compared(monkeypatch):
    theirs = np.isin
    monkeypatch.setattr(np, "isin", None)
    nat = np.array(["NaT", "2020"], "M8[s]")
    flags, none = np.array([[True], [False]]), np.zeros((0, 2))
    for elements in (nat, np.array([np.nan, 1, -0.0]), np.array(["a", "b\0"]), flags, none):
        for count in range(1, elements.size + 1):
            for invert in (False, True):
                tests = elements.reshape(-1)[:count]
                assert same(isin(elements, tests, invert=invert), theirs(elements, tests, invert=invert))


@pytest.mark.parametrize("values", [np.array(["b", "a", "b"], ">U3"), ["b", "a", "b"], np.array([b"b", b"a"], "S20")])
def test_types_of_factorized_strings(values):
    for device in (None, "cpu"):  # None: numbered by a dict
        assert factorize(values, device=device)[1].dtype == np.asarray(values).dtype


def test_one_element_is_an_array():
    for tests in ([3], np.arange(5000) * 977):
        for device in (None, "cpu"):
            found = isin(np.array(3), tests, invert=True, device=device)
            assert type(found) is np.ndarray and found.shape == () and found == (3 not in tests)


@pytest.mark.parametrize("n", [40, 3000])
@pytest.mark.parametrize("form", ["{:05}", "{:09}", "a prefix of 15 {:05}", "\u00e9{:030}", "{}" + "z" * 70, "{:<18}"])
@pytest.mark.parametrize("kind", ["U", "S"])
def test_strings_of_any_length_are_numbered(n, form, kind):
    strings = [form.format(x) for x in np.random.default_rng(n).integers(0, n // 3, n).tolist()]
    values = np.array([s.encode() for s in strings] if kind == "S" else strings)
    for sort in (False, True):
        want = pandas.factorize(values.astype(object), sort=sort)
        codes, found = factorize(values, sort)
        assert same(codes, want[0]) and same(found, want[1].astype(values.dtype))
    assert same(unique(values[::-1], sorted=False), pandas.unique(values[::-1].astype(object)).astype(values.dtype))


@pytest.mark.parametrize("dtype", ["i2", "u2", "i4", "u8", "i8", "M8[s]", "m8[ns]"])
@pytest.mark.parametrize("low", [0, -50, 2**62])
def test_integers_of_a_small_range(dtype, low, monkeypatch):
    values = np.random.default_rng(3).integers(0, 5000, 40_000)
    values = (values + (low if np.dtype(dtype).itemsize == 8 and (low > 0 or dtype != "u8") else 0)).astype(dtype)
    want = pandas.factorize(values)
    monkeypatch.setattr(boscage.hashing, "_core", None)  # by a table of the range
    codes, found = factorize(values)
    assert same(codes, want[0]) and same(found, np.asarray(want[1], dtype))


@pytest.mark.parametrize("dtype", ["i8", ">i4", "u8", "?", "f4", "f8", ">f8", "M8[s]", "m8[D]", "S3", "U2"])
def test_few_elements_are_not_hashed_by_a_table(dtype, monkeypatch):
    monkeypatch.setattr(boscage.hashing, "_core", None)
    values = np.array([[3, 1, 3], [0, 1, 2]]).astype(dtype)
    found = unique(values, sorted=False)
    assert found.dtype == values.dtype
    assert found.tolist() == ([True, False] if dtype == "?" else np.array([3, 1, 0, 2]).astype(dtype).tolist())
    zeros = unique(np.array([-0.0, 0.0, 1.0]), sorted=False)
    assert zeros.tolist() == [0, 1] and not np.signbit(zeros).any()


def test_strings_on_another_device_are_not_left_to_pandas(monkeypatch):
    monkeypatch.setattr(pandas, "factorize", None)
    monkeypatch.setattr(boscage._originals, "place", lambda: boscage._where.Place("cuda"))
    assert factorize(np.array(["b", "a", "b"]))[0].tolist() == [0, 1, 0]


def test_many_tests_that_repeat():
    elements, tests = np.arange(200_000) % 977, np.arange(100_000) % 10
    assert same(isin(elements, tests), np.isin(elements, tests))
    assert len(HashSet(tests)) == 10 and sorted(HashSet(tests)) == list(range(10))


@pytest.mark.parametrize("dtype", [np.int8, bool, "U3", np.float32])
def test_unsorted_values_are_not_sorted(dtype, monkeypatch):
    values = np.array([3, 1, 3, 0, 1, 2]).astype(dtype)
    monkeypatch.setattr(np, "unique", None)
    found = unique(values, sorted=False)
    assert found.dtype == values.dtype
    assert found.tolist() == values[[0, 3] if dtype is bool else [0, 1, 3, 5]].tolist()


@given(columns(), st.booleans(), st.booleans())
def test_factorize(values, sort, sentinel):
    codes, found = factorize(values, sort, sentinel)
    want = pandas.factorize(values, sort=sort, use_na_sentinel=sentinel)
    assert same(codes, want[0]) and same(found, want[1])


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", "b"],
        [b"sixteen letters!", b"x"],
        ["abcd", "abc"],
        np.array(["2020-01-01", "2021-01-01", "2020-01-01"], "M8[s]"),
    ],
)
def test_factorize_of_strings_and_dates(values):
    codes, found = factorize(values)
    assert (np.asarray(values)[np.unique(codes, return_index=True)[1]] == found).all()
    assert (found[codes] == np.asarray(values)).all()


@st.composite
def operations(draw):
    steps = draw(
        st.lists(
            st.tuples(st.sampled_from(["insert", "erase"]), st.lists(st.integers(-5, 30), max_size=20)), max_size=6
        )
    )
    return draw(st.lists(st.integers(-5, 30), max_size=30)), steps


@given(
    operations(),
    st.sampled_from(["auto", "bucketed", "perfect", "hybrid", "fks", "cuckoo", "chained", "ordered"]),
    st.sampled_from([np.int32, np.int64, np.float64]),
)
def test_map(history, layout, kind):
    keys, steps = history
    plain = dict(zip(keys, range(len(keys))))
    table = HashMap(np.array(keys, kind), np.arange(len(keys)), layout=layout)
    for verb, more in steps:
        if verb == "insert":
            values = np.arange(len(more)) + 1000
            table.insert(np.array(more, kind), values)
            plain.update(zip(more, values.tolist()))
        else:
            assert table.erase(np.array(more, kind)) == len(set(more) & plain.keys())
            for key in more:
                plain.pop(key, None)
    asked = np.arange(-6, 32).astype(kind)
    values, found = table.find(asked)
    assert len(table) == len(plain) and found.tolist() == [key in plain for key in asked.tolist()]
    assert values.tolist() == [plain.get(key, 0) for key in asked.tolist()]
    assert dict(zip(*(column.tolist() for column in table.arrays()))) == plain
    assert table.get(asked, -7).tolist() == [plain.get(key, -7) for key in asked.tolist()]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 999)), max_size=50))
def test_multimap(pairs):
    plain = defaultdict(list)
    for key, value in pairs:
        plain[key].append(value)
    keys, values = np.array(pairs, np.int64).reshape(-1, 2).T
    table = MultiMap(keys, values)
    asked = np.array([3, 11, 0, 3])
    offsets, found = table.retrieve(asked)
    assert [found[a:b].tolist() for a, b in zip(offsets, offsets[1:])] == [plain.get(key, []) for key in asked.tolist()]
    assert table.count(asked).tolist() == [len(plain.get(key, [])) for key in asked.tolist()]
    keys, counts, values = table.arrays()
    ends = np.cumsum(counts)
    assert {k: values[e - c : e].tolist() for k, c, e in zip(keys.tolist(), counts.tolist(), ends.tolist())} == plain


@given(st.lists(st.integers(-20, 20)), st.lists(st.integers(-20, 20)), st.lists(st.integers(-20, 20)))
def test_set(keys, more, fewer):
    table, plain = HashSet(np.array(keys, np.int64)), set(keys)
    table.add(np.array(more, np.int64))
    plain |= set(more)
    assert table.discard(np.array(fewer, np.int64)) == len(plain & set(fewer))
    plain -= set(fewer)
    assert set(table) == plain and len(table) == len(plain)
    assert table.contains(np.arange(-25, 25)).tolist() == [key in plain for key in range(-25, 25)]


@pytest.mark.parametrize("duplicates, want", [("last", 3), ("first", 1), ("sum", 6), ("min", 1)])
def test_duplicates(duplicates, want):
    assert HashMap([7, 7, 7, 8], [1, 2, 3, 4], duplicates=duplicates)[7] == want


def test_ordered_tables_list_the_pairs_of_every_table_alike():
    keys = np.random.default_rng(1).permutation(3000)
    table = HashMap(keys, keys * 2, layout="ordered")
    assert (table.arrays()[1] == table.arrays()[0] * 2).all() and (np.sort(table.keys()) == np.arange(3000)).all()
    again = HashMap(keys[::-1], keys[::-1] * 2, layout="ordered")
    assert (again.keys() == table.keys()).all()  # by their hashes


def test_layouts_that_are_chosen():
    few, many = np.arange(9), np.arange(300000)
    assert HashMap(few, few).info()["layout"] == "ordered" and HashMap(many, many).info()["layout"] == "bucketed"
    assert HashMap(few, few, load=0.95).info()["layout"] == "bucketed"
    assert MultiMap(few, few).info()["layout"] == "bucketed"
    assert HashMap(few, few, layout="fks").info()["layout"] == "fks"
    table = HashSet(few)
    assert pickle.loads(pickle.dumps(table)).info()["layout"] == table.info()["layout"] == "ordered"


@pytest.mark.parametrize("layout", ["auto", "bucketed", "ordered"])
def test_tables_that_are_not_waited_for(layout):
    keys = np.arange(100) // 2
    table, plain = HashMap(keys, keys + 7, layout=layout, no_wait=True), HashMap(keys, keys + 7, layout=layout)
    assert all((a == b).all() for a, b in zip(table.arrays(), plain.arrays()))
    table.wait()
    table.wait()
    assert len(pickle.loads(pickle.dumps(table))) == 50
    assert HashSet(keys, layout=layout, no_wait=True).contains([3, 50]).tolist() == [True, False]
    with pytest.raises(ValueError):
        HashMap(keys, keys, duplicates="error", layout=layout, no_wait=True)


def test_values_of_many_types():
    keys = np.arange(5)
    for values in (
        np.arange(5, dtype=np.int8),
        np.arange(5) > 2,
        np.array(["a", "bb", "ccc", "", "e"]),
        np.arange(5).astype("M8[s]"),
        np.array([(i, i / 2) for i in range(5)], "i4,f8"),
        np.arange(5) * 1j,
        np.arange(5, dtype=np.float16),
    ):
        table = HashMap(keys, values)
        assert table[keys[::-1]].tolist() == values[::-1].tolist() and table.arrays()[1].dtype == values.dtype


def test_keys_of_another_type_are_absent_unless_equal():
    table = HashMap(np.array([1, 2], np.int32), [1, 2])
    assert table.get([1.5, 2.0, np.nan], -1).tolist() == [-1, 2, -1]
    assert not table.contains(["a", "1"]).any() and not table.contains([2**40, 2**32 + 1]).any()
    for keys in ([1.5], ["a"], [2**40], [None], [1j]):
        with pytest.raises(TypeError, match="keys: "):
            table.insert(keys, [1])
    assert 1 in table and 3 not in table and 1.5 not in table and "1" not in table and None not in table
    with pytest.raises(KeyError):
        table[[1, 3]]


NAN = float("nan")
OBJECTS = [
    ["b", None, "a", None, "b", 3, 3.0, True, NAN, float("nan"), ("a", 1), Decimal("3"), pandas.NA, pandas.NaT],
    [b"x", "x", b"x", "x"],
    [],
    [[1], [2], [1]],  # lists have no hash: sorted, as before
]


def an_array(objects):
    out = np.empty(len(objects), object)
    out[:] = objects
    return out


@pytest.mark.parametrize("objects", OBJECTS[:3])
def test_unique_objects_unsorted(objects):
    values = an_array(objects)
    want = pandas.unique(values)
    found, index, inverse, counts = unique(values, True, True, True, sorted=False)
    for got in (found, unique(values, sorted=False)):
        assert got.dtype == object and len(got) == len(want)
        assert all(a is b or a == b or (a != a and b != b) for a, b in zip(got.tolist(), want.tolist()))
    assert all(a is b or a == b or a != a for a, b in zip(found[inverse].tolist(), objects))
    assert index.tolist() == sorted(set(index.tolist())) and counts.sum() == len(objects)


def test_unique_of_objects_without_hashes():
    assert unique(an_array(OBJECTS[3]), sorted=False).tolist() == [[1], [2]]
    with pytest.raises(TypeError):
        unique(an_array([[1], None]), sorted=False)


TESTED = [
    ["a", "c"],
    ["a", None],
    [3, Decimal("4.5"), NAN],
    [b"x"],
    [np.float32(0.1)],  # equals 0.1, with another hash: NumPy's
    [Fraction(1, 2)],
    [],
]


@pytest.mark.parametrize("tests", TESTED)
@pytest.mark.parametrize("elements", [["a", None, "b", 3, 3.0, NAN, b"x", 0.1, 0.5, Decimal("4.5"), np.float32(0.5)]])
def test_isin_of_objects(elements, tests):
    elements, tests = an_array(elements), an_array(tests)
    for invert in (False, True):
        assert same(isin(elements, tests, invert=invert), np.isin(elements, tests, invert=invert))
    assert isin(elements[:10].reshape(2, 5), tests).shape == (2, 5)


def test_isin_finds_the_missing_value_of_pandas():
    for elements in (["a", pandas.NA, None], [1, pandas.NA, 2.5]):
        for tests in ([pandas.NA], ["a", pandas.NA], [1, NAN, pandas.NA], ["a"], [1]):
            column = np.array(elements, object)
            assert isin(column, tests).tolist() == pandas.Series(column, dtype=object).isin(tests).tolist()
    codes, uniques = factorize(pandas.Series([2.5, 1, 2.5], dtype="f2"))
    assert codes.tolist() == [0, 1, 0] and uniques.equals(pandas.Index([2.5, 1], dtype="f4"))


def test_unique_of_many_strings():
    keys = np.char.add("key", np.random.default_rng(5).integers(0, 5000, 20_000).astype("U7")).astype(object)
    for column in (keys, pandas.Series(keys, dtype="str")):
        found = unique(column, sorted=False)
        assert type(found) is np.ndarray and found.dtype == object and found.tolist() == [*dict.fromkeys(keys.tolist())]
    keys[7] = None
    assert unique(keys, sorted=False).tolist() == [*dict.fromkeys(keys.tolist())]


def test_lists_of_numbers_and_text():
    assert HashSet([1, 2]).contains([1, "a"]).tolist() == [True, False]
    assert HashMap([1, 2], [5, 6]).get([1, "a"], default=-1).tolist() == [5, -1]
    assert isin([1, "a"], [1]).tolist() == [True, False] and isin(["a", 1], ["a", "1"]).tolist() == [True, False]
    with pytest.raises(TypeError, match="keys: objects that are not all strings"):
        HashMap([1, "a"], [5, 6])


def test_isin_of_pandas_strings():
    for dtype in ("str", "string", object):
        series = pandas.Series(["a", None, "b", "c"], dtype=dtype)
        assert isin(series, pandas.Series(["c", "a"], dtype=dtype)).tolist() == [True, False, False, True]
        assert isin(series, ["c", "a"], invert=True).tolist() == [False, True, True, False]
    series = pandas.Series(["a", None], dtype="str")
    assert isin(series, pandas.Series(["b", None], dtype="str")).tolist() == [False, False]
    assert isin(np.array(["a", "b"]), pandas.Series(["b"])).tolist() == [False, True]


def test_objects_are_hashed_not_compared(monkeypatch):
    monkeypatch.setattr(np, "isin", None)
    monkeypatch.setattr(np, "unique", None)
    assert isin(an_array(["a", "b"]), an_array(["b"] * 50)).tolist() == [False, True]
    assert unique(an_array(["a", "b", "a"]), sorted=False).tolist() == ["a", "b"]


SETS = [{1, 2, 3}, {3, 4}, {1}, set(), {1, 2, 3, 4, 5}, {-7, 2**40}]


@pytest.mark.parametrize("one", SETS)
@pytest.mark.parametrize("other", [*SETS, {1.0, 2.5}, {2, "x"}, {2, None}, {2**70, 1}])
def test_operators_of_sets(one, other):
    table = HashSet(np.array(sorted(one), np.int64))
    others = [other, frozenset(other)]
    if all(isinstance(x, int) and x < 2**63 for x in other):
        others.append(HashSet(np.array(sorted(other), np.int64)))
    for them in others:
        assert (table == them, table != them) == (one == other, one != other)
        assert (table <= them, table < them, table >= them, table > them) == (
            one <= other,
            one < other,
            one >= other,
            one > other,
        )
        assert (set(table & them), set(table - them)) == (one & other, one - other)
        assert set(them & table) == one & other
        assert set(table.intersection(them, them)) == one & other and set(table.difference(them)) == one - other
        assert (table.issubset(them), table.issuperset(them), table.isdisjoint(them)) == (
            one.issubset(other),
            one.issuperset(other),
            one.isdisjoint(other),
        )
        if len(others) > 2:
            assert set(table | them) == set(table.union(them)) == set(them | table) == one | other
            assert set(table ^ them) == set(them ^ table) == one ^ other and set(them - table) == other - one
            changed = table.copy()
            changed |= them
            assert set(changed) == one | other
            changed = table.copy()
            changed ^= them
            assert set(changed) == one ^ other
        changed = table.copy()
        changed &= them
        assert set(changed) == one & other and type(changed) is HashSet
        changed = table.copy()
        changed -= them
        assert set(changed) == one - other
        for name in ("difference_update", "intersection_update", "symmetric_difference_update")[: len(others)]:
            changed, want = table.copy(), set(one)
            getattr(changed, name)(them)
            getattr(want, name)(other)
            assert set(changed) == want
        assert set(table) == one


def test_sets_change_by_several():
    table, want = HashSet(range(9)), set(range(9))
    for name, others in (
        ("difference_update", ([1], {2})),
        ("intersection_update", ([0, 3, 7, 99], {3, 7, 4})),
        ("intersection_update", ()),
    ):
        assert getattr(table, name)(*others) is None
        getattr(want, name)(*others)
        assert set(table) == want


def test_map_from_keys():
    assert HashMap.fromkeys([4, 9, 4], 0.5) == {4: 0.5, 9: 0.5}
    assert HashMap.fromkeys({"a", "b"}, 3) == {"a": 3, "b": 3} and HashMap.fromkeys(iter([7]), "ab") == {7: "ab"}
    assert HashMap.fromkeys(np.arange(3), [1, 2])[[0, 2]].tolist() == [[1, 2], [1, 2]]
    assert not len(HashMap.fromkeys([], 1))


def test_sets_of_strings():
    long = "a string of more than sixteen bytes"
    table, plain = HashSet(["a", long]), {"a", long}
    assert table == plain and table & {long, "b"} == {long} and table.difference(["a"]) == {long}
    assert (table & {"a"}).union([long + "!"]) == {"a", long + "!"} and table | {"b"} == plain | {"b"}
    assert table != {"a", long + "\0"} and HashSet([], seed=1) == set()


def test_operands_that_are_no_sets():
    table = HashSet([1, 2])
    assert table != [1, 2] and table != 1 and not table == "12"
    for operation in (lambda: table | [3], lambda: table <= [1, 2, 3], lambda: [1] - table, lambda: table & 1):
        with pytest.raises(TypeError):
            operation()
    with pytest.raises(TypeError):
        hash(table)
    with pytest.raises(KeyError):
        table.remove([1, 9])
    table.remove(1)
    table.update([5, 6], {7})
    assert table == {2, 5, 6, 7}


def test_maps_as_dicts():
    table, plain = HashMap([7, 8, 9], [1, 2, 3]), {7: 1, 8: 2, 9: 3}
    assert table == plain and plain == table and table != {7: 1} and table != {7: 1, 8: 2, 9: 4} and table != 3
    assert table == HashMap([9, 8, 7], [3, 2, 1]) and table.copy() == table
    assert table.pop(8) == plain.pop(8) and table.pop(8, -5) == -5 and table.pop(8, None) is None and table == plain
    with pytest.raises(KeyError):
        table.pop([7, 8])
    assert table == plain and table.pop([9, 10], 0).tolist() == [3, 0] and table == {7: 1}
    assert table.setdefault(7, 50) == 1 and table.setdefault(8, 60) == 60
    assert table.setdefault([[5, 5], [7, 6]], [[11, 12], [13, 14]]).tolist() == [[11, 11], [1, 14]]
    table.update({5: 0, 20: 21})
    table.update([(30, 31)])
    table.update(HashMap([40], [41]))
    table.update({})
    want = {7: 1, 8: 60, 5: 0, 6: 14, 20: 21, 30: 31, 40: 41}
    assert table == want and table | {7: 2} == want | {7: 2} and table == want
    table |= {1: 2}
    assert table == want | {1: 2} and HashMap(["a"], ["b"]) | {"c": "d"} == {"a": "b", "c": "d"}
    with pytest.raises(TypeError):
        hash(table)
    with pytest.raises(TypeError):
        table | 3


def test_rows_as_values():
    keys, rows = np.arange(5), np.arange(15.0).reshape(5, 3)
    table = HashMap(keys, rows)
    assert table[[3, 1]].tolist() == rows[[3, 1]].tolist() and table[2].tolist() == rows[2].tolist()
    assert table.get([[7], [1]], -1).tolist() == [[[-1] * 3], [rows[1].tolist()]]
    assert table.get(7, [1, 2, 3]).tolist() == [1, 2, 3] and table.find([9])[0].tolist() == [[0, 0, 0]]
    table.insert([9], [[1, 2, 3]])
    table[10] = [4, 5, 6]
    table[[11, 12]] = [[7, 8, 9], [0, 1, 2]]
    again = pickle.loads(pickle.dumps(table))
    assert again[[9, 10, 12]].tolist() == [[1, 2, 3], [4, 5, 6], [0, 1, 2]] and again == table
    names, values = table.arrays()
    assert (table[names] == values).all() and values.shape == (9, 3) and "[3]" in repr(table)
    assert table.setdefault([1, 50], [8, 8, 8]).tolist() == [rows[1].tolist(), [8, 8, 8]]
    assert table.pop([50, 10]).tolist() == [[8, 8, 8], [4, 5, 6]]
    assert MultiMap([1, 1, 2], [[1, 2], [3, 4], [5, 6]])[1].tolist() == [[1, 2], [3, 4]]
    assert HashMap(keys, np.full((5, 2, 2), "ab"))[3].tolist() == [["ab", "ab"]] * 2
    for shape, error in (((5, 9), TypeError), ((5, 0), TypeError), ((4, 3), ValueError)):
        with pytest.raises(error, match="values: "):
            HashMap(keys, np.zeros(shape))
    with pytest.raises(TypeError, match="values: .* cannot be added"):
        HashMap(keys, rows, duplicates="sum")
    with pytest.raises(ValueError, match="values: "):
        table.insert([1], [1.0])
    with pytest.raises(ValueError, match="default: "):
        table.get([1], [1, 2])


def test_size_hint_is_accepted():
    assert factorize([3, 1, 3], False, True, 10)[0].tolist() == factorize([3, 1, 3], size_hint=2)[0].tolist()


def test_objects_take_longer_strings():
    h = HashMap(np.array(["a", "bb"], object), [1, 2])
    h.insert(["x" * 16], [3])
    h["y" * 40] = 4
    assert h["x" * 16] == 3 and h["y" * 40] == 4 and h["bb"] == 2 and len(h) == 4
    empty = HashSet(np.array([], object))
    empty.add(["k" * 30])
    assert "k" * 30 in empty and "k" * 8 not in empty
    with pytest.raises(TypeError, match="'x{20}' has 20 bytes; strings of this table of <U1 have at most 8"):
        HashSet(["a"]).add(["x" * 20])


def test_python_collections_are_keys():
    d = {3: 5, 4: 6}
    assert dict(zip(*HashMap(d).arrays())) == d == dict(zip(*HashMap(d.keys(), d.values()).arrays()))
    assert set(HashSet(iter([1, 2]))) == {1, 2} == set(HashSet({1, 2}))
    assert isin([1, 5], {1, 2}).tolist() == [True, False] and isin(["a"], {"a": 1}.keys()).all()
    assert sorted(unique({3, 2})) == [2, 3]


def test_dict_and_set_methods_that_remove():
    h, held = HashMap([1, 2, 3], [10, 20, 30]), {1: 10, 2: 20, 3: 30}
    h.update(dict(zip([4], [40])))
    held[4] = 40
    del h[[1, 2]], held[1], held[2]
    with pytest.raises(KeyError, match="9"):
        del h[[3, 9]]
    assert h == held
    key, value = h.popitem()
    assert held.pop(key) == value and h == held
    h.clear()
    s = HashSet([7, 8])
    one = s.pop()
    assert set(s) == {7, 8} - {one} and len(h) == 0
    s.clear()
    with pytest.raises(KeyError, match="empty"):
        s.pop()
    with pytest.raises(KeyError, match="empty"):
        h.popitem()


@pytest.mark.parametrize("form", [list, set, iter, lambda keys: dict.fromkeys(keys).keys()])
def test_keys_to_remove_in_any_collection(form):
    h, s = HashMap([1, 2, 3, 4], [10, 20, 30, 40]), HashSet([1, 2, 3])
    del h[form([1, 2])]
    assert h.pop(form([3])).tolist() == [30] and h == {4: 40}
    s.remove(form([1, 2]))
    assert s == {3}
    for remove in (h.__delitem__, h.pop, s.remove):
        with pytest.raises(KeyError, match="9"):
            remove(form([9]))
    with pytest.raises(KeyError):
        h[form([4, 9])]
    assert len(h) == len(s) == 1
    with pytest.raises(KeyError, match="a missing element"):
        del h[pandas.array([4, None], "Int64")]


def test_absent_keys_on_a_device_are_not_named(monkeypatch):
    class Found:  # an array that, as those of CuPy, NumPy cannot read
        def all(self):
            return False

        def __array__(self, *args, **kwargs):
            raise TypeError

    monkeypatch.setattr(HashMap, "find", lambda self, keys: (None, Found()))
    monkeypatch.setattr(HashSet, "contains", lambda self, keys: Found())
    h = HashMap([1], [2])
    for remove in (h.__delitem__, h.__getitem__, HashSet([1]).remove):
        with pytest.raises(KeyError, match="some keys"):
            remove([3])


def test_an_intersection_with_no_set_changes_nothing():
    s = HashSet([1, 2, 3])
    with pytest.raises(TypeError, match="not iterable"):
        s.intersection_update([1], None)
    assert s == {1, 2, 3}


def test_factorize_of_mixed_lists():
    for values in ([1, "a", None], ["a", 1, (1, 2)], [pandas.Timestamp("2020"), pandas.Timestamp("2020", tz="UTC")]):
        objects = np.fromiter(values, object, len(values))
        codes, uniques = factorize(values)
        want, distinct = pandas.factorize(objects)
        assert codes.tolist() == want.tolist() and uniques.tolist() == distinct.tolist()


def test_integers_beyond_int64_stay_exact():
    u = HashSet(np.array([2**60, 2**63], np.uint64))
    other = {2**60 + 1, 2**63}
    assert u != other and set(u & other) == {2**63} and set(u - other) == {2**60} and not u.issuperset(other)
    s = HashSet(np.array([5, 2**64 - 1], np.uint64))
    assert s == {5, 2**64 - 1} and set(s | {6, 2**64 - 1}) == {5, 6, 2**64 - 1}
    assert HashSet([2**60, 7]).isdisjoint(other)
    assert HashSet([2**60, 7]).contains([2**60 + 1, 2**63]).tolist() == [False, False]
    h = HashMap(np.array([1], np.uint64), [0])
    h.update({0: 1, 2**64 - 1: 2})
    assert h == {1: 0, 0: 1, 2**64 - 1: 2}
    assert isin([2**60 + 1], [2**60, 2**63]).tolist() == [False]


def test_maps_and_dicts_mix():
    assert ({1: 3, 2: 4} | HashMap([1], [5])) == {1: 5, 2: 4}
    assert HashMap([1, 2], [[1, 2], [3, 4]]) != {1: (1, 2), 2: (1,)}
    assert HashSet(HashSet([1, 2])) == {1, 2}
    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        HashSet([1, 2]).union(None)


@pytest.mark.parametrize("count", [500, 20_000])  # by a set, and by pandas
@pytest.mark.parametrize("invert", [False, True])
def test_isin_beside_pandas(invert, count):
    words = [f"w{i % 50}" for i in range(count)] + [None, np.nan]
    tests = [f"w{i}" for i in range(0, 100, 3)]
    want = np.array([w in tests for w in words]) ^ invert
    objects = np.array(words, object)
    for elements in (objects, pandas.Series(words, dtype="str"), pandas.array(words[:-1] + [None], dtype="string")):
        assert isin(elements, tests, invert=invert).tolist() == want.tolist()
    assert isin(objects.reshape(2, -1), tests, invert=invert).tolist() == want.reshape(2, -1).tolist()
    assert isin(pandas.Categorical(words), tests, invert=invert).tolist() == want.tolist()
    categories = pandas.Series(words).astype("category")
    assert isin(categories, np.array(tests, object), invert=invert).tolist() == want.tolist()
    matrix = np.matrix(objects.reshape(2, -1))
    assert isin(matrix, tests, invert=invert).tolist() == want.reshape(2, -1).tolist()
    numbers = pandas.Categorical([3, 1, None, 3, 7])
    assert (isin(numbers, [3, 8], invert=invert) ^ invert).tolist() == [True, False, False, True, False]


def test_tables_and_nested_lists_are_arrays():
    s = HashSet([1, 5])
    assert isin([1, 2], s).tolist() == [True, False] and sorted(unique(s)) == [1, 5]
    assert isin([[2**60 + 1, 2**63], [1, 2]], [2**60, 2**63]).tolist() == [[False, True], [False, False]]
    assert isin([1.5, np.inf], [np.inf]).tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_factorize_keeps_the_sign_of_the_first_zero(dtype):
    for values in ([-0.0], [0.0, -0.0], [-0.0, 0.0], [3.0] * 5000 + [-0.0, 0.0], [np.nan, -0.0, 1.0]):
        for sort in (False, True):
            codes, uniques = factorize(np.array(values, dtype), sort=sort)
            want, distinct = pandas.factorize(np.array(values, dtype), sort=sort)
            assert (codes == want).all() and (np.signbit(uniques) == np.signbit(distinct)).all()
            assert uniques.dtype == distinct.dtype and (uniques == distinct).all()


def test_pairs_of_arrays_without_tolist(monkeypatch):
    """Device arrays known by __cuda_array_interface__ only have none."""

    class Bare:
        def __init__(self, x):
            self.x = x

        def __array__(self, *arguments, **options):
            return self.x

    out = HashMap._out

    def bare_arrays(self, **options):
        return [x if x is None else Bare(x) for x in out(self, **options)]

    monkeypatch.setattr(HashMap, "_out", bare_arrays)
    table = HashMap([7, 8], [0.5, 1.5])
    assert sorted(table) == [7, 8] and sorted(table.items()) == [(7, 0.5), (8, 1.5)]


def test_pairs_and_defaults_of_a_dict():
    for plain in ({1: 10, 2: 20}, {"a": 0.5, "b": 1.5, "c": 2.0}, {7: "x", 8: "yz"}):
        table = HashMap(plain)
        assert dict(table.items()) == plain == {key: value for key, value in table.items()}
        assert [key for key, _ in table.items()] == list(table)
        for key, value in plain.items():
            assert table.get(key) == value and table.get(key, value) == value
        absent = "absent" if "a" in plain else 9
        assert table.get(absent) is None and table.get(absent, value) == value
        assert table.get([absent]).tolist() == [type(value)()]
    assert HashMap([3], [[1, 2]]).items()[0][1].tolist() == [1, 2] and HashMap([3], [[1, 2]]).get(4) is None
    assert HashMap(np.array(["2024-02-29"], "M8[D]"), [1]).items() == [(np.datetime64("2024-02-29"), 1)]
