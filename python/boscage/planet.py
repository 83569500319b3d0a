"""Adaptive triangle meshes of whole planets, from orbit to the ground, without cracks or seams."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import NUMPY, Space, place_for, raw, space_of
from ._convert import integers, real_array, reals
from ._locks import reading, writing
from ._numbers import real, whole
from ._where import Progress, where
from .terrain import Camera

__all__ = ["Planet"]

EARTH = 6371000.0


class Planet:
    """A raster of heights around a sphere, and its closed mesh, refined to a requested error or for a camera.

    Coordinates are from the center: z to the north pole, x to latitude and longitude 0.

    Parameters
    ----------
    heights : array_like, shape (rows, columns)
        Equirectangular: rows from north to south, columns from longitude -180 to the east. Kept as float32.
    radius : float
        Of height 0, in the unit of the heights.
    depth : int
        The deepest level of triangles, 60 at most.
    detail_amplitude : float
        Of noise below the raster's resolution; 0: none.
    detail_octaves, detail_wavelength, detail_seed
        Of that noise; 0: chosen.
    device, progress
        As those of `boscage.spatial.cKDTree`.

    Examples
    --------
    >>> import numpy as np
    >>> from boscage.planet import Planet
    >>> latitudes = np.radians(np.linspace(90, -90, 91))[:, None]
    >>> moon = Planet(1000 * np.cos(3 * latitudes) * np.ones(180), radius=1.7e6)
    >>> moon.select(error=2000)
    >>> vertices, triangles = moon.mesh()
    >>> len(vertices) == len(triangles) // 2 + 2, moon.measure()["max_error"] <= 2000
    (True, True)
    """

    def __init__(
        self,
        heights: Any,
        radius: float = EARTH,
        *,
        depth: int = 60,
        detail_amplitude: float = 0.0,
        detail_octaves: int = 0,
        detail_wavelength: float = 0.0,
        detail_seed: int = 0,
        device: Any = None,
        progress: Progress = None,
    ):
        self._space = space_of(heights)
        self._place = place_for(self._space, device)
        depth = whole(depth, "depth", "int32")
        if not 1 <= depth <= 60:
            raise ValueError(f"depth: {depth} is not in 1 to 60")
        self._handle = _core.Planet(
            self._at(),
            real(radius, "radius"),
            depth,
            whole(detail_octaves, "detail_octaves", "int32"),
            real(detail_amplitude, "detail_amplitude"),
            real(detail_wavelength, "detail_wavelength"),
            whole(detail_seed, "detail_seed", "uint64"),
        )
        self._handle.build(self._at(progress=progress), _raster(heights, self._space))

    def _at(self, space: Optional[Space] = None, progress: Progress = None) -> Any:
        return where(self._place, (space or self._space).stream(), None, progress)

    @property
    def info(self) -> dict[str, Any]:
        """Sizes of the raster and the mesh, the lowest and the highest height, the deepest level, bytes."""
        return self._handle.info(self._at())

    @writing
    def rebuild(self, heights: Any, *, progress: Progress = None) -> None:
        """Replaces the raster, in the planet's memory; insets are removed."""
        space = space_of(heights)
        self._handle.build(self._at(space, progress), _raster(heights, space))
        self._space = space

    @writing
    def add_inset(self, heights: Any, bounds: Any, border: int = 0, *, progress: Progress = None) -> None:
        """Lays finer heights of a region over the raster.

        Parameters
        ----------
        heights : array_like, shape (rows, columns)
        bounds : sequence of 4 floats
            West, south, east, north: outer edges in degrees.
        border : int
            Samples over which the edge is blended; 0: chosen.
        progress
            As that of `boscage.spatial.cKDTree.query`.
        """
        edges = reals(bounds, "float64", NUMPY, "bounds")
        if edges.shape != (4,):
            raise ValueError("bounds: not four edges")
        space = space_of(heights)
        border = whole(border, "border", "int32")
        self._handle.add_inset(self._at(space, progress), _raster(heights, space), *map(float, edges), border)

    @reading
    def camera(
        self,
        latitude: float,
        longitude: float,
        altitude: float,
        heading: float = 0.0,
        pitch: float = -90.0,
        **view: Any,
    ) -> Camera:
        """A camera over the ground.

        Parameters
        ----------
        latitude, longitude : float
            In degrees.
        altitude : float
            Over the surface there.
        heading, pitch : float
            Degrees east of north, and above the horizon.
        **view
            `fov`, `pixels`, `width`, `height` and `cull` of `boscage.terrain.Camera`.

        Returns
        -------
        Camera
        """
        numbers = (latitude, longitude, altitude, heading, pitch)
        names = ("latitude", "longitude", "altitude", "heading", "pitch")
        place = self._handle.place_camera(self._at(), *(real(x, name) for x, name in zip(numbers, names)))
        return Camera(*place, **view)

    @writing
    def select(
        self,
        error: float = 0.0,
        *,
        triangles: int = 0,
        camera: Optional[Camera] = None,
        hysteresis: float = 0.0,
        level: int = 0,
        progress: Progress = None,
    ) -> None:
        """Refines and coarsens the mesh.

        Parameters
        ----------
        error : float
            Every sample is within this distance of the mesh; with a camera: errors that need no refinement.
        triangles : int
            The most triangles; the bound grows until they suffice.
        camera : Camera, optional
            Errors are within its `pixels` on the screen.
        hysteresis : float
            Triangles are merged only below this fraction under their bound.
        level : int
            The deepest level; 0: that of the planet.
        progress
            As that of `boscage.spatial.cKDTree.query`.
        """
        view: tuple = ()
        if camera is not None:
            vectors = [float(x) for v in (camera.position, camera.direction, camera.up) for x in v]
            sizes = (int(camera.width), int(camera.height), bool(camera.cull))
            view = (*vectors, float(camera.fov), float(camera.pixels), *sizes)
        self._handle.select(
            self._at(progress=progress),
            real(error, "error"),
            whole(triangles, "triangles"),
            view,
            real(hysteresis, "hysteresis"),
            whole(level, "level", "int32"),
        )

    @writing
    def update(self, commands: Any) -> None:
        """Splits and merges triangles: for each 0 (keep), 1 (split) or 2 (merge)."""
        space = space_of(commands)
        self._handle.update(self._at(space), integers(commands, "uint8", space, "commands"))

    @reading
    def mesh(self, *, origin: Any = None, normals: bool = False) -> tuple[Any, ...]:
        """The closed mesh, with each vertex once.

        Parameters
        ----------
        origin : sequence of 3 floats, optional
            Vertices are float32 from here, exact near it. Default: float64, from the center.
        normals : bool
            Returns normals too.

        Returns
        -------
        vertices : array, shape (v, 3)
        triangles : array of uint32, shape (t, 3)
            Counterclockwise as seen from outside.
        normals : array of float32, shape (v, 3)
        """
        about = self._handle.info(self._at())
        if origin is not None:
            origin = reals(origin, "float64", NUMPY, "origin")
            if origin.shape != (3,):
                raise ValueError("origin: not 3 coordinates")
        shape = (about["vertices"], 3)
        positions = self._space.empty(shape, "float64" if origin is None else "float32")
        triangles = self._space.empty((about["triangles"], 3), "uint32")
        directions = self._space.empty(shape, "float32") if normals else None
        single, double = (None, positions) if origin is None else (positions, None)
        self._handle.get_mesh(self._at(), origin, raw(single), raw(double), raw(directions), raw(triangles))
        out = (self._space.give(positions), self._space.give(triangles))
        return (*out, self._space.give(directions)) if normals else out

    @reading
    def heights(self, latitudes: Any, longitudes: Any) -> np.ndarray:
        """Heights of the surface at degrees of latitude and longitude, independent of the mesh."""
        angles = (real_array(latitudes, "latitudes"), real_array(longitudes, "longitudes"))
        lat, lon = np.broadcast_arrays(*map(np.radians, angles))
        directions = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)
        out = np.empty(lat.shape)
        flat = np.ascontiguousarray(directions.reshape(-1, 3))
        self._handle.sample(where(self._place), flat, out.reshape(-1), None)
        return out

    @reading
    def measure(self) -> dict[str, Any]:
        """The largest distance of a sample from the mesh, and where it is."""
        return self._handle.measure(where(self._place))

    @reading
    def nodes(self) -> np.ndarray:
        """The node of each triangle, as of `boscage.bisectors.Bisectors`."""
        nodes = np.empty(self._handle.info(self._at())["triangles"], np.uint64)
        self._handle.decode(where(self._place), nodes)
        return nodes

    def __repr__(self) -> str:
        about = self.info
        size = f"{about['height']} x {about['width']} samples, {about['triangles']} triangles"
        return f"<boscage.Planet of radius {about['radius']:g}, {size}, on {self._place}>"

    @reading
    def __getstate__(self) -> dict[str, Any]:
        return {"device": str(self._place), "planet": self._handle.save(where(self._place))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._space = NUMPY
        self._place = place_for(NUMPY, "cpu" if _core.backend_reason("cuda") else state["device"])
        self._handle = _core.Planet.load(where(self._place), state["planet"])


def _raster(heights: Any, space: Space) -> Any:
    heights = space.rows(real_array(heights, "heights") if space is NUMPY else heights, "float32")
    if len(heights.shape) != 2 or not heights.shape[0] or not heights.shape[1]:
        raise ValueError(f"heights: not rows of heights but of shape {tuple(heights.shape)}")
    return heights
