"""Arrays of NumPy, CuPy, PyTorch, JAX, and of any library with DLPack or ``__cuda_array_interface__``.

A *space* is a library and a device of its: it brings input to a type and to rows without gaps, where that is needed,
makes arrays for answers, and gives these back as the library's own. Arrays on a device stay there.
"""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

from . import _core
from ._where import CPU, Place, place as place_of

DTYPES = {"float32": 1, "float64": 2, "int32": 3, "int64": 4, "uint32": 5, "uint64": 6}
_NAMES = {np.dtype(name): name for name in DTYPES}


def name_of(dtype: np.dtype) -> str:
    """Its name. NumPy makes the text again each time, which takes a microsecond."""
    return _NAMES.get(dtype) or dtype.name


def is_aligned(x: np.ndarray) -> bool:
    """True if the address is a multiple of the alignment. False if empty: NumPy calls any empty array aligned."""
    return x.flags.aligned and x.size > 0


def rows_of(offsets: np.ndarray, dtype: Any = np.intp) -> np.ndarray:
    """The row of each entry of CSR rows."""
    return np.arange(len(offsets) - 1, dtype=dtype).repeat(offsets[1:] - offsets[:-1])


class Space:
    """The base class; arrays of NumPy."""

    name = "numpy"
    at: Optional[Place] = None  # of device arrays; None: where the structure is

    def stream(self) -> int:
        """The stream that the array library queues on; 0: none."""
        return 0

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        x = np.ascontiguousarray(x, dtype=dtype)
        return x if is_aligned(x) else x.copy()

    def rows(self, x: Any, dtype: Any) -> Any:
        """A 2-D array with contiguous rows; not copied if it is one already."""
        x = np.asarray(x, dtype=dtype)
        item = x.itemsize
        if x.ndim == 2 and x.shape[0] > 1 and (x.shape[1] <= 1 or x.strides[1] == item):
            step = x.strides[0]
            if step % item == 0 and step >= x.shape[1] * item and x.flags.aligned:
                return x
        return self.asarray(x)

    def dtype_name(self, x: Any) -> str:
        return name_of(np.asarray(x).dtype)

    def dtype(self, x: Any) -> np.dtype:
        return np.dtype(self.dtype_name(x))

    def empty(self, shape: Any, dtype: str) -> Any:
        return np.empty(shape, dtype)

    def give(self, x: Any) -> Any:
        """Converts an answer in an array of `empty` to the library's own array."""
        return x

    def sqrt(self, x: Any) -> Any:
        return np.sqrt(x, dtype=np.float64)

    def none_to(self, ids: Any, n: int) -> Any:
        """Ids with n in place of -1."""
        ids[ids < 0] = n
        return ids

    def choose(self, condition: Any, x: Any, number: Any) -> Any:
        """x, or where the condition is False a number of its type."""
        return np.where(condition, x, x.dtype.type(number))

    def with_plain_nans(self, x: Any) -> Any:
        """Floats with the NaN without a sign in place of every other one."""
        is_number = x == x
        return x if is_number.all() else self.choose(is_number, x, np.nan)

    def lists(self, offsets: Any, ids: Any) -> list[Any]:
        """CSR rows one by one: lists of int, or arrays on the device."""
        at, flat = self.host(offsets).tolist(), self.host(ids).tolist()
        return [flat[begin:end] for begin, end in zip(at, at[1:])]

    def pairs(self, offsets: Any, ids: Any) -> Any:
        """CSR rows as pairs (row, entry)."""
        out = np.empty((len(ids), 2), np.intp)
        if len(ids):
            out[:, 0], out[:, 1] = rows_of(offsets), ids
        return out

    def host(self, x: Any) -> np.ndarray:
        return np.asarray(x)


class Library(Space):
    """Shared by libraries with sliceable arrays."""

    xp: Any  # their module

    def choose(self, condition: Any, x: Any, number: Any) -> Any:
        return self.xp.where(condition, x, self.xp.asarray(number, dtype=x.dtype))

    def with_plain_nans(self, x: Any) -> Any:
        return self.asarray(self.choose(x == x, x, np.nan))

    def lists(self, offsets: Any, ids: Any) -> list[Any]:
        at, flat = self.host(offsets).tolist(), self.give(ids)
        return [flat[begin:end] for begin, end in zip(at, at[1:])]

    def pairs(self, offsets: Any, ids: Any) -> Any:
        rows = self.xp.searchsorted(offsets, self.xp.arange(len(ids)), side="right") - 1
        return self.xp.stack([rows, ids], axis=1)


class CuPy(Library):
    name = "cupy"

    def __init__(self, x: Any):
        self.xp = sys.modules["cupy"]
        self.at = Place("cuda", int(x.device.id))

    def stream(self) -> int:
        return int(self.xp.cuda.get_current_stream(self.at.device).ptr) or 1  # 1: the legacy default stream

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        with self.xp.cuda.Device(self.at.device):
            return self.xp.ascontiguousarray(self.xp.asarray(x, dtype=dtype))

    def rows(self, x: Any, dtype: Any) -> Any:
        return self.asarray(x, dtype)

    def dtype_name(self, x: Any) -> str:
        return x.dtype.name

    def empty(self, shape: Any, dtype: str) -> Any:
        with self.xp.cuda.Device(self.at.device):
            return self.xp.empty(shape, dtype)

    def sqrt(self, x: Any) -> Any:
        return self.xp.sqrt(x, out=x)

    def none_to(self, ids: Any, n: int) -> Any:
        return self.xp.where(ids < 0, n, ids)

    def pairs(self, offsets: Any, ids: Any) -> Any:
        with self.xp.cuda.Device(self.at.device):
            return super().pairs(offsets, ids)

    def host(self, x: Any) -> np.ndarray:
        return self.xp.asnumpy(x)


class Torch(Library):
    name = "torch"

    def __init__(self, x: Any):
        self.torch = sys.modules["torch"]
        self.device = x.device
        self.at = Place("cuda", x.device.index or 0) if x.device.type == "cuda" else None
        if x.device.type not in ("cuda", "cpu"):
            raise ValueError(f"a tensor on {x.device} cannot be worked on")

    def stream(self) -> int:
        return (int(self.torch.cuda.current_stream(self.device).cuda_stream) or 1) if self.at else 0

    def _type(self, dtype: Any) -> Any:
        return getattr(self.torch, dtype if isinstance(dtype, str) else np.dtype(dtype).name)

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        x = self.torch.as_tensor(x, device=self.device).detach()
        return (x if dtype is None else x.to(self._type(dtype))).contiguous().resolve_neg()

    def rows(self, x: Any, dtype: Any) -> Any:
        return self.asarray(x, dtype)

    def dtype_name(self, x: Any) -> str:
        return str(x.dtype).removeprefix("torch.")

    def empty(self, shape: Any, dtype: str) -> Any:
        return self.torch.empty(shape, dtype=self._type(dtype), device=self.device)

    def sqrt(self, x: Any) -> Any:
        return x.sqrt_()

    def choose(self, condition: Any, x: Any, number: Any) -> Any:
        return self.torch.where(condition, x, number)  # of its type, without a copy from the host

    def none_to(self, ids: Any, n: int) -> Any:
        return ids.masked_fill_(ids < 0, n)

    def pairs(self, offsets: Any, ids: Any) -> Any:
        rows = self.torch.searchsorted(offsets, self.torch.arange(len(ids), device=self.device), right=True) - 1
        return self.torch.stack([rows, ids], dim=1)

    def host(self, x: Any) -> np.ndarray:
        return x.detach().cpu().numpy() if isinstance(x, self.torch.Tensor) else np.asarray(x)


class DeviceArray:
    """Memory of a device, for libraries that have no arrays to write to: DLPack and ``__cuda_array_interface__``.

    Its own, or that of an `owner` at an `address`."""

    def __init__(self, shape: Any, dtype: Any, at: Place, owner: Any = None, address: int = 0):
        self.shape = tuple(np.atleast_1d(shape).tolist())
        self.dtype = np.dtype(dtype)
        self._at = at
        self._where = _core.Where(at.backend, at.device)
        if owner is None:
            owner = _core.allocate(self._where, self.nbytes)
            address = owner.address
        self._owner, self._address = owner, address
        bits = 8 * self.dtype.itemsize
        self._array = _core.at_address(address, self.shape, self.dtype.kind, bits, at.device, owner)

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape)) * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def reshape(self, *shape: Any) -> "DeviceArray":
        """The same memory in another shape."""
        shape = np.empty(self.shape, "V0").reshape(*shape).shape
        return DeviceArray(shape, self.dtype, self._at, self._owner, self._address)

    def __dlpack__(self, **options: Any) -> Any:
        self._where.sync()  # finished for every stream
        return self._array.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self._at.device)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self._where.sync()
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._address, False),
            "version": 3,
            "strides": None,
            "stream": None,
        }

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype.name}, device='{self._at}')"


class Jax(Library):
    name = "jax"

    def __init__(self, x: Any):
        self.jax = sys.modules["jax"]
        self.xp = self.jax.numpy
        device = next(iter(x.devices()))
        self.at = Place("cuda", int(device.local_hardware_id or 0)) if device.platform == "gpu" else None

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        """An array of JAX; of NumPy for types of 64 bits that JAX lacks without ``jax_enable_x64``."""
        if dtype is not None and self.jax.dtypes.canonicalize_dtype(dtype) != np.dtype(dtype):
            return np.ascontiguousarray(self.host(x), dtype)
        return self.xp.asarray(x, dtype=dtype).block_until_ready()

    def rows(self, x: Any, dtype: Any) -> Any:
        return self.asarray(x, dtype)

    def dtype_name(self, x: Any) -> str:
        return x.dtype.name

    def empty(self, shape: Any, dtype: str) -> Any:
        return DeviceArray(shape, dtype, self.at) if self.at else np.empty(shape, dtype)

    def give(self, x: Any) -> Any:
        if not isinstance(x, DeviceArray):
            return self.xp.asarray(x)
        # A copy: JAX frees foreign memory in a thread of its own, which may not call Python any more when the
        # interpreter ends.
        return self.xp.array(self.jax.dlpack.from_dlpack(x), copy=True).block_until_ready()

    def sqrt(self, x: Any) -> Any:
        return self.xp.sqrt(self.give(x))

    def none_to(self, ids: Any, n: int) -> Any:
        ids = self.give(ids)
        return self.xp.where(ids < 0, n, ids)

    def host(self, x: Any) -> np.ndarray:
        return np.asarray(self.give(x) if isinstance(x, DeviceArray) else x)


class AnyCuda(Space):
    """A library known by ``__cuda_array_interface__`` only: answers are `DeviceArray`."""

    name = "cuda"

    def __init__(self, x: Any):
        self.about = x.__cuda_array_interface__
        self.at = Place("cuda", int(getattr(x, "device_id", 0) or 0))

    def stream(self) -> int:
        return int(self.about.get("stream") or 1)

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        if not hasattr(x, "__cuda_array_interface__"):
            return np.ascontiguousarray(x, dtype=dtype)
        about = x.__cuda_array_interface__
        given = np.dtype(about["typestr"])
        wanted = given if dtype is None else np.dtype(dtype)
        if about.get("strides") is not None or given != wanted:
            raise TypeError(f"an array of a library that is not known must be of {wanted.name} without gaps")
        if isinstance(x, DeviceArray):
            return x
        return DeviceArray(about["shape"], given, self.at, x, about["data"][0])

    def rows(self, x: Any, dtype: Any) -> Any:
        return self.asarray(x, dtype)

    def dtype_name(self, x: Any) -> str:
        return np.dtype(x.__cuda_array_interface__["typestr"]).name

    def empty(self, shape: Any, dtype: str) -> Any:
        return DeviceArray(shape, dtype, self.at)

    def give(self, x: Any) -> Any:
        x._where.sync()
        return x

    def with_plain_nans(self, x: Any) -> Any:
        there = self.host(x)
        plain = NUMPY.with_plain_nans(there)
        if plain is there:
            return x
        out = DeviceArray(plain.shape, plain.dtype, self.at)
        _core.copy(self._where(), out._address, plain.ctypes.data, plain.nbytes)
        return out

    def none_to(self, ids: Any, n: int) -> Any:
        there = self.host(ids)
        there[there < 0] = n
        _core.copy(self._where(), ids._address, there.ctypes.data, ids.nbytes)
        return ids

    def pairs(self, offsets: Any, ids: Any) -> Any:
        return super().pairs(self.host(offsets), self.host(ids))

    def host(self, x: Any) -> np.ndarray:
        if not hasattr(x, "__cuda_array_interface__"):
            return np.asarray(x)
        x = self.asarray(x)
        there = np.empty(x.shape, x.dtype)
        _core.copy(self._where(), there.ctypes.data, x._address, x.nbytes)
        return there

    def _where(self) -> Any:
        return _core.Where(self.at.backend, self.at.device, 0, self.stream())


class NumPy(Space):
    def dtype(self, x: Any) -> np.dtype:
        return np.asarray(x).dtype


NUMPY = NumPy()


def space_of(*arrays: Any) -> Space:
    """The space of the first array that is not NumPy's."""
    for x in arrays:
        if x is None or isinstance(x, (np.ndarray, list, tuple, float, int)):
            continue
        library = type(x).__module__.partition(".")[0]
        if library == "pandas":  # its missing attributes, as looked up below, are slow to fail
            continue
        if library == "cupy":
            return CuPy(x)
        if library == "torch" and hasattr(x, "layout"):
            return Torch(x)
        if library in ("jax", "jaxlib") and hasattr(x, "devices"):
            return Jax(x)
        if hasattr(x, "__cuda_array_interface__"):
            return AnyCuda(x)
    return NUMPY


def raw(x: Any) -> Any:
    """The object to pass to the extension for an array of `empty`."""
    return x._array if isinstance(x, DeviceArray) else x


def address_of(x: Any) -> int:
    """The address of an array without gaps, of any space; 0 for None."""
    if x is None:
        return 0
    if isinstance(x, np.ndarray):
        return x.ctypes.data
    if isinstance(x, DeviceArray):
        return x._address
    if hasattr(x, "data_ptr"):  # PyTorch
        return x.data_ptr()
    return x.unsafe_buffer_pointer() if hasattr(x, "unsafe_buffer_pointer") else x.data.ptr  # JAX, CuPy


def place_for(space: Space, device: Any) -> Place:
    """Where a structure of this space's arrays is made."""
    if space.at is None:
        return place_of(device)
    if device is not None and place_of(device) != space.at:
        raise ValueError(f"device: the array is on {space.at}, not on {place_of(device)}")
    return space.at


__all__ = ["CPU", "DTYPES", "DeviceArray", "NUMPY", "Space", "address_of", "name_of", "place_for", "raw", "space_of"]
