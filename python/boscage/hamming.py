"""Long vectors over small alphabets: all pairs that differ in one letter, and dictionaries of vectors."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import NUMPY, Space, place_for, raw, space_of
from ._convert import flags, integers, values_of
from ._locks import reading
from ._numbers import whole
from ._where import Progress, where

__all__ = ["CellGraph", "Trie", "pack", "unpack"]

METHODS = {"auto": 0, "heuristic": 1, "trie": 2, "zobrist": 3, "join": 4, "table": 5}


def pack(vectors: Any, letter_bits: int = 1) -> np.ndarray:
    """Packs letters into words, floor(64 / letter_bits) of them in each.

    Parameters
    ----------
    vectors : array_like of integers or bool, shape (n, length)
        Letters, 0 to 2**letter_bits - 1.
    letter_bits : int
        1 to 8.

    Returns
    -------
    numpy.ndarray of uint64, shape (n, words)

    Examples
    --------
    >>> from boscage.hamming import pack
    >>> pack([[1, 0, 1], [0, 1, 0]])
    array([[5],
           [2]], dtype=uint64)
    """
    letters, letter_bits = values_of(vectors, "vectors"), whole(letter_bits, "letter_bits", "int32")
    if letters.ndim != 2:
        raise ValueError("vectors: not an array of two dimensions")
    if letters.dtype.kind not in "iub" and letters.size:
        raise TypeError(f"vectors: letters are integers, not {letters.dtype}")
    n, length = letters.shape
    words = _core.words(length, letter_bits)
    if not words:
        raise ValueError(
            f"vectors of {length} letters of {letter_bits} bits: 1 to 65536 letters of 1 to 8 bits can be packed"
        )
    if letters.size and (letters.min() < 0 or letters.max() >> letter_bits):
        raise ValueError(f"vectors: a letter is not below 2**{letter_bits}")
    each = 64 // letter_bits
    out = np.zeros((n, words), np.uint64)
    for j in range(min(each, length)):
        column = letters[:, j::each].astype(np.uint64)
        out[:, : column.shape[1]] |= column << np.uint64(j * letter_bits)
    return out


def unpack(words: Any, length: int, letter_bits: int = 1) -> np.ndarray:
    """Letters of packed vectors: an array of uint8 of shape (n, length).

    Examples
    --------
    >>> from boscage.hamming import pack, unpack
    >>> unpack(pack([[1, 0, 1]]), 3)
    array([[1, 0, 1]], dtype=uint8)
    """
    words = integers(words, "uint64", NUMPY, "words")
    length, letter_bits = whole(length, "length"), whole(letter_bits, "letter_bits", "int32")
    if words.ndim != 2 or words.shape[1] != _core.words(length, letter_bits):
        raise ValueError("words: not rows of so many letters")
    each = 64 // letter_bits
    out = np.empty((words.shape[0], words.shape[1] * each), np.uint8)
    for j in range(each):
        out[:, j::each] = (words >> np.uint64(j * letter_bits)) & np.uint64(2**letter_bits - 1)
    return np.ascontiguousarray(out[:, :length])


def _check_text(i: int, row: Any) -> None:
    if not isinstance(row, (str, bytes, bytearray, memoryview, np.ndarray)):
        raise TypeError(f"vectors: row {i} is of {type(row).__name__}; `alphabet` is for strings")


class _Letters:
    """The input form of a structure's vectors: letters, strings of an alphabet, or packed words."""

    def _describe(
        self, vectors: Any, length: Optional[int], letter_bits: Optional[int], alphabet: Optional[str]
    ) -> None:
        self._alphabet = alphabet
        if alphabet is not None:
            if not 1 <= len(set(alphabet)) == len(alphabet) <= 256:
                raise ValueError("alphabet: 1 to 256 different letters are needed")
            if not alphabet.isascii():
                raise ValueError("alphabet: letters of ASCII are needed")
            letter_bits = letter_bits or max(1, (len(alphabet) - 1).bit_length())
        self._letter_bits = 1 if letter_bits is None else whole(letter_bits, "letter_bits", "int32")
        if vectors is None:
            raise TypeError("vectors: None")
        if length is None:
            if not hasattr(vectors, "shape") and hasattr(vectors, "__len__") and not len(vectors):
                raise ValueError("vectors: none, and no length")
            if alphabet is not None and len(vectors):
                _check_text(0, vectors[0])
                length = len(vectors[0])
            else:
                shape = (vectors if hasattr(vectors, "shape") else values_of(vectors, "vectors")).shape
                if not shape:
                    raise ValueError("vectors: not an array of two dimensions")
                length = int(shape[-1])
        self._length = whole(length, "length")
        if not _core.words(self._length, self._letter_bits):
            raise ValueError(
                f"vectors of {length} letters of {self._letter_bits} bits: 1 to 65536 letters of 1 to 8 bits "
                "can be packed"
            )

    def _packed(self, vectors: Any, space: Space, absent: Optional[list] = None) -> Any:
        """Packed words. absent: receives a mask of the strings with letters outside the alphabet; None: they are
        refused."""
        words = _core.words(self._length, self._letter_bits)
        if space is not NUMPY:
            if space.dtype_name(vectors) not in ("uint64", "int64"):
                raise TypeError(f"vectors: {space.dtype_name(vectors)}; packed words on a device are of uint64")
            return space.rows(vectors, "uint64")
        if self._alphabet is not None:
            vectors = self._of_text(vectors, absent)
        vectors = values_of(vectors, "vectors")
        if vectors.dtype.kind in "SU" and self._alphabet is None:
            raise TypeError("vectors: strings; `alphabet` gives their letters")
        if vectors.shape == (0,):  # an empty list
            vectors = np.empty((0, self._length), np.uint8)
        if vectors.dtype == np.uint64 and vectors.ndim == 2 and vectors.shape[1] == words:
            if self._length != words:
                return NUMPY.rows(vectors, "uint64")
        if vectors.ndim != 2 or vectors.shape[1] != self._length:
            raise ValueError(f"vectors: shape {vectors.shape} where rows of {self._length} letters are needed")
        return pack(vectors, self._letter_bits)

    def _of_text(self, vectors: Any, absent: Optional[list]) -> np.ndarray:
        rows = [vectors] if isinstance(vectors, (str, bytes)) else list(vectors)
        for i, row in enumerate(rows):
            _check_text(i, row)
        text = b"".join(row.encode() if isinstance(row, str) else row for row in rows)
        if len(text) != len(rows) * self._length or any(len(row) != self._length for row in rows):
            letters = [len(row) for row in rows]
            bad = next((i for i, count in enumerate(letters) if count != self._length), None)
            if bad is None:  # letters of several bytes
                raise ValueError("vectors: a letter is not of ASCII")
            raise ValueError(f"vectors: row {bad} has {letters[bad]} letters, not {self._length}")
        letter = np.full(256, 255, np.uint8)
        letter[np.frombuffer(self._alphabet.encode(), np.uint8)] = np.arange(len(self._alphabet))  # type: ignore
        out = letter[np.frombuffer(text, np.uint8)].reshape(len(rows), self._length)
        known = np.isin(np.frombuffer(text, np.uint8), np.frombuffer(self._alphabet.encode(), np.uint8))  # type: ignore
        if not known.all() and absent is not None:
            absent.append(~known.reshape(out.shape).all(axis=1))
            out[~known.reshape(out.shape)] = 0
        elif not known.all():
            at = int(np.flatnonzero(~known)[0])
            raise ValueError(f"vectors: {chr(text[at])!r} in row {at // self._length} is not in the alphabet")
        return out

    def _readable(self, words: np.ndarray) -> Any:
        letters = unpack(words, self._length, self._letter_bits)
        if self._alphabet is None:
            return letters
        table = np.frombuffer(self._alphabet.encode(), np.uint8)
        return [row.tobytes().decode() for row in table[letters]]

    @property
    def length(self) -> int:
        return self._length

    @property
    def letter_bits(self) -> int:
        return self._letter_bits


class CellGraph(_Letters):
    """All pairs of vectors that differ in exactly one letter.

    Equal vectors are one vertex; vertices are numbered in the order of their first rows.

    Parameters
    ----------
    vectors : array_like, or sequence of str
        Letters, shape (n, length), integers below ``2**letter_bits``; strings over `alphabet`; or packed rows of uint64
        (see `pack`), with `length` given.
    length : int, optional
        Letters of a vector; needed for packed rows.
    letter_bits : int, optional
        Bits of a letter, 1 to 8; the default is 1, or what the alphabet needs.
    alphabet : str, optional
        Its letters are 0, 1, 2, ...
    method : {"auto", "heuristic", "trie", "zobrist", "join", "table"}
        How pairs are found; answers do not depend on it. "table" needs vectors of at most 26 bits.
    implied_edges : bool
        True: no pairs are found and stored, which saves memory. `shortest_path` then flips bits to find neighbours and
        takes longer; other functions of pairs raise ValueError. Needs letters of 1 bit, and the method "auto".
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> from boscage.hamming import CellGraph
    >>> graph = CellGraph(["ACGT", "ACGA", "TTTT", "ACGT"], alphabet="ACGT")
    >>> graph.pairs()
    (array([[0, 1]]), array([3], dtype=uint32))
    >>> graph.components()
    (2, array([0, 0, 2]))
    """

    def __init__(
        self,
        vectors: Any,
        *,
        length: Optional[int] = None,
        letter_bits: Optional[int] = None,
        alphabet: Optional[str] = None,
        method: str = "auto",
        implied_edges: bool = False,
        device: Any = None,
        progress: Progress = None,
    ):
        if method not in METHODS:
            raise ValueError(f"method: {method!r} is none of {sorted(METHODS)}")
        self._describe(vectors, length, letter_bits, alphabet)
        bits = self._length * self._letter_bits
        limit = _core.cellgraph_table_bits()
        if method == "table" and bits > limit:
            raise ValueError(f"method: 'table' needs vectors of at most {limit} bits, not {bits}")
        self._method = method
        self._implied_edges = bool(implied_edges)
        self._space = space_of(vectors)
        self._place = place_for(self._space, device)
        self._handle = _core.CellGraph(
            self._at(), self._length, self._letter_bits, METHODS[method], self._implied_edges
        )
        self._handle.build(self._at(progress=progress), self._packed(vectors, self._space))

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    def _info(self) -> dict[str, Any]:
        return self._handle.info(self._at())

    def add(self, vectors: Any, *, progress: Progress = None) -> None:
        """Adds vectors; the graph becomes that of all rows."""
        space = space_of(vectors)
        self._handle.add(self._at(space, progress), self._packed(vectors, space))

    @property
    def n(self) -> int:
        """Rows."""
        return self._info()["n"]

    @property
    def n_vertices(self) -> int:
        """Distinct vectors."""
        return self._info()["vertices"]

    @property
    def n_edges(self) -> int:
        """Pairs."""
        return self._info()["edges"]

    def _empty(self, shape: Any, dtype: str = "int64") -> Any:
        return self._space.empty(shape, dtype)

    @reading
    def pairs(self) -> tuple[Any, Any]:
        """The pairs: rows i < j, and the letter in which they differ; once each, ascending."""
        edges = self._info()["edges"]
        pairs, positions = self._empty((edges, 2)), self._empty(edges, "uint32")
        self._handle.get_pairs(self._at(), raw(pairs), raw(positions))
        return self._space.give(pairs), self._space.give(positions)

    @reading
    def vertices(self) -> tuple[Any, Any]:
        """The distinct vectors: the first row of each, and the number of its equal rows."""
        count = self._info()["vertices"]
        first, many = self._empty(count), self._empty(count)
        self._handle.get_vertices(self._at(), None, raw(first), raw(many), None)
        return self._space.give(first), self._space.give(many)

    @reading
    def vertex_of_rows(self) -> Any:
        """The vertex of each row."""
        out = self._empty(self.n)
        self._handle.get_vertices(self._at(), None, None, None, raw(out))
        return self._space.give(out)

    def vectors(self) -> Any:
        """The vector of each vertex: letters, or strings over the alphabet."""
        return self._readable(self._all_words())

    @reading
    def _all_words(self) -> np.ndarray:
        about = self._info()
        words = np.empty((about["vertices"], about["words"]), np.uint64)
        self._handle.get_vertices(self._at(), words, None, None, None)
        return words

    @reading
    def csr(self) -> tuple[Any, Any, Any]:
        """The neighbours of each vertex: offsets, vertices (ascending in each row), and letters."""
        about = self._info()
        offsets, neighbours = self._empty(about["vertices"] + 1), self._empty(2 * about["edges"])
        positions = self._empty(2 * about["edges"], "uint32")
        self._handle.get_rows(self._at(), raw(offsets), raw(neighbours), raw(positions))
        return tuple(self._space.give(x) for x in (offsets, neighbours, positions))  # type: ignore[return-value]

    def _mask(self, mask: Any) -> Any:
        return None if mask is None else flags(mask, self._space, "mask")

    @reading
    def components(self, mask: Any = None) -> tuple[int, Any]:
        """The connected components: their number, and the smallest vertex in each vertex's; -1 outside the mask."""
        labels = self._empty(self.n_vertices)
        count = self._handle.components(self._at(), self._mask(mask), raw(labels))
        return count, self._space.give(labels)

    @reading
    def bfs(self, source: int, mask: Any = None) -> tuple[Any, Any]:
        """Searches breadth-first from a vertex: levels and parents, -1 for unreachable vertices."""
        count = self.n_vertices
        levels, parents = self._empty(count), self._empty(count)
        self._handle.levels(self._at(), whole(source, "source"), self._mask(mask), raw(levels), raw(parents))
        return self._space.give(levels), self._space.give(parents)

    @reading
    def shortest_path(self, source: int, target: int, mask: Any = None) -> Optional[Any]:
        """The vertices of a shortest path, with both ends; None if there is none.

        Examples
        --------
        >>> from boscage.hamming import CellGraph
        >>> CellGraph([[0, 0], [1, 0], [1, 1]]).shortest_path(0, 2)
        array([0, 1, 2])
        """
        at, mask = self._at(), self._mask(mask)
        source, target = whole(source, "source"), whole(target, "target")
        length = self._handle.path(at, source, target, mask, None)
        if not length:
            return None
        way = self._empty(length)
        self._handle.path(at, source, target, mask, raw(way))
        return self._space.give(way)

    def __len__(self) -> int:
        return self.n_vertices

    def __repr__(self) -> str:
        about = self._info()
        return (
            f"<boscage.CellGraph of {about['vertices']} vectors of {self._length} letters, {about['edges']} edges, "
            f"on {self._place}>"
        )

    @reading
    def __getstate__(self) -> dict[str, Any]:
        words, rows = self._all_words(), np.empty(self.n, np.int64)
        self._handle.get_vertices(self._at(), None, None, None, rows)
        return {
            "words": words[rows],
            "length": self._length,
            "letter_bits": self._letter_bits,
            "alphabet": self._alphabet,
            "method": self._method,
            "implied_edges": self._implied_edges,
            "device": str(self._place),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._alphabet = None
        device = "cpu" if _core.backend_reason("cuda") else state["device"]
        self.__init__(
            state["words"],
            length=state["length"],
            letter_bits=state["letter_bits"],  # type: ignore[misc]
            method=state["method"],
            implied_edges=state.get("implied_edges", False),
            device=device,
        )
        self._alphabet = state["alphabet"]


class Trie(_Letters):
    """A dictionary of vectors in lexicographic order: look-ups, prefixes, wildcards, neighbours.

    The number of keys before a key is its rank.

    Parameters
    ----------
    vectors : array_like, or sequence of str
        As those of `CellGraph`.
    values : array_like of int64, shape (n,), optional
        The value of each; its row by default.
    length, letter_bits, alphabet, device, progress
        As those of `CellGraph`.
    duplicates : {"first", "last"}
        Which value a vector has that comes several times.

    Examples
    --------
    >>> from boscage.hamming import Trie
    >>> trie = Trie(["tree", "trie", "true"], alphabet="abcdefghijklmnopqrstuvwxyz")
    >>> trie.find(["trie", "trio"])
    (array([ 1, -1]), array([1, 0]))
    >>> trie.matches(["tr?e"], wildcard="?")
    (array([0, 3]), array([0, 1, 2]))
    >>> trie.keys()
    ['tree', 'trie', 'true']
    """

    def __init__(
        self,
        vectors: Any,
        values: Any = None,
        *,
        length: Optional[int] = None,
        letter_bits: Optional[int] = None,
        alphabet: Optional[str] = None,
        duplicates: str = "first",
        device: Any = None,
        progress: Progress = None,
    ):
        if duplicates not in ("first", "last"):
            raise ValueError(f"duplicates: {duplicates!r} is neither 'first' nor 'last'")
        self._describe(vectors, length, letter_bits, alphabet)
        self._space = space_of(vectors)
        self._place = place_for(self._space, device)
        self._handle = _core.Trie(self._at(), self._length, self._letter_bits, int(duplicates == "last"))
        self._handle.build(self._at(progress=progress), self._packed(vectors, self._space), self._values(values))

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    def _values(self, values: Any) -> Any:
        return None if values is None else integers(values, "int64", self._space, "values")

    def _queries(self, vectors: Any, absent: Optional[list] = None) -> tuple[Any, int, Space, Any]:
        space = space_of(vectors)
        words = self._packed(vectors, space, absent)
        return words, int(words.shape[0]), space, self._at(space)

    def insert(self, vectors: Any, values: Any = None, *, progress: Progress = None) -> None:
        """Adds vectors, behind those of the trie."""
        space = space_of(vectors)
        self._handle.insert(self._at(space, progress), self._packed(vectors, space), self._values(values))

    def erase(self, vectors: Any) -> int:
        """Removes vectors, and returns the number removed."""
        absent: list = []
        words, _, _, at = self._queries(vectors, absent)
        return self._handle.erase(at, words[~absent[0]] if absent else words)

    def find(self, vectors: Any) -> tuple[Any, Any]:
        """Ranks, -1 where a vector is absent, and values, 0 there."""
        absent: list = []
        words, n, space, at = self._queries(vectors, absent)
        ranks, values = space.empty(n, "int64"), space.empty(n, "int64")
        self._handle.find(at, words, raw(ranks), raw(values), None)
        for outside in absent:
            ranks[outside], values[outside] = -1, 0
        return space.give(ranks), space.give(values)

    def __contains__(self, vector: Any) -> bool:
        return bool(self.find([vector])[0][0] >= 0)

    def prefix(self, vectors: Any, lengths: Any = None) -> tuple[Any, Any]:
        """Ranks begin to end - 1 of the keys that begin with the first `lengths` letters of each vector.

        Without `lengths`, strings and rows of letters may be shorter than the keys, and count as a whole.

        Examples
        --------
        >>> from boscage.hamming import Trie
        >>> Trie([[0, 0], [0, 1], [1, 1]]).prefix([[0, 0]], [1])
        (array([0]), array([2]))
        >>> Trie(["AC", "AG", "GG"], alphabet="ACGT").prefix(["A", "GG"])
        (array([0, 2]), array([2, 3]))
        """
        if lengths is None:
            vectors, lengths = self._padded(vectors)
        words, n, space, at = self._queries(vectors)
        if space is NUMPY:
            lengths = np.broadcast_to(values_of(lengths, "lengths"), (n,))
        begins, ends = space.empty(n, "int64"), space.empty(n, "int64")
        self._handle.prefix(at, words, integers(lengths, "int32", space, "lengths"), raw(begins), raw(ends))
        return space.give(begins), space.give(ends)

    def _padded(self, vectors: Any) -> tuple[Any, Any]:
        """Vectors with all letters of a key, and the numbers of their own letters."""
        if space_of(vectors) is not NUMPY:
            raise TypeError("lengths: None; packed words need them")
        if self._alphabet is not None:
            rows = [vectors] if isinstance(vectors, (str, bytes)) else list(vectors)
            rows = [row.decode() if isinstance(row, bytes) else row for row in rows]
            return [row.ljust(self._length, self._alphabet[0]) for row in rows], [len(row) for row in rows]
        letters = values_of(vectors, "vectors")
        if letters.ndim != 2 or letters.shape[1] > self._length or letters.dtype == np.uint64:
            raise ValueError(f"vectors: rows of up to {self._length} letters, or lengths, are needed")
        return np.pad(letters, ((0, 0), (0, self._length - letters.shape[1]))), letters.shape[1]

    def longest(self, vectors: Any) -> tuple[Any, Any, Any]:
        """Letters of the longest prefix that each vector shares with a key, and these keys' ranks, begin to end - 1."""
        words, n, space, at = self._queries(vectors)
        lengths = space.empty(n, "int32")
        begins, ends = space.empty(n, "int64"), space.empty(n, "int64")
        self._handle.longest(at, words, raw(lengths), raw(begins), raw(ends))
        return space.give(lengths), space.give(begins), space.give(ends)

    @reading
    def matches(self, vectors: Any, any_letter: Any = None, *, wildcard: Optional[str] = None) -> tuple[Any, Any]:
        """Keys that match patterns: ``ranks[offsets[q]:offsets[q + 1]]``.

        Parameters
        ----------
        vectors : array_like, or sequence of str
            Patterns.
        any_letter : array_like of bool, shape (n, length), optional
            Where any letter matches.
        wildcard : str, optional
            Letter of strings that any letter matches.
        """
        if wildcard is not None:
            if self._alphabet is None:
                raise ValueError("wildcard: for strings over an alphabet")
            rows = [vectors] if isinstance(vectors, str) else list(vectors)
            any_letter = [[letter == wildcard for letter in row] for row in rows]
            vectors = [row.replace(wildcard, self._alphabet[0]) for row in rows]
        words, n, space, at = self._queries(vectors)
        free = np.zeros((n, self._length), bool) if any_letter is None else flags(any_letter, NUMPY, "any_letter")
        full = np.where(free, 0, 2**self._letter_bits - 1).astype(np.uint8)
        masks = space.asarray(pack(full, self._letter_bits), "uint64")
        words = space.asarray(words, "uint64")
        offsets = space.empty(n + 1, "int64")
        self._handle.matches(at, words, masks, raw(offsets), None)
        ranks = space.empty(int(space.host(offsets)[-1]), "int64")
        self._handle.matches(at, words, masks, raw(offsets), raw(ranks))
        return space.give(offsets), space.give(ranks)

    @reading
    def neighbours(self, vectors: Any) -> tuple[Any, Any, Any]:
        """Keys that differ from each vector in one letter: offsets, ranks, and the letters."""
        words, n, space, at = self._queries(vectors)
        offsets = space.empty(n + 1, "int64")
        self._handle.neighbours(at, words, raw(offsets), None, None)
        total = int(space.host(offsets)[-1])
        ranks, positions = space.empty(total, "int64"), space.empty(total, "uint32")
        self._handle.neighbours(at, words, raw(offsets), raw(ranks), raw(positions))
        return space.give(offsets), space.give(ranks), space.give(positions)

    @reading
    def pairs(self) -> tuple[Any, Any]:
        """All pairs of keys, by their ranks, that differ in one letter, and the letters."""
        count = self._handle.pairs(self._at(), None, None)
        pairs, positions = self._space.empty((count, 2), "int64"), self._space.empty(count, "uint32")
        self._handle.pairs(self._at(), raw(pairs), raw(positions))
        return self._space.give(pairs), self._space.give(positions)

    @reading
    def keys(self, begin: int = 0, end: Optional[int] = None) -> Any:
        """Keys in order, those of ranks begin to end - 1: letters, or strings over the alphabet."""
        begin, end = whole(begin, "begin"), len(self) if end is None else whole(end, "end")
        words = np.empty((max(end - begin, 0), _core.words(self._length, self._letter_bits)), np.uint64)
        self._handle.get_keys(self._at(), begin, end, words, None, None)
        return self._readable(words)

    @reading
    def values(self) -> Any:
        """The value of each key, in order."""
        out = self._space.empty(len(self), "int64")
        self._handle.get_keys(self._at(), 0, len(self), None, raw(out), None)
        return self._space.give(out)

    @reading
    def counts(self) -> Any:
        """The number of rows of each key, in order."""
        out = self._space.empty(len(self), "int64")
        self._handle.get_keys(self._at(), 0, len(self), None, None, raw(out))
        return self._space.give(out)

    def __len__(self) -> int:
        return self._handle.info(self._at())["keys"]

    def __repr__(self) -> str:
        return f"<boscage.Trie of {len(self)} vectors of {self._length} letters, on {self._place}>"

    def __getstate__(self) -> dict[str, Any]:
        return {
            "bytes": self._handle.save(self._at()),
            "length": self._length,
            "letter_bits": self._letter_bits,
            "alphabet": self._alphabet,
            "device": str(self._place),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._length, self._letter_bits, self._alphabet = state["length"], state["letter_bits"], state["alphabet"]
        self._space = NUMPY
        self._place = place_for(NUMPY, "cpu" if _core.backend_reason("cuda") else state["device"])
        self._handle = _core.Trie.load(self._at(), state["bytes"])
