#!/usr/bin/env python3
"""Tile sets of boscage terrain --tiles, read back by a reader of 3D Tiles 1.1 and glTF 2.0 of its own.

usage: tiles.py BOSCAGE

Any choice of tiles that covers the raster once, with neighbours of any levels, is one surface without cracks: every
edge between triangles is shared by two of them with the same coordinates, to the last bit.
"""
import json
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

TOOL = str(pathlib.Path(sys.argv[1]).resolve())
WGS84 = ('GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
         'UNIT["degree",0.0174532925199433]]')


def boscage(*arguments, code=0):
    run = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True)
    assert run.returncode == code, f"{arguments}: exit {run.returncode}: {run.stderr}"
    return run


# ---- the reader ----

def read_glb(path):
    """The place of each vertex in the axes of the tile set (z up), faces, normals, texture coordinates, asset."""
    data = path.read_bytes()
    magic, version, size, length, kind = struct.unpack_from("<4sIII4s", data)
    assert (magic, version, size, kind, length % 4) == (b"glTF", 2, len(data), b"JSON", 0), path
    root = json.loads(data[20:20 + length])
    body_length, body_kind = struct.unpack_from("<I4s", data, 20 + length)
    body = data[28 + length:]
    assert body_kind == b"BIN\0" and body_length == len(body) and root["buffers"] == [{"byteLength": len(body)}]

    def values(number):
        accessor = root["accessors"][number]
        view = root["bufferViews"][accessor["bufferView"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[accessor["type"]]
        assert view["byteLength"] == accessor["count"] * width * 4 and view["byteOffset"] % 4 == 0
        found = np.frombuffer(body, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
        for key, most in (("min", found.min(0)), ("max", found.max(0))):
            assert key not in accessor or np.array_equal(np.float32(accessor[key]), most)
        return found

    assert root["asset"]["version"] == "2.0" and root["scenes"][root["scene"]]["nodes"] == [0]
    node, (shape,) = root["nodes"][0], root["meshes"][0]["primitives"]
    attributes = shape["attributes"]
    assert shape.get("mode", 4) == 4 and "min" in root["accessors"][attributes["POSITION"]]
    matrix = np.array(node["matrix"], "f8").reshape(4, 4).T

    def turn(vectors, w):
        """By the node, then from glTF's axes (y up) to those of tiles (z up), as a viewer does."""
        x = np.c_[vectors.astype("f8"), np.full(len(vectors), float(w))] @ matrix.T
        return np.c_[x[:, 0], -x[:, 2], x[:, 1]]

    faces = values(shape["indices"]).reshape(-1, 3)
    places = turn(values(attributes["POSITION"]), 1)
    assert len(np.unique(faces)) == len(places) and faces.max() == len(places) - 1
    return places, faces, turn(values(attributes["NORMAL"]), 0), values(attributes["TEXCOORD_0"]), root["asset"]


class Tile:
    def __init__(self, folder, node, depth):
        self.depth, self.error = depth, node["geometricError"]
        box = np.array(node["boundingVolume"]["box"], "f8")
        assert len(box) == 12 and np.isfinite(box).all()
        half = np.abs(box[3:].reshape(3, 3)).sum(0)
        assert (half > 0).all()
        self.low, self.high = box[:3] - half, box[:3] + half
        self.name = node.get("content", {}).get("uri")
        if self.name:
            self.places, self.faces, self.normals, self.texture, self.asset = read_glb(folder / self.name)
            slack = 1e-9 * np.abs(box).max()
            assert (self.places >= self.low - slack).all() and (self.places <= self.high + slack).all()
            sides = self.places[self.faces]
            normals = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
            assert (normals[:, 2] > 0).all()  # counter-clockwise from above
            assert np.allclose(np.linalg.norm(self.normals, axis=1), 1, atol=1e-5) and (self.normals[:, 2] > 0).all()
            assert self.texture.min() >= 0 and self.texture.max() <= 1
        self.children = [Tile(folder, child, depth + 1) for child in node.get("children", [])]
        for child in self.children:
            slack = 1e-9 * np.abs(box).max()
            assert child.error <= self.error
            assert (child.low >= self.low - slack).all() and (child.high <= self.high + slack).all()

    def all(self):
        return [self] + [tile for child in self.children for tile in child.all()]


def read_set(folder):
    """The root tile and the index."""
    index = json.loads((folder / "tileset.json").read_text())
    assert index["asset"]["version"] == "1.1" and index["root"]["refine"] == "REPLACE"
    root = Tile(folder, index["root"], 0)
    assert index["geometricError"] >= root.error
    names = sorted(tile.name for tile in root.all() if tile.name)
    assert names == sorted(set(os.listdir(folder)) - {"tileset.json"}), "files that nothing refers to"
    return root, index


# ---- one surface ----

def choices_of(root, generator, count):
    """Sets of tiles that cover the raster once: all of each depth, and random ones."""
    def choose(tile, stop):
        if tile.name and (not tile.children or stop(tile)):
            return [tile]
        return [chosen for child in tile.children for chosen in choose(child, stop)]
    depths = sorted({tile.depth for tile in root.all() if tile.name})
    for depth in depths:
        yield choose(root, lambda tile, d=depth: tile.depth == d)
    for _ in range(count):
        yield choose(root, lambda tile: generator.random() < 0.4)


def number_rows(rows):
    """The number of each row among the distinct ones, in their order, and the index of the first row of each. As
    np.unique with axis=0, which compares rows element by element."""
    number = np.zeros(len(rows), "i8")
    for column in rows.T:
        values, at = np.unique(column, return_inverse=True)
        number = np.unique(number * len(values) + at, return_inverse=True)[1]
    return number, np.unique(number, return_index=True)[1]


def joined(tiles):
    """Points, their texture coordinates, triangles and edges of tiles; edges of one triangle, and whether these are on
    the raster's border. No edge has three triangles."""
    corners = np.concatenate([tile.places[tile.faces.ravel()] for tile in tiles])
    texture = np.concatenate([tile.texture[tile.faces.ravel()] for tile in tiles])
    number, first = number_rows(corners)
    number, points, texture = number.reshape(-1, 3), corners[first], texture[first]
    edges = np.sort(np.concatenate([number[:, [0, 1]], number[:, [1, 2]], number[:, [2, 0]]]), axis=1)
    edges, counts = np.unique(edges[:, 0] << 32 | edges[:, 1], return_counts=True)
    edges = np.stack([edges >> 32, edges & 0xffffffff], 1)
    single = edges[counts == 1]
    a, b = texture[single[:, 0]], texture[single[:, 1]]
    on_border = ((a == b) & ((a == 0) | (a == 1))).any(1)
    assert counts.max() == 2
    return points, texture, number, edges, single, on_border


def check_surface(tiles):
    """Every edge inside the raster has two triangles, every edge on its border one; the sheet has no hole."""
    points, texture, number, edges, _, on_border = joined(tiles)
    assert on_border.all(), f"{(~on_border).sum()} edges without a neighbour"
    assert len(points) - len(edges) + len(number) == 1  # Euler's formula for a disc
    flat = texture.astype("f8")[number]  # the triangles tile the square of texture coordinates
    u, v = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    assert abs(np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum() / 2 - 1) < 1e-5
    return texture


def check_meeting(root, count=30):
    generator = np.random.default_rng(7)
    mixed = 0
    for tiles in choices_of(root, generator, count):
        check_surface(tiles)
        mixed += len({tile.depth for tile in tiles}) > 1
    assert count == 0 or mixed > count / 4, "random choices do not mix levels"


def error_of(tiles, heights, spacing):
    """The largest vertical distance of a sample from tiles in a plane."""
    worst, covered = 0, np.zeros(heights.shape, bool)
    for tile in tiles:
        at = tile.places / [spacing, -spacing, 1]
        for face in tile.faces:
            p = at[face]
            low, high = np.floor(p[:, :2].min(0) + 1e-6).astype(int), np.ceil(p[:, :2].max(0) - 1e-6).astype(int)
            c, r = np.arange(low[0], high[0] + 1)[None], np.arange(low[1], high[1] + 1)[:, None]
            here = slice(low[1], high[1] + 1), slice(low[0], high[0] + 1)
            edge, other = p[1] - p[0], p[2] - p[0]
            area = edge[0] * other[1] - edge[1] * other[0]
            x, y = c - p[0, 0], r - p[0, 1]
            s, t = (x * other[1] - y * other[0]) / area, (edge[0] * y - edge[1] * x) / area
            inside = (s > -1e-6) & (t > -1e-6) & (s + t < 1 + 1e-6)
            covered[here] |= inside
            z = p[0, 2] + s * edge[2] + t * other[2]
            if inside.any():
                worst = max(worst, np.abs(z - heights[here])[inside].max())
    assert covered.all()
    return worst


# ---- cases ----

def relief(width, height, seed):
    generator = np.random.default_rng(seed)
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    z = sum(300 / k * np.sin(k * x / 9 + a) * np.cos(k * y / 7 + b) for k, (a, b) in
            enumerate(generator.random((6, 2)) * 6, 1))
    z[:height // 3, :width // 3] = 50  # a plain: few triangles beside many
    return z.astype("f4")


def check_plane(folder):
    """In a plane: each level within its bound, vertices on samples, borders of all levels meet; any shape."""
    for width, height, last in ((33, 33, 3), (70, 41, 3), (17, 90, 2), (2, 9, 0), (40, 17, 4), (5, 2, 0)):
        heights = relief(width, height, width)
        np.save(folder / "h.npy", heights)
        run = json.loads(boscage("terrain", folder / "h.npy", "--spacing", 30, "--error", 2, "--tiles", last, "-o",
                                 folder / "plane", "--json").stdout)
        root, index = read_set(folder / "plane")
        assert "transform" not in index["root"] and run["placed"] == "in a plane"
        assert run["tiles"] == sum(tile.name is not None for tile in root.all())
        check_meeting(root, 30 if last > 1 else 0)
        tiles = [tile for tile in root.all() if tile.name]
        assert {int(tile.name.split("-")[0]) for tile in tiles} == set(range(last + 1))
        for level in run["levels"]:
            assert level["error"] == 2 * 2 ** (last - level["level"]) and level["max_error"] <= level["error"]
            chosen = [tile for tile in tiles if tile.name.startswith(f"{level['level']}-")]
            assert len(chosen) == level["tiles"] and sum(len(tile.faces) for tile in chosen) == level["triangles"]
            assert all(tile.error == (0 if level["level"] == last else level["error"]) for tile in chosen)
            assert abs(error_of(chosen, heights, 30) - level["max_error"]) < 0.01
        for tile in tiles:
            at = tile.places[:, :2] / [30, -30]
            assert np.abs(at - np.rint(at)).max() < 1e-6
            c, r = np.rint(at).astype(int).T
            assert np.abs(tile.places[:, 2] - heights[r, c]).max() < 1e-3
            assert np.array_equal(tile.texture, np.float32(np.c_[c / (width - 1), r / (height - 1)]))
            assert tile.asset["extras"]["spacing"] == [30, 30] and tile.asset["extras"]["size"] == [width, height]
            assert "origin" not in tile.asset["extras"]


def earth(longitude, latitude, height):
    """Geocentric coordinates of WGS 84."""
    longitude, latitude = np.radians(longitude), np.radians(latitude)
    e2 = (2 - 1 / 298.257223563) / 298.257223563
    n = 6378137 / np.sqrt(1 - e2 * np.sin(latitude) ** 2)
    across = (n + height) * np.cos(latitude)
    return np.stack([across * np.cos(longitude), across * np.sin(longitude),
                     (n * (1 - e2) + height) * np.sin(latitude)], -1)


def check_earth(folder):
    """In longitudes and latitudes: every vertex at its place on WGS 84, chords near the ground, normals turned."""
    for west, north, cell, flat in ((9.5, 47.2, 0.01, False), (-70, -20, 0.002, True), (179.5, 70, 0.005, False)):
        heights = np.full((90, 110), 12, "f4") if flat else relief(110, 90, 3)
        np.save(folder / "g.npy", heights)
        (folder / "g.wld").write_text(f"{cell}\n0\n0\n{-cell}\n{west}\n{north}\n")
        (folder / "g.prj").write_text(WGS84)
        run = json.loads(boscage("terrain", folder / "g.npy", "--error", 3, "--tiles", 3, "-o", folder / "earth",
                                 "--json").stdout)
        root, index = read_set(folder / "earth")
        assert run["placed"] == "on the Earth" and np.allclose(index["asset"]["extras"]["step"], [cell, -cell])
        check_meeting(root)
        matrix = np.array(index["root"]["transform"]).reshape(4, 4).T
        assert np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-12)
        extent = np.abs([root.low, root.high]).max()
        for tile in root.all():
            if not tile.name:
                continue
            assert np.allclose(tile.asset["extras"]["origin"], [west, north], atol=1e-9)
            c, r = np.rint(tile.texture.astype("f8") * [109, 89]).astype(int).T
            wanted = earth(west + c * cell, north - r * cell, heights[r, c].astype("f8"))
            found = np.c_[tile.places, np.ones(len(c))] @ matrix[:3].T
            assert np.abs(found - wanted).max() < extent / 2 ** 21  # rounding to the grid of the set
            ends = np.concatenate([tile.places[tile.faces[:, [i, (i + 1) % 3]]] for i in range(3)])
            length2 = ((ends[:, 0] - ends[:, 1]) ** 2).sum(1)
            bound = 3 * 2.0 ** (3 - int(tile.name.split("-")[0]))
            if flat:
                assert length2.max() / (8 * 6.4e6) <= bound / 4 * 1.01
                up = wanted / np.linalg.norm(wanted, axis=1)[:, None]
                assert ((tile.normals @ matrix[:3, :3].T * up).sum(1) > 0.99999).all()


def check_extremes(folder):
    """No error, no relief, a huge raster's coordinates; bad requests."""
    np.save(folder / "h.npy", relief(33, 33, 1))
    boscage("terrain", folder / "h.npy", "--error", 0, "--tiles", 2, "-o", folder / "exact", "--quiet")
    root, _ = read_set(folder / "exact")
    check_meeting(root)
    last = [tile for tile in root.all() if tile.name and not tile.children]
    assert sum(len(tile.faces) for tile in last) > 2 * 32 * 32 * 0.85 and root.error > 0  # the plain has few
    np.save(folder / "flat.npy", np.zeros((33, 33), "f4"))
    boscage("terrain", folder / "flat.npy", "--spacing", 1e9, "--tiles", 5, "-o", folder / "flat", "--quiet")
    check_meeting(read_set(folder / "flat")[0])
    for arguments, text in ((("--tiles", 6), "less than one sample"), (("--tiles", 9), "more than 8"),
                            (("--tiles", 1, "--png", "a.png"), "--png: cannot be combined with --tiles"),
                            (("--tiles", 1, "--camera", "1,2,3,4,5,50"), "--camera: cannot be combined"),
                            (("--tiles", 1, "--flip-y"), "--flip-y: cannot be combined"),
                            (("--tiles", 1, "--error", "inf"), "--error: inf is more than 1e+39 with --tiles")):
        run = boscage("terrain", folder / "h.npy", *arguments, "-o", folder / "bad", code=2)
        assert text in run.stderr and not (folder / "bad").exists(), run.stderr
    np.save(folder / "wide.npy", np.array([[-3.4e38, 3.4e38], [0, 0]], "f4"))
    run = boscage("terrain", folder / "wide.npy", "--tiles", 0, "-o", folder / "bad", code=1)
    assert f"{folder}/wide.npy: the heights span 6.8e+38, more than 6e+38" in run.stderr, run.stderr
    np.save(folder / "wide.npy", np.array([[-2.9e38, 2.9e38], [0, 0]], "f4"))
    boscage("terrain", folder / "wide.npy", "--tiles", 0, "-o", folder / "wide", "--quiet")
    assert "tiles need a folder" in boscage("terrain", folder / "h.npy", "--tiles", 1, "-o", "-", code=2).stderr


def outline_of(tiles):
    """The edges of one triangle that are not on the raster's border, as pairs of points."""
    points, _, _, _, single, on_border = joined(tiles)
    return {(*points[i], *points[j]) for i, j in single[~on_border]}


def check_holes(folder):
    """Voids as holes: no triangle has one, all other samples but those beside them are covered, and all choices of
    tiles have the same outline. Tiles without a triangle are left out."""
    width, height = 70, 41
    r, c = np.mgrid[:height, :width]
    void = (np.hypot(r - 20, c - 33) < 6) | ((r == 5) & (c == 60)) | ((r + c > 30) & (r + c < 33) & (r < 12)) | (c < 17)
    heights = np.where(void, np.nan, relief(width, height, 4)).astype("f4")
    np.save(folder / "h.npy", heights)
    run = json.loads(boscage("terrain", folder / "h.npy", "--spacing", 30, "--error", 4, "--tiles", 3,
                             "--voids", "hole", "-o", folder / "set", "--json").stdout)
    root, _ = read_set(folder / "set")
    tiles = [tile for tile in root.all() if tile.name]
    assert run["voids"] == void.sum() and run["tiles"] == len(tiles) == sum(l["tiles"] for l in run["levels"])
    names = {tile.name for tile in tiles}
    assert "3-0-0.glb" not in names and "2-0-0.glb" not in names and "0-0-0.glb" in names
    beside = np.zeros_like(void)
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            beside |= np.roll(void, (i, j), (0, 1))
    outlines = []
    for chosen in choices_of(root, np.random.default_rng(5), 12):
        covered = np.zeros(void.shape, bool)
        for tile in chosen:
            for p in (tile.places / [30, -30, 1])[tile.faces][:, :, :2]:
                edge, other = p[1] - p[0], p[2] - p[0]
                low, high = np.rint(p.min(0)).astype(int), np.rint(p.max(0)).astype(int)
                x, y = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))
                area = edge[0] * other[1] - edge[1] * other[0]
                s = ((x - p[0, 0]) * other[1] - (y - p[0, 1]) * other[0]) / area
                t = (edge[0] * (y - p[0, 1]) - edge[1] * (x - p[0, 0])) / area
                inside = (s > -1e-6) & (t > -1e-6) & (s + t < 1 + 1e-6)
                covered[y[inside], x[inside]] = True
        assert not (covered & void).any() and (covered | beside).all()
        outlines.append(outline_of(chosen))
    assert len(outlines[0]) > 60 and all(outline == outlines[0] for outline in outlines)
    # Voids that leave no triangle.
    np.save(folder / "few.npy", np.where(np.arange(25).reshape(5, 5) % 4, np.nan, 1.0))
    run = boscage("terrain", folder / "few.npy", "--voids", "hole", "--tiles", 1, "-o", folder / "none", code=1)
    assert "its voids leave no triangle of the mesh" in run.stderr and not (folder / "none").exists()


def check_folder(folder):
    """The folder appears whole: an earlier set is replaced, other files are kept, an interrupted run leaves nothing."""
    np.save(folder / "h.npy", relief(65, 65, 2))
    make = ["terrain", folder / "h.npy", "--error", 1, "-o", folder / "set/", "--quiet"]
    boscage(*make, "--tiles", 3)
    first = {path.name: path.read_bytes() for path in (folder / "set").iterdir()}
    boscage(*make, "--tiles", 3, "--threads", 3)
    assert first == {path.name: path.read_bytes() for path in (folder / "set").iterdir()}
    boscage(*make, "--tiles", 1)
    root, _ = read_set(folder / "set")
    assert len(root.all()) == 5
    # 1. A folder with other files is left as it is.
    (folder / "set" / "notes.txt").write_text("mine")
    assert "holds notes.txt" in boscage(*make, "--tiles", 2, code=1).stderr
    assert len(list((folder / "set").iterdir())) == 7
    (folder / "set" / "notes.txt").unlink()
    (folder / "own").mkdir()
    (folder / "own" / "0-0-0.glb").mkdir()
    run = boscage("terrain", folder / "h.npy", "--tiles", 1, "-o", folder / "own", code=1)
    assert "holds 0-0-0.glb" in run.stderr and (folder / "own" / "0-0-0.glb").is_dir()
    (folder / "own" / "0-0-0.glb").rmdir()
    (folder / "link").symlink_to(folder / "missing")
    assert "is a link to" in boscage("terrain", folder / "h.npy", "--tiles", 1, "-o", folder / "link", code=1).stderr
    run = subprocess.run([TOOL, "terrain", folder / "h.npy", "--tiles", "1", "-o", "."], cwd=folder / "own",
                         capture_output=True, text=True)
    assert run.returncode == 1 and "is the working folder" in run.stderr and not list((folder / "own").iterdir())
    before = sorted(path.name for path in folder.iterdir())
    # 2. A failure: a folder that cannot be written.
    if os.geteuid() != 0:
        folder.chmod(0o500)
        boscage(*make, "--tiles", 2, code=1)
        folder.chmod(0o700)
    run = subprocess.run([TOOL, *map(str, make), "--tiles", "2"], capture_output=True, text=True,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)))
    assert run.returncode == 1 and run.stderr.startswith(f"boscage: {folder}/set/2-0-0.glb: cannot"), run.stderr
    assert sorted(path.name for path in folder.iterdir()) == before and len(list((folder / "set").iterdir())) == 6
    # 3. A signal.
    np.save(folder / "large.npy", relief(513, 513, 2))
    before.append("large.npy")
    run = subprocess.Popen([TOOL, "terrain", folder / "large.npy", "--error", "0", "--tiles", "6", "-o",
                            folder / "set"])
    seen = False
    while run.poll() is None and not seen:
        seen = any(path.is_dir() and path.name.startswith("set.") and any(path.iterdir()) for path in folder.iterdir())
        time.sleep(0.001)
    run.send_signal(signal.SIGTERM)
    assert run.wait() in (-signal.SIGTERM, 0) and seen
    assert sorted(path.name for path in folder.iterdir()) == sorted(before)
    if run.returncode != 0:
        assert len(read_set(folder / "set")[0].all()) == 5


def main():
    for check in (check_plane, check_earth, check_extremes, check_holes, check_folder):
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
