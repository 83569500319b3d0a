"""Methods that hold the lock of their structure over several calls of the extension.

Each call of the extension takes the lock itself. A method that makes several calls, or reads attributes that a writer
changes, must hold it throughout: else another thread may write between them. A thread that holds a lock may enter it
again, but a reader may not begin to write.
"""

from __future__ import annotations

import functools
from contextlib import contextmanager
from typing import Any, Callable, Iterator, TypeVar

from . import _core

Method = TypeVar("Method", bound=Callable[..., Any])


def reading(method: Method) -> Method:
    """A method whose structure no other thread changes while it runs."""

    @functools.wraps(method)
    def locked(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _core.call_reading(method, (self, *args), kwargs)

    return locked  # type: ignore[return-value]


def reading_both(method: Method) -> Method:
    """A method whose structure, and that of its first argument `other`, no other thread changes while it runs."""

    @functools.wraps(method)
    def locked(self: Any, *args: Any, **kwargs: Any) -> Any:
        other = args[0] if args else kwargs.get("other")
        if not isinstance(getattr(other, "_handle", None), _core.Lock):  # the method refuses it
            return _core.call_reading(method, (self, *args), kwargs)
        return _core.call_reading_both(other, method, (self, *args), kwargs)

    return locked  # type: ignore[return-value]


def writing(method: Method) -> Method:
    """A method during which no other thread reads or changes its structure."""

    @functools.wraps(method)
    def locked(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _core.call_writing(method, (self, *args), kwargs)

    return locked  # type: ignore[return-value]


@contextmanager
def emptied_on_failure(structure: Any, *args: Any) -> Iterator[None]:
    """A build in the memory of a structure. A failure, as an exception of a progress function or a signal, may leave
    that memory empty: ``structure._forget(*args)`` then forgets the points of the last build too."""
    try:
        yield
    except BaseException:
        structure._forget(*args)
        raise
