"""Methods and operators of dict and set for hash tables, with the same results."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from collections.abc import Set as AnySet
from typing import Any

import numpy as np

from ._convert import integers_of, listed, values_and_mask, values_of
from ._locks import reading, writing

NO_DEFAULT = object()  # where a default may be None


def array_of(objects: Any) -> Any:
    """The keys of a table, or objects of Python, as an array; objects of several types stay objects."""
    if hasattr(objects, "keys") and hasattr(objects, "_handle"):
        return objects.keys()
    if hasattr(objects, "dtype") or isinstance(objects, (str, bytes)):
        return objects  # an array, or a string, which is one key
    if not isinstance(objects, Iterable):
        raise TypeError(f"{type(objects).__name__!r} object is not iterable")
    elements = list(objects)
    if set(map(type, elements)) == {int}:
        return integers_of(elements)
    if len(set(map(type, elements))) == 1 and isinstance(elements[0], (int, float, str, bytes, np.generic)):
        as_one = np.asarray(elements)
        if as_one.dtype.kind not in "SU" or not any(x[-1:] in ("\0", b"\0") for x in elements):
            return as_one
    return np.fromiter(elements, object, len(elements))


def absent_key(keys: Any, found: Any) -> KeyError:
    """The error of the first key not found. It names no key on a device, nor one of an iterator, which is exhausted."""
    if isinstance(found, np.ndarray):
        values, missing = values_and_mask(keys, "keys")
        if values.size == found.size:
            first = int(np.argmin(found.reshape(-1)))
            if missing is not None and missing.reshape(-1)[first]:
                return KeyError("a missing element")
            return KeyError(values.reshape(-1)[first : first + 1].tolist()[0])
    return KeyError("some keys")


class DictMethods:
    """Methods of a dict for maps; keys may be one key or an array of keys."""

    __hash__ = None  # type: ignore[assignment]  # as of a dict: equal maps may change

    @classmethod
    def fromkeys(cls, keys: Any, value: Any) -> Any:
        """A map with one value for all keys.

        Examples
        --------
        >>> from boscage.hashing import HashMap
        >>> HashMap.fromkeys([7, 8, 7], 0.5).get([8, 9])
        array([0.5, 0. ])
        """
        keys = array_of(keys) if isinstance(keys, Iterable) else keys
        return cls(keys, np.broadcast_to(value, (len(keys), *np.shape(value))))

    def copy(self) -> Any:
        """A copy of the map."""
        return copy.copy(self)

    @writing
    def pop(self: Any, keys: Any, default: Any = NO_DEFAULT) -> Any:
        """Removes keys and returns their values, or `default` where a key is absent.

        Parameters
        ----------
        keys : array_like, or one key
        default : optional
            Without it absent keys are a KeyError, which removes nothing. None is for one key only.

        Examples
        --------
        >>> from boscage.hashing import HashMap
        >>> stock = HashMap([7, 8, 9], [1, 2, 3])
        >>> stock.pop([9, 7])
        array([3, 1])
        >>> len(stock), stock.pop(7, None)
        (1, None)
        """
        keys = listed(keys)
        if default is None:
            found = self.find(keys)[1]
            if found.shape == () and not bool(found):
                return None
        values = self[keys] if default is NO_DEFAULT or default is None else self.get(keys, default)
        self.erase(keys)
        return values

    @writing
    def setdefault(self: Any, keys: Any, default: Any) -> Any:
        """Values of keys; `default`, one value or one for each key, is inserted where a key is absent.

        Examples
        --------
        >>> from boscage.hashing import HashMap
        >>> stock = HashMap([7, 8], [1, 2])
        >>> stock.setdefault([8, 9], [50, 60])
        array([ 2, 60])
        """
        keys = np.asarray(values_of(keys, "keys"))
        flat, absent = keys.reshape(-1), ~self.find(keys)[1].reshape(-1)
        if absent.any():
            values = np.asarray(default)
            values = values.reshape(-1, *self._row) if values.ndim > len(self._row) else values
            values = np.broadcast_to(values, (len(flat), *self._row))
            first = np.unique(flat[absent], return_index=True)[1]  # of equal keys
            self.insert(flat[absent][first], values[absent][first])
        return self[keys]

    def update(self: Any, other: Any = (), **pairs: Any) -> None:
        """Inserts the pairs of another map, of a dict, or of an iterable of pairs, then those of keywords."""
        for more in (other, pairs):
            keys, values = self._pairs_of(more)
            if len(keys):
                self.insert(keys, values)

    @writing
    def __delitem__(self: Any, keys: Any) -> None:
        keys = listed(keys)
        found = self.find(keys)[1]
        if not bool(found.all()):
            raise absent_key(keys, found)
        self.erase(keys)

    @writing
    def popitem(self: Any) -> tuple[Any, Any]:
        """Removes a pair and returns it: the last in the order of the table. Every call takes as long as `arrays`."""
        keys, values = self.arrays()
        if not len(keys):
            raise KeyError("popitem: the map is empty")
        self.erase(keys[-1:])
        return keys[-1], values[-1]

    @writing
    def clear(self: Any) -> None:
        """Removes all pairs."""
        if len(self):
            self.erase(self.keys())

    def _pairs_of(self: Any, other: Any) -> tuple[Any, Any]:
        if isinstance(other, DictMethods):
            return other.arrays()  # type: ignore[attr-defined]
        pairs = dict(other)
        values = list(pairs.values())
        return array_of(pairs.keys()), np.asarray(values) if self._row else array_of(values)

    def __or__(self: Any, other: Any) -> Any:
        if not isinstance(other, (DictMethods, Mapping)):
            return NotImplemented
        out = self.copy()
        out.update(other)
        return out

    def __ror__(self: Any, other: Any) -> Any:
        """A dict's pairs, replaced by those of this map where both have a key."""
        if not isinstance(other, Mapping):
            return NotImplemented
        out = self.copy()
        keys, values = self._pairs_of(other)
        if len(keys):
            absent = ~out.find(keys)[1]
            out.insert(keys[absent], values[absent])
        return out

    def __ior__(self: Any, other: Any) -> Any:
        self.update(other)
        return self

    def __eq__(self: Any, other: Any) -> Any:
        if not isinstance(other, (DictMethods, Mapping)):
            return NotImplemented
        try:
            keys, values = self._pairs_of(other)
        except ValueError:  # of rows that differ in length
            return False
        return self._has_only(keys, values)

    @reading
    def _has_only(self: Any, keys: Any, values: Any) -> bool:
        """True if the map has these pairs, of distinct keys, and no other."""
        if len(self) != len(keys) or not len(keys):
            return len(self) == len(keys)
        own, found = self.find(keys)
        return bool(found.all()) and own.shape == values.shape and bool((own == values).all())


class SetMethods:
    """Methods and operators of a set. Operands are such tables and Python's sets, of methods also arrays and iterables.

    Others become arrays before this table is locked, so that no thread holds one lock while it waits for another.
    """

    __hash__ = None  # type: ignore[assignment]  # as of a set: equal sets may change

    def copy(self) -> Any:
        """A copy of the set."""
        return copy.copy(self)

    def update(self: Any, *others: Any) -> None:
        """Adds the keys of others."""
        for keys in map(array_of, others):
            if len(keys):
                self.add(keys)

    @writing
    def pop(self: Any) -> Any:
        """Removes a key and returns it: the last in the order of the table. Every call takes as long as `keys`."""
        keys = self.keys()
        if not len(keys):
            raise KeyError("pop: the set is empty")
        self.discard(keys[-1:])
        return keys[-1]

    @writing
    def clear(self: Any) -> None:
        """Removes all keys."""
        if len(self):
            self.discard(self.keys())

    @writing
    def remove(self: Any, keys: Any) -> None:
        """Removes keys. An absent one is a KeyError, which removes nothing."""
        keys = listed(keys)
        found = self.contains(keys)
        if not bool(found.all()):
            raise absent_key(keys, found)
        self.discard(keys)

    def union(self: Any, *others: Any) -> Any:
        """The keys of this set and of others; all need a value in the type of this one."""
        out = self.copy()
        out.update(*others)
        return out

    def intersection(self: Any, *others: Any) -> Any:
        """The keys common to all sets."""
        out = self
        for keys in map(array_of, others):
            out = out._shared(keys)
        return out if others else self.copy()

    def difference(self: Any, *others: Any) -> Any:
        """The keys of this set without those of the others."""
        out = self.copy()
        for keys in map(array_of, others):
            out._remove_present(keys)
        return out

    def symmetric_difference(self: Any, other: Any) -> Any:
        """The keys of exactly one of the two sets."""
        out = self.copy()
        out._toggle(array_of(other))
        return out

    def intersection_update(self: Any, *others: Any) -> None:
        """Removes all keys but those common to all sets."""
        for keys in [*map(array_of, others)]:  # all are converted first: an error changes nothing
            self._keep(keys)

    def difference_update(self: Any, *others: Any) -> None:
        """Removes the keys of the others."""
        for keys in map(array_of, others):
            self._remove_present(keys)

    def symmetric_difference_update(self: Any, other: Any) -> None:
        """Removes the keys of both sets, and adds the other keys of the other set."""
        self._toggle(array_of(other))

    def isdisjoint(self: Any, other: Any) -> bool:
        """True if no key is in both sets."""
        return not bool(self._present(array_of(other)).any())

    def issuperset(self: Any, other: Any) -> bool:
        """True if all keys of another set are in this one."""
        return bool(self._present(array_of(other)).all())

    def issubset(self: Any, other: Any) -> bool:
        """True if all keys of this set are in another one."""
        return len(self._shared(array_of(other))) == len(self) if len(self) else True

    def _present(self: Any, keys: Any) -> Any:
        return self.contains(keys) if len(keys) else np.empty(0, bool)

    def _shared(self: Any, keys: Any) -> Any:
        """The given keys present in this set, as a set of its type."""
        present = keys[self._present(keys)]
        if isinstance(present, np.ndarray):
            codec = self._codec()
            present = codec.decode(self._queries(present)[0].view(codec.words)) if len(present) else self.keys()[:0]
        return type(self)(present)

    @reading
    def _compare(self: Any, keys: Any) -> tuple[bool, bool]:
        """True if this is a subset of the keys, which are distinct, and if it is a superset."""
        present = self._present(keys)
        return int(present.sum()) == len(self), bool(present.all())

    @writing
    def _keep(self: Any, keys: Any) -> None:
        """Removes all keys but the given ones."""
        own = self.keys()
        self._remove_present(own[~self._shared(keys).contains(own)])

    @writing
    def _remove_present(self: Any, keys: Any) -> None:
        if len(keys):
            self.discard(keys)

    @writing
    def _toggle(self: Any, keys: Any) -> None:
        """Removes the given keys present, and adds the others."""
        if len(keys):
            present = self.contains(keys)
            self.add(keys[~present])
            self._remove_present(keys[present])

    def __eq__(self: Any, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        return len(self) == len(other) and self._compare(array_of(other)) == (True, True)

    def __le__(self: Any, other: Any) -> Any:
        return self._compare(array_of(other))[0] if _is_set(other) else NotImplemented

    def __ge__(self: Any, other: Any) -> Any:
        return self._compare(array_of(other))[1] if _is_set(other) else NotImplemented

    def __lt__(self: Any, other: Any) -> Any:
        return self._compare(array_of(other)) == (True, False) if _is_set(other) else NotImplemented

    def __gt__(self: Any, other: Any) -> Any:
        return self._compare(array_of(other)) == (False, True) if _is_set(other) else NotImplemented

    def __or__(self: Any, other: Any) -> Any:
        return self.union(other) if _is_set(other) else NotImplemented

    def __and__(self: Any, other: Any) -> Any:
        return self.intersection(other) if _is_set(other) else NotImplemented

    def __sub__(self: Any, other: Any) -> Any:
        return self.difference(other) if _is_set(other) else NotImplemented

    def __xor__(self: Any, other: Any) -> Any:
        return self.symmetric_difference(other) if _is_set(other) else NotImplemented

    __ror__, __rand__, __rxor__ = __or__, __and__, __xor__

    def __rsub__(self: Any, other: Any) -> Any:
        if not _is_set(other):
            return NotImplemented
        keys = array_of(other)
        return type(self)(keys[~self.contains(keys)] if len(keys) else self.keys()[:0])

    def __ior__(self: Any, other: Any) -> Any:
        return self._changed(self.update, other) if _is_set(other) else NotImplemented

    def __iand__(self: Any, other: Any) -> Any:
        return self._changed(self._keep, other) if _is_set(other) else NotImplemented

    def __isub__(self: Any, other: Any) -> Any:
        return self._changed(self._remove_present, other) if _is_set(other) else NotImplemented

    def __ixor__(self: Any, other: Any) -> Any:
        return self._changed(self._toggle, other) if _is_set(other) else NotImplemented

    def _changed(self, change: Any, other: Any) -> Any:
        change(array_of(other))
        return self


def _is_set(x: Any) -> bool:
    return isinstance(x, (SetMethods, AnySet))
