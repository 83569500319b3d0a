"""The base of hash tables: keys and values as the extension has them, queries, and saved tables."""

from __future__ import annotations

import math
from typing import Any, Iterator, Optional

import numpy as np

from . import _core
from ._arrays import DTYPES, NUMPY, Space, is_aligned, place_for, raw, space_of
from ._convert import as_type, values_of
from ._keys import FLOATS, Keys, are_words, as_float_words, device_keys, plain, strings_of
from ._locks import reading
from ._numbers import real, whole
from ._where import Progress, place, where

# Numbers of bosc_hash_layout.
LAYOUTS = {
    "auto": 0,
    "bucketed": 1,
    "perfect": 2,
    "hybrid": 3,
    "fks": 4,
    "cuckoo": 5,
    "chained": 6,
    "ordered": 7,
}
DUPLICATES = {"last": 0, "first": 1, "sum": 2, "min": 3, "error": 4}
NUMBERS = {"sum", "min"}
NUMBERS_OF = {np.dtype(name): number for name, number in DTYPES.items()}


class Table:
    """Base of maps, multimaps and sets."""

    _kind = 0
    _row: tuple[int, ...] = ()  # the shape of a value; () of single items

    def _create(
        self,
        keys: Any,
        values: Any,
        duplicates: str,
        layout: str,
        load: float,
        seed: int,
        device: Any,
        progress: Progress,
        no_wait: bool = False,
    ) -> None:
        if duplicates not in DUPLICATES:
            raise ValueError(f"duplicates: {duplicates!r} is none of {sorted(DUPLICATES)}")
        if layout not in LAYOUTS:
            raise ValueError(f"layout: {layout!r} is none of {sorted(LAYOUTS)}")
        plainly = device is None and progress is None and not no_wait
        if plainly and self._create_plainly(keys, values, duplicates, layout, load, seed):
            return
        if isinstance(keys, Table):
            keys = keys.keys()
        self._space = space_of(keys)
        self._place = place_for(self._space, device)
        self._keys: Optional[Keys] = None  # of NumPy's keys
        if self._space is NUMPY:
            self._keys, words = Keys.of(keys, grows=True)
            self._key_type = self._keys.dtype
        else:
            words, self._key_type = device_keys(keys, self._space)
        bits = 8 * self._key_type.itemsize if self._keys is None else self._keys.bits
        self._value_type: Optional[np.dtype] = None
        size = 0
        if values is not None:
            values = self._values_in(values, int(words.shape[0]))
            self._value_type = self._space.dtype(values)
            self._row = tuple(values.shape[1:])
            size = self._value_type.itemsize * math.prod(self._row)
            if size > 64 or not size or self._value_type.hasobject:
                raise TypeError(f"values: {self._value_text()}; items and rows of 1 to 64 bytes can be stored")
            if duplicates in NUMBERS and (self._row or self._value_type.name not in DTYPES):
                kind = self._value_text()
                raise TypeError(f"values: {kind} cannot be added or compared; numbers of 32 and 64 bits can")
        dtype = DTYPES.get(self._value_type.name, 0) if self._value_type is not None and duplicates in NUMBERS else 0
        self._handle = _core.HashTable(
            self._at(),
            LAYOUTS[layout],
            self._kind,
            bits,
            size,
            DUPLICATES[duplicates],
            dtype,
            real(load, "load"),
            whole(seed, "seed", "uint64"),
            bool(no_wait),
        )
        self._key_bits, self._value_size, self._multi = bits, size, self._kind == 1
        words = words if self._keys is None else plain(words)
        values = self._stored(values)
        self._handle.build(self._at(progress=progress), words, values)
        self._pairs = (words, values) if no_wait else None

    def _create_plainly(
        self, keys: Any, values: Any, duplicates: str, layout: str, load: float, seed: int
    ) -> bool:
        """As `_create`, from arrays that need no conversion; False: other input."""
        is_float = are_words(keys, FLOATS)
        if not (is_float or are_words(keys)) or keys.ndim != 1:
            return False
        size, number = 0, 0
        if values is not None:
            number = NUMBERS_OF.get(values.dtype, 0) if type(values) is np.ndarray else 0
            if not number or values.shape != keys.shape or not values.flags.c_contiguous or not is_aligned(values):
                return False
            size = values.dtype.itemsize
        self._space, self._place = NUMPY, place()
        self._keys, self._key_type = Keys.of_words(keys.dtype), keys.dtype
        self._value_type = None if values is None else values.dtype
        self._key_bits, self._value_size = 8 * keys.itemsize, size
        self._multi, self._pairs = self._kind == 1, None
        at = where(self._place)
        options = LAYOUTS[layout], self._kind, self._key_bits, size, DUPLICATES[duplicates]
        number = number if duplicates in NUMBERS else 0
        table = _core.HashTable(at, *options, number, real(load, "load"), whole(seed, "seed", "uint64"), False)
        table.build(at, as_float_words(keys) if is_float else keys, values)
        self._handle = table
        return True

    def _value_text(self) -> str:
        return f"{self._value_type}" + (f", {self._row} each" if self._row else "")

    def wait(self) -> None:
        """Waits until a table of `no_wait` is built, and raises what went wrong, if no call has done so before."""
        self._handle.wait(self._at())
        self._pairs = None

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    def _values_in(self, values: Any, count: int) -> Any:
        if self._space is NUMPY:
            values = values_of(values, "values")
            if values.dtype.kind == "O":
                strings = strings_of(values, "values")
                values = values if strings is None else strings
            if self._value_type is not None and values.dtype != self._value_type:
                values = as_type(values, self._value_type, "values", True)
            values = np.asarray(values, order="C")
        else:
            have = self._space.dtype(values)
            if self._value_type is not None and not np.can_cast(have, self._value_type, "safe"):
                raise TypeError(f"values: {have} where {self._value_type} is needed")
            values = self._space.asarray(values, self._value_type)
        shape = tuple(values.shape)
        if self._value_type is None and self._space is NUMPY:
            row = shape[1:]  # a new table accepts rows
        else:
            row = self._row
        if shape != (count, *row):
            raise ValueError(f"values: shape {shape} where {(count, *row)} is needed")
        return values

    @staticmethod
    def _stored(values: Any) -> Any:
        if isinstance(values, np.ndarray) and values.dtype.kind not in "iufb":
            return values.view(np.uint8)
        return values

    def _empty_values(self, n: int, space: Space) -> tuple[Any, Any]:
        """An array for values, and the form of it that the extension writes to."""
        assert self._value_type is not None
        if space is NUMPY:
            values = np.empty((n, *self._row), self._value_type)
            return values, self._stored(values)
        values = space.empty(n, self._value_type.name)
        return values, raw(values)

    def _keys_in(self, keys: Any) -> tuple[Any, Space]:
        """Words of keys to insert."""
        space = space_of(keys)
        if space is not NUMPY:
            return device_keys(keys, space, self._plain_type())[0].reshape(-1), space
        return plain(self._codec().encode(keys)), space

    def _queries(self, keys: Any) -> tuple[Any, Optional[np.ndarray], tuple[int, ...], Space]:
        """Words of keys to search for, a mask (None: all may be in the table), and the keys' shape."""
        space = space_of(keys)
        if space is not NUMPY:
            words, _ = device_keys(keys, space, self._plain_type())
            return words.reshape(-1), None, tuple(words.shape), space
        words, fits, shape = self._codec().look_up(keys)
        return plain(words), fits, shape, space

    def _codec(self) -> Keys:
        if self._keys is None:
            self._keys = Keys(np.empty(0, self._key_type))
        return self._keys

    def _plain_type(self) -> np.dtype:
        """The type of keys whose words are the keys themselves."""
        if self._keys is not None and self._keys.words != self._key_type:
            raise TypeError(f"keys: of another array library, where {self._key_type} of NumPy is needed")
        return self._key_type

    def _count(self, words: Any) -> int:
        return int(words.shape[0]) // (2 if self._key_bits == 128 else 1)

    def _insert(self, keys: Any, values: Any, progress: Progress) -> None:
        words, space = self._keys_in(keys)
        if values is not None:
            values = self._stored(self._values_in(values, self._count(words)))
        self._handle.insert(self._at(space, progress), words, values)

    def _erase(self, keys: Any) -> int:
        words, fits, _, space = self._queries(keys)
        return self._handle.erase(self._at(space), self._kept(words, fits))

    @staticmethod
    def _kept(words: Any, fits: Optional[np.ndarray]) -> Any:
        """The words of keys that can be in the table."""
        if fits is None or fits.all():
            return words
        return np.ascontiguousarray(words.reshape(len(fits), -1)[fits]).reshape(-1)

    def _are_plain(self, keys: Any) -> bool:
        """True for words of the table's type of keys: look-ups then need no conversions."""
        return self._keys is not None and are_words(keys) and keys.dtype is self._keys.words is self._key_type

    def contains(self, keys: Any) -> Any:
        """True for the keys in the table: an array of bool in their shape. A key of another type may have its value."""
        if self._are_plain(keys):
            found = np.empty(keys.shape, np.bool_)
            self._handle.find(where(self._place), keys, None, found)
            return found
        words, fits, shape, space = self._queries(keys)
        found = space.empty(self._count(words), "uint8")
        self._handle.find(self._at(space), words, None, raw(found))
        if space is not NUMPY:
            return space.give(found).reshape(shape) != 0
        found = found.view(np.bool_)
        if fits is not None:
            found &= fits
        return found.reshape(shape)

    def _one(self, key: Any) -> Any:
        return self._codec().one(key) if space_of(key) is NUMPY else key

    def __contains__(self, key: Any) -> bool:
        return bool(self.contains(self._one(key)).reshape(-1)[0])

    def __len__(self) -> int:
        return self._handle.info(self._at())["keys"]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._listed(self.keys()))

    def _listed(self, keys: Any) -> Any:
        """Keys as objects of Python; dates stay NumPy's, as not all are some of Python's."""
        keys = self._space.host(keys)
        return keys if self._key_type.kind in "mM" else keys.tolist()

    def keys(self) -> Any:
        """All keys, in the order of the table."""
        return self._out(keys=True)[0]

    @reading
    def _out(self, keys: bool = False, values: bool = False, counts: bool = False) -> tuple[Any, Any, Any]:
        about, space = self._handle.info(self._at()), self._space
        n, many = about["keys"], about["pairs" if self._multi else "keys"]
        if space is NUMPY or space.at is None:
            space = NUMPY
            key = np.empty(n, self._codec().words) if keys else None
            words = None if key is None else key.view(np.uint64 if self._key_bits == 128 else f"u{self._key_bits // 8}")
        else:
            key = words = space.empty(n, str(self._key_type)) if keys else None
        value, stored = self._empty_values(many, space) if values else (None, None)
        count = space.empty(n, "int64") if counts else None
        if n:
            self._handle.get_pairs(self._at(), raw(words), stored, raw(count))
        if isinstance(key, np.ndarray):
            key = self._codec().decode(key)
        return tuple(None if x is None else space.give(x) for x in (key, value, count))  # type: ignore[return-value]

    def info(self) -> dict[str, Any]:
        """Pairs, keys, slots, load factor, bytes of memory on its device, and the layout, never "auto"."""
        about = self._handle.info(self._at())
        return {**about, "layout": next(name for name, number in LAYOUTS.items() if number == about["layout"])}

    def __getstate__(self) -> dict[str, Any]:
        live = ("_handle", "_space", "_place", "_pairs")
        state = {name: value for name, value in self.__dict__.items() if name not in live}
        return {**state, "bytes": self._handle.save(self._at()), "device": str(self._place)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved, device = state.pop("bytes"), state.pop("device")
        self.__dict__.update(state)
        self._space = NUMPY
        self._place = place("cpu" if _core.backend_reason("cuda") else device)
        self._pairs = None
        self._handle = _core.HashTable.load(self._at(), saved, self._key_bits, self._value_size, self._multi)

    def __repr__(self) -> str:
        kind = "" if self._value_type is None else f" to {self._value_type}{list(self._row) if self._row else ''}"
        return f"<boscage.{type(self).__name__} of {len(self)} keys, {self._key_type}{kind}, on {self._place}>"
