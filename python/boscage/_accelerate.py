"""Functions and classes of scipy, scikit-learn, pandas, NumPy and networkx replaced by those of this package."""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.util
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Callable, NamedTuple

import numpy as np

MANY = 50_000  # elements, below which NumPy and pandas keep their own functions: an estimate

TREES = ("KDTree", "cKDTree")
SEARCHES = (
    "count_neighbors",
    "query",
    "query_ball_point",
    "query_ball_tree",
    "query_pairs",
    "sparse_distance_matrix",
)
ESTIMATORS = (
    "BallTree",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KernelDensity",
    "LocalOutlierFactor",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
)

# Names of each module: of classes that replace, of classes and functions with a fall-back, and of functions for many
# elements.
REPLACED = {
    "sklearn.neighbors": ("boscage.neighbors", (*ESTIMATORS, "KDTree")),
    "sklearn.cluster": ("boscage.cluster", ("DBSCAN", "HDBSCAN")),
}
WITH_FALLBACK = {
    "scipy.spatial": ("boscage.spatial", TREES),
    "scipy.sparse.csgraph": (
        "boscage.sparse.csgraph",
        ("breadth_first_order", "connected_components", "dijkstra", "minimum_spanning_tree", "shortest_path"),
    ),
    "scipy.cluster.hierarchy": ("boscage.cluster.hierarchy", ("cut_tree", "linkage", "single")),
    "sklearn.cluster": ("boscage.cluster", ("dbscan",)),
    "sklearn.neighbors": ("boscage.neighbors", ("kneighbors_graph", "radius_neighbors_graph")),
}
OF_MANY = {
    "numpy": ("boscage.hashing", ("isin", "unique")),
    "pandas": ("boscage.hashing", ("factorize",)),
}
MODULES = tuple(sorted({*REPLACED, *WITH_FALLBACK, *OF_MANY, "networkx"}))

_inside = threading.local()


@dataclass(eq=False)
class _Replacement:
    """A replaced attribute of a module, or of networkx's configuration."""

    owner: Acceleration
    holder: Any
    name: str
    original: Any  # the attribute before; perhaps the replacement of an earlier acceleration


_replacements: list[_Replacement] = []  # of all accelerations that have not ended, in the order of time


class Report(NamedTuple):
    """Calls since `accelerate`, by name.

    Attributes
    ----------
    taken : dict of str to int
        Calls that this package answered.
    left : dict of (str, str) to int
        Calls left to the original, with the reason.
    replaced : tuple of str
        Names with another meaning now.
    """

    taken: dict[str, int]
    left: dict[tuple[str, str], int]
    replaced: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"boscage: {sum(self.taken.values())} calls taken, {sum(self.left.values())} left"]
        lines += [f"  {count:6} {name}" for name, count in sorted(self.taken.items())]
        lines += [f"  {count:6} {name}: left: {why}" for (name, why), count in sorted(self.left.items())]
        lines += [f"  {'':6} {name}: replaced" for name in self.replaced if name not in self.taken]
        return "\n".join(lines)


class Acceleration:
    """What `accelerate` has replaced. As a context manager it ends with its block.

    Examples
    --------
    >>> import boscage, scipy.spatial
    >>> with boscage.accelerate("scipy.spatial") as acceleration:
    ...     tree = scipy.spatial.KDTree([[0.0], [1.0]])
    >>> type(tree).__module__, acceleration.report().taken
    ('boscage._kdtree', {'scipy.spatial.KDTree': 1})
    """

    def __init__(self, modules: tuple[str, ...]):
        self._modules = modules
        self._taken: Counter = Counter()
        self._left: Counter = Counter()
        self._finder = _Finder(self)
        sys.meta_path.insert(0, self._finder)
        for name in modules:
            if name in sys.modules:
                self._patch(name)

    def report(self) -> Report:
        """Counts the calls so far."""
        modules = [each for each in self._replacements() if isinstance(each.holder, ModuleType)]
        replaced = tuple(sorted(f"{each.holder.__name__}.{each.name}" for each in modules))
        return Report(dict(self._taken), dict(self._left), replaced)

    def undo(self) -> None:
        """Puts the originals back. Objects made meanwhile, and the replacements of other accelerations, stay."""
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        for own in self._replacements():
            at = _replacements.index(own)
            later = [x for x in _replacements[at + 1 :] if x.holder is own.holder and x.name == own.name]
            if later:  # the next acceleration of this name restores it
                later[0].original = own.original
            else:
                setattr(own.holder, own.name, own.original)
            del _replacements[at]

    def _replacements(self) -> list[_Replacement]:
        return [each for each in _replacements if each.owner is self]

    def _replace(self, holder: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Replaces an attribute, unless this acceleration has, by a function of the original."""
        if any(each.holder is holder and each.name == name for each in self._replacements()):
            return
        original = getattr(holder, name)
        _replacements.append(_Replacement(self, holder, name, original))
        setattr(holder, name, make(original))

    def __enter__(self) -> "Acceleration":
        return self

    def __exit__(self, *exc: object) -> None:
        self.undo()

    def _patch(self, name: str) -> None:
        """Replaces the names of a module that is loaded."""
        module = sys.modules[name]
        if name == "networkx":
            self._choose_backend(module)
        for table, wrap in ((REPLACED, self._plain), (WITH_FALLBACK, self._either), (OF_MANY, self._of_many)):
            if name not in table:
                continue
            source, names = table[name]
            ours = importlib.import_module(source)
            for each in names:
                if hasattr(module, each):
                    self._replace(module, each, functools.partial(wrap, f"{name}.{each}", getattr(ours, each)))

    def _choose_backend(self, networkx: Any) -> None:
        priority = getattr(networkx.config, "backend_priority", None)
        if priority is not None and "boscage" in getattr(networkx.config, "backends", ()):
            self._replace(priority, "algos", lambda before: ["boscage", *(x for x in before if x != "boscage")])

    def _plain(self, name: str, ours: Any, original: Any) -> Any:
        return ours

    def _either(self, name: str, ours: Any, original: Any) -> Any:
        wrap = self._tree_class if isinstance(ours, type) else self._function
        return wrap(name, ours, original)

    def _call(self, name: str, ours: Callable[..., Any], original: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The answer of ours, or that of the original where ours refuses. Calls from within go to the original."""
        running = _inside.__dict__.setdefault("names", set())
        if name in running:
            return original(*args, **kwargs)
        running.add(name)
        try:
            answer = ours(*args, **kwargs)
            self._taken[name] += 1
            return answer
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:
            why = _why(error)
        finally:
            running.discard(name)
        self._left[name, why] += 1
        return original(*args, **kwargs)

    def _function(self, name: str, ours: Any, original: Any) -> Any:
        @functools.wraps(original)
        def either(*args: Any, **kwargs: Any) -> Any:
            return self._call(name, ours, original, args, kwargs)

        return either

    def _of_many(self, name: str, ours: Any, original: Any) -> Any:
        """For many numbers in an array of NumPy; others go to the original, uncounted."""

        @functools.wraps(original)
        def either(*args: Any, **kwargs: Any) -> Any:
            first = args[0] if args else None
            if type(first) is not np.ndarray or first.size < MANY or first.ndim != 1 or first.dtype.kind not in "iuf":
                return original(*args, **kwargs)
            return self._call(name, ours, original, args, kwargs)

        return either

    def _tree_class(self, name: str, ours: Any, original: Any) -> Any:
        """A class whose calls make our objects, or the original's where ours refuse; both are instances of it."""
        call, tree = self._call, _tree_with_fallback(name, ours, original, self._left)

        class Either(type(ours)):  # type: ignore[misc]
            def __call__(cls, *args: Any, **kwargs: Any) -> Any:
                if cls is not made:
                    return super().__call__(*args, **kwargs)
                return call(name, tree, original, args, kwargs)

            def __instancecheck__(cls, x: Any) -> bool:
                return isinstance(x, (ours, original)) if cls is made else super().__instancecheck__(x)

        made = Either(original.__name__, (tree,), {"__doc__": ours.__doc__, "__module__": original.__module__})
        return made


def _why(error: Exception) -> str:
    """The reason in a report."""
    return f"{type(error).__name__}: {error}".splitlines()[0][:100]


def _restored(kind: Any, state: Any) -> Any:
    """An object of a pickled state."""
    made = kind.__new__(kind)
    made.__setstate__(state)
    return made


def _tree_with_fallback(name: str, ours: Any, original: Any, left: Counter) -> Any:
    """Our class of trees, whose searches go to a tree of the original where ours refuse."""
    from ._kdtree import cKDTree

    def original_of(tree: Any) -> Any:
        found = vars(tree).get("_original")
        if found is None or found[0] is not tree._data:  # not made yet, or of points before a rebuild
            made = original(np.asarray(tree._space.host(tree._data)), tree.leafsize, boxsize=tree.boxsize)
            found = tree._original = tree._data, made
        return found[1]

    def with_fallback(search: str) -> Any:
        own = getattr(ours, search)

        @functools.wraps(own)
        def either(self: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return own(self, *args, **kwargs)
            except Exception as error:
                left[f"{name}.{search}", _why(error)] += 1
            args = tuple(original_of(x) if isinstance(x, cKDTree) else x for x in args)
            kwargs = {key: original_of(x) if isinstance(x, cKDTree) else x for key, x in kwargs.items()}
            return getattr(original_of(self), search)(*args, **kwargs)

        return either

    class Tree(ours):
        def __reduce_ex__(self, protocol: Any) -> Any:
            if type(self) is not Tree:
                return super().__reduce_ex__(protocol)
            return _restored, (ours, self.__getstate__())  # as our own class, which unpickles anywhere

    for search in SEARCHES:
        setattr(Tree, search, with_fallback(search))
    Tree.__name__, Tree.__qualname__, Tree.__module__ = ours.__name__, ours.__qualname__, ours.__module__
    Tree.__doc__ = ours.__doc__
    return Tree


class _Finder(importlib.abc.MetaPathFinder):
    """Replaces names of modules when they have been imported."""

    def __init__(self, acceleration: Acceleration):
        self._acceleration = acceleration
        self._busy: set[str] = set()

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name not in self._acceleration._modules or name in self._busy:
            return None
        self._busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._busy.discard(name)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_and_patch(module: Any) -> None:
            load(module)
            self._acceleration._patch(name)

        spec.loader.exec_module = load_and_patch  # type: ignore[method-assign]
        return spec


def accelerate(*modules: str) -> Acceleration:
    """Replaces functions and classes of other libraries by those of this package, wherever these give the same answers.

    Modules change when they are imported, if that comes later. Code that has a name already, by an earlier
    ``from scipy.spatial import KDTree``, keeps the original: call this first, or run ``python -m boscage SCRIPT``.

    Parameters
    ----------
    *modules : str
        Among "networkx", "numpy", "pandas", "scipy.cluster.hierarchy", "scipy.sparse.csgraph", "scipy.spatial",
        "sklearn.cluster" and "sklearn.neighbors". Default: all of them.

    Returns
    -------
    Acceleration
        With `report` and `undo`; also a context manager.

    Notes
    -----
    Input that this package refuses goes to the original, also in searches of trees, and so do its errors. NumPy's and
    pandas' functions are replaced for arrays of 50,000 numbers and more.

    Examples
    --------
    >>> import boscage, scipy.cluster.hierarchy
    >>> with boscage.accelerate("scipy.cluster.hierarchy") as acceleration:
    ...     for method in ("single", "average"):
    ...         z = scipy.cluster.hierarchy.linkage([[0.0], [1.0], [5.0]], method)
    >>> len(acceleration.report().taken), len(acceleration.report().left)
    (1, 1)
    """
    for name in modules:
        if name not in MODULES:
            raise ValueError(f"modules: {name!r} is not one of {', '.join(MODULES)}")
    return Acceleration(modules or MODULES)
