#!/usr/bin/env python3
"""Runs boscage(1) through the cases of a file, in a new folder.

usage: run.py BOSCAGE CASES.txt

A case file is a list of directives; blank lines and lines that begin with # are passed over.

  needs device | no device | not root | proj | no proj   the whole file is skipped elsewhere
  given NAME = EXPRESSION      makes a file: an array as .npy, bytes or text as they are
  given NAME                   makes a text file of the lines below that begin with "|"
  run COMMAND                  by sh, with boscage in the path; ends the case before
  exit CODE                    its exit code (0 unless said)
  stdout = TEXT, stderr = TEXT the whole of an output, without its last line break; ~ REGEX: a part of it
  stdout, stderr               the lines below that begin with "|"
  check EXPRESSION             must be true

An output that nothing is said of must be empty; an output that `check` reads as `out` may be anything. Expressions are
Python with numpy as np, load(NAME), json (standard output), out, exists(NAME), squares (of distances), knn, radius, box and
pairs, atom_pairs, clouds_knn (searches of all points), groups, scipy_pairs, cells (pairs of rows that differ in one letter),
bits, rows_found, rows_near, rows_begin and is_route (of vectors), forest (by Kruskal's algorithm), tree_weight (of points, by Prim's),
tour_length, scipy_linkage, motion (what a .glb with an animation holds), path (rows of a .csv), between (rotations along one), turn, boxes_meet, boxes_of, arr (of scenes), clusters (of a linkage), umi (groups of barcodes), umi_of_cells, table, fastq, noisy (reads), gzip, lines (numbers of a text), png, tiff (the bytes of a picture, of heights), pixels (of a picture), near (samples next to marked ones), mesh (vertices, faces and normals of a file), texture (coordinates) and asset (of a .glb), mesh_heights, mesh_error (of a mesh of heights) and edges.
"""
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy as np


def squares(points, queries):
    """Squared distances (m, n) as the contract has them: in f4 for f4 points, else f8; coordinates added in order."""
    kind = np.float32 if points.dtype == np.float32 else np.float64
    total = np.zeros((len(queries), len(points)), kind)
    for c in range(points.shape[1]):
        d = points[None, :, c].astype(kind) - queries[:, None, c].astype(kind)
        total += d * d
    return total


def atom_pairs(points, cutoff, cell=None, periodic="abc", offsets=None, half=False):
    """Rows (i, j, S), ascending, and distances of all pairs of images nearer than a cutoff, by a search of all."""
    at, found = points.astype(float), []
    offsets = [0, len(at)] if offsets is None else offsets
    cells = np.broadcast_to(np.zeros((3, 3)) if cell is None else cell, (len(offsets) - 1, 3, 3))
    reach = [8 * (cell is not None and c in periodic) for c in "abc"]
    images = np.array([s for s in np.ndindex(*(2 * r + 1 for r in reach))]) - reach
    for begin, end, vectors in zip(offsets, offsets[1:], cells):
        moves = (images[:, :1] * vectors[0] + images[:, 1:2] * vectors[1]) + images[:, 2:] * vectors[2]
        for i in range(begin, end):
            d = (at[begin:end] - at[i])[:, None] + moves[None]
            d = np.sqrt((d[..., 0] * d[..., 0] + d[..., 1] * d[..., 1]) + d[..., 2] * d[..., 2])
            for j, s in zip(*np.nonzero(d < cutoff)):
                shift, other = tuple(images[s]), begin + j
                if (other, shift) != (i, (0, 0, 0)) and (not half or (i, (0, 0, 0)) < (other, shift)):
                    found.append((i, other, *shift, d[j, s]))
    found = np.array(sorted(found)).reshape(-1, 6)
    return found[:, :5].astype(int), found[:, 5]


def knn(points, queries, k, within=None):
    """ids (m, k) and distances (m, k) by a search of all points."""
    d2 = squares(points, queries)
    if within is not None:
        d2 = np.where(np.sqrt(d2) <= d2.dtype.type(within), d2, np.inf)
    order = np.argsort(d2, axis=1, kind="stable")[:, :k]
    ids = np.full((len(queries), k), -1, np.int64)
    distances = np.full((len(queries), k), np.inf)
    found = np.take_along_axis(d2, order, 1)
    ids[:, :order.shape[1]] = np.where(np.isinf(found), -1, order)
    distances[:, :order.shape[1]] = np.sqrt(found.astype(np.float64))
    return ids, distances


def clouds_knn(points, of, queries, of_queries, k, within=None, exclude=False):
    """ids (m, k) and distances (m, k) in the cloud of each query; `exclude`: all points but itself."""
    ids, distances = np.full((len(queries), k), -1), np.full((len(queries), k), np.inf)
    for a, b, c, d in zip(of, of[1:], of_queries, of_queries[1:]):
        i, r = knn(points[a:b], queries[c:d], k + exclude, within)
        if exclude:
            others = i != np.arange(d - c)[:, None]
            i, r = i[others].reshape(-1, k), r[others].reshape(-1, k)
        ids[c:d], distances[c:d] = np.where(i < 0, -1, i + a), r
    return ids, distances


def radius(points, queries, r):
    """offsets (m + 1,) and ids, ascending in each row, by a search of all points."""
    d2 = squares(points, queries)
    inside = np.sqrt(d2) <= d2.dtype.type(r)
    offsets = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int64)
    return offsets, np.nonzero(inside)[1].astype(np.int64)


def box(points, boxes):
    """offsets (m + 1,) and ids, ascending in each row, of the points in closed boxes (m, 2, dim)."""
    inside = ((points >= boxes[:, :1]) & (points <= boxes[:, 1:])).all(2)
    return np.concatenate([[0], np.cumsum(inside.sum(1))]), np.nonzero(inside)[1]


def pairs(points, r):
    """All pairs i < j (i8) within a radius, ascending, by a search of all points."""
    d2 = squares(points, points)
    return np.argwhere(np.triu(np.sqrt(d2) <= d2.dtype.type(r), 1)).astype(np.int64).reshape(-1, 2)


def groups(points, r):
    """The smallest row (i8) of each point's group; a group is joined by pairs within a radius."""
    labels = np.arange(len(points))
    for i, j in pairs(points, r):
        if labels[i] != labels[j]:
            labels[labels == max(labels[i], labels[j])] = min(labels[i], labels[j])
    return labels


def scipy_pairs(points, r):
    """The same by scipy's k-d tree; None where there is no scipy."""
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        return None
    found = cKDTree(points).query_pairs(r, output_type="ndarray").astype(np.int64)
    return found[np.lexsort((found[:, 1], found[:, 0]))]


def cells(letters):
    """Rows i < j, the first ones of distinct rows, that differ in one letter."""
    first = np.sort(np.unique(letters, axis=0, return_index=True)[1])
    distinct = letters[first]
    found = [np.stack([np.full(k.size, first[i]), first[k]], 1)
             for i in range(len(first)) for k in [i + 1 + np.nonzero((distinct[i + 1:] != distinct[i]).sum(1) == 1)[0]]]
    return np.concatenate(found).astype("i8") if found else np.zeros((0, 2), "i8")


def bits(packed, length):
    """Letters (n, length) of packed vectors."""
    return np.unpackbits(packed, axis=1)[:, :length]


def first_rows(rows):
    """Which rows (n,) are the first ones of their equals."""
    first = np.zeros(len(rows), bool)
    first[np.unique(rows, axis=0, return_index=True)[1]] = True
    return first


def rows_found(rows, queries):
    """The first row (i8) that equals each query; -1 where there is none."""
    equal = (rows[None] == queries[:, None]).all(2)
    return np.where(equal.any(1), equal.argmax(1), -1)


def rows_near(rows, queries):
    """Pairs (query, row) that differ in one letter, rows the first ones of their equals."""
    return np.argwhere(((rows[None] != queries[:, None]).sum(2) == 1) & first_rows(rows))


def rows_begin(rows, prefixes):
    """Pairs (prefix, row) where the row begins with it, rows the first ones of their equals."""
    return np.argwhere((rows[None, :, :prefixes.shape[1]] == prefixes[:, None]).all(2) & first_rows(rows))


def is_route(letters, begin, end, rows, allowed=None):
    """Whether rows are a shortest route from one row to another, one letter a step, through allowed rows."""
    near = (letters[None] != letters[:, None]).sum(2) <= 1
    if allowed is not None:
        near &= (allowed[None] != 0) & (allowed[:, None] != 0)
    steps = np.where((letters == letters[begin]).all(1), 0, len(letters))
    for step in range(1, len(letters)):
        steps = np.minimum(steps, np.where(near[steps < step].any(0), step, len(letters)))
    joined = near[rows[:-1], rows[1:]].all() and rows[0] == begin and rows[-1] == end
    return bool(joined) and len(rows) == steps[end] + 1


def forest(edges, maximum=False):
    """ids (i8) of the spanning forest by Kruskal's algorithm; edges are rows (u, v, weight)."""
    root, ids = {}, []

    def find(x):
        while root.setdefault(x, x) != x:
            x = root[x]
        return x

    for i in sorted(range(len(edges)), key=lambda i: (-edges[i][2] if maximum else edges[i][2], i)):
        a, b = find(edges[i][0]), find(edges[i][1])
        if a != b:
            root[a] = b
            ids.append(i)
    return np.array(sorted(ids), "i8")


def tree_weight(points):
    """The weight of the Euclidean minimum spanning tree by Prim's algorithm."""
    near, weight = np.sqrt(squares(points, points[:1])[0]), 0.0
    left = np.arange(len(points)) > 0
    while left.any():
        i = np.argmin(np.where(left, near, np.inf))
        weight += float(near[i])
        left[i] = False
        near = np.minimum(near, np.sqrt(squares(points, points[i:i + 1])[0]))
    return weight


def tour_length(points, order):
    """The length of a closed tour."""
    p = points[order].astype("f8")
    return np.sqrt(((p - np.roll(p, -1, axis=0)) ** 2).sum(1)).sum()


def scipy_linkage(points):
    """Single linkage by scipy; None where there is no scipy."""
    try:
        from scipy.cluster.hierarchy import linkage
    except ImportError:
        return None
    return linkage(points.astype("f8"), "single")


def clusters(z, merges):
    """The smallest row of each point's cluster after the first merges of a linkage."""
    members = [[i] for i in range(len(z) + 1)]
    labels = np.arange(len(z) + 1)
    for a, b in z[:merges, :2].astype(int):
        members.append(members[a] + members[b])
        labels[members[-1]] = min(members[-1])
    return labels


def png(pixels, texts=0):
    """The bytes of a PNG: grey (h, w), u1 or u2; RGB or RGBA (h, w, 3 or 4), u1. `texts`: chunks that inflate to 8 MB."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    colour = 0 if pixels.ndim == 2 else {3: 2, 4: 6}[pixels.shape[2]]
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8 * pixels.itemsize, colour, 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(f">u{pixels.itemsize}").tobytes() for row in pixels)
    text = chunk(b"zTXt", b"a\0\0" + zlib.compress(b"x" * 7900000, 9)) if texts else b""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + texts * text + chunk(b"IDAT", zlib.compress(rows)) +
            chunk(b"IEND", b""))


def pixels(data):
    """The samples (h, w, channels) of a PNG of 8 bits, by the filters of its specification."""
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    step = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    raw, rows, above = zlib.decompress(packed), [], bytearray(width * step)
    for y in range(height):
        begin = y * (width * step + 1)
        row = bytearray(raw[begin + 1:begin + 1 + width * step])
        for i in range(len(row) if raw[begin] else 0):
            a, b, c = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[i] = (row[i] + (0, a, b, (a + b) // 2, paeth)[raw[begin]]) & 255
        rows.append(row)
        above = row
    return np.array(rows, "u1").reshape(height, width, step)


def tiff(heights, keys=(), scale=None, tie=None, doubles=(), mask=None, kind="f4", page=None, white=False):
    """The bytes of a TIFF of (h, w), or of (h, w, bands) with interleaved samples, with GeoTIFF's keys {key: short}, of
    which a tuple is an index of `doubles`; a mask of u1; a second page of f4. white: 0 is white."""
    images, data = [(heights.astype("<" + kind), 0, 8 * int(kind[1]), 3 if kind[0] == "f" else 1)], b""
    if mask is not None:
        images.append((mask.astype("u1"), 4, 8, 1))
    if page is not None:
        images.append((page.astype("<f4"), 0, 32, 3))
    for i, (samples, kind, width, form) in enumerate(images):
        bands = samples.shape[2] if samples.ndim == 3 else 1
        tags = [(254, "I", [kind]), (256, "I", [samples.shape[1]]), (257, "I", [samples.shape[0]]),
                (258, "H", [width] * bands), (259, "H", [1]), (262, "H", [4 if kind else 0 if white else 1]),
                (273, "I", [8 + len(data)]), (277, "H", [bands]), (278, "I", [samples.shape[0]]),
                (279, "I", [samples.nbytes]), (339, "H", [form] * bands)]
        if i == 0 and scale:
            tags.append((33550, "d", [*scale, 0]))
        if i == 0 and tie:
            tags.append((33922, "d", [0, 0, 0, *tie, 0]))
        if i == 0 and keys:
            rows = [[k, 34736, 1, v[0]] if isinstance(v, tuple) else [k, 0, 1, v] for k, v in dict(keys).items()]
            tags.append((34735, "H", sum(rows, [1, 1, 0, len(rows)])))
        if i == 0 and doubles:
            tags.append((34736, "d", list(doubles)))
        images[i] = (tags, len(data))
        data += samples.tobytes()
        data += bytes(-len(data) % 8)
    head, offset, links = b"II*\0", 8 + len(data), []
    for tags, _ in images:
        values, entries = b"", b""
        begin = offset + 2 + 12 * len(tags) + 4
        for tag, code, numbers in tags:
            packed = struct.pack(f"<{len(numbers)}{code}", *numbers)
            entries += struct.pack("<HHI", tag, {"H": 3, "I": 4, "d": 12}[code], len(numbers))
            if len(packed) > 4:
                entries += struct.pack("<I", begin + len(values))
                values += packed + bytes(len(packed) % 2)
            else:
                entries += packed.ljust(4, b"\0")
        links.append((offset, struct.pack("<H", len(tags)) + entries, values))
        offset = begin + len(values)
    parts = [links[k][1] + struct.pack("<I", links[k + 1][0] if k + 1 < len(links) else 0) + links[k][2]
             for k in range(len(links))]
    return head + struct.pack("<I", links[0][0]) + data + b"".join(parts)


def near(mask):
    """The samples that are marked or next to a marked one."""
    wide = np.pad(mask, 1)
    return np.any([wide[i:i + mask.shape[0], j:j + mask.shape[1]] for i in range(3) for j in range(3)], axis=0)


def mesh(data):
    """Vertices (n, 3), faces (m, 3) and normals of the bytes of a .glb, .ply or .obj that has normals."""
    if data.startswith(b"glTF"):
        version, size, length = struct.unpack_from("<III", data, 4)
        root, body = json.loads(data[20:20 + length]), data[28 + length:]
        assert version == 2 and size == len(data) and length % 4 == 0 and data[16:20] == b"JSON"
        assert struct.unpack_from("<I4s", data, 20 + length) == (len(body), b"BIN\0")
        assert root["buffers"] == [{"byteLength": len(body)}]

        def values(number):
            accessor = root["accessors"][number]
            view = root["bufferViews"][accessor["bufferView"]]
            kind, width = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]], {"VEC3": 3, "SCALAR": 1}[accessor["type"]]
            assert view["byteLength"] == accessor["count"] * width * 4 and view["byteOffset"] % 4 == 0
            return np.frombuffer(body, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
        shape = root["meshes"][0]["primitives"][0]
        vertices, box = values(shape["attributes"]["POSITION"]), root["accessors"][shape["attributes"]["POSITION"]]
        assert np.allclose(box["min"], vertices.min(0)) and np.allclose(box["max"], vertices.max(0))
        return vertices, values(shape["indices"]).reshape(-1, 3), values(shape["attributes"]["NORMAL"])
    if data.startswith(b"ply"):
        head, body = data.split(b"end_header\n", 1)
        n, m = (int(x) for x in re.findall(rb"element \w+ (\d+)", head))
        rows = np.frombuffer(body, "<f4", 6 * n).reshape(-1, 6)
        faces = np.frombuffer(body, [("n", "u1"), ("v", "<u4", 3)], m, 24 * n)
        assert (faces["n"] == 3).all() and len(body) == 24 * n + 13 * m
        return rows[:, :3], faces["v"], rows[:, 3:]
    rows = [line.split() for line in data.decode().split("\n") if line]
    faces = [[[int(x) for x in corner.split("//")] for corner in row[1:]] for row in rows if row[0] == "f"]
    assert all(a == b for face in faces for a, b in face)
    vertices, normals = (np.array([row[1:] for row in rows if row[0] == key], "f4") for key in ("v", "vn"))
    return vertices, np.array(faces)[:, :, 0] - 1, normals


def texture(data):
    """Texture coordinates (n, 2) of the bytes of a .glb."""
    length, = struct.unpack_from("<I", data, 12)
    root = json.loads(data[20:20 + length])
    accessor = root["accessors"][root["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"]]
    assert accessor["componentType"] == 5126 and accessor["type"] == "VEC2"
    offset = 28 + length + root["bufferViews"][accessor["bufferView"]]["byteOffset"]
    return np.frombuffer(data, "<f4", accessor["count"] * 2, offset).reshape(-1, 2)


def asset(data):
    """The object `asset` of the bytes of a .glb."""
    length, = struct.unpack_from("<I", data, 12)
    return json.loads(data[20:20 + length])["asset"]


def motion(data):
    """Of the bytes of a .glb: the robot's node, vertices of obstacle and robot, times, and rotations w, x, y, z."""
    version, size, length = struct.unpack_from("<III", data, 4)
    root, body = json.loads(data[20:20 + length]), data[28 + length:]
    assert data[:4] == b"glTF" and version == 2 and size == len(data) and length % 4 == 0 and len(body) % 4 == 0
    assert struct.unpack_from("<I4s", data, 20 + length) == (len(body), b"BIN\0")
    assert root["asset"]["version"] == "2.0" and root["buffers"] == [{"byteLength": len(body)}]
    views, ends = root["bufferViews"], 0
    for view in views:  # one behind the other
        assert view["buffer"] == 0 and view["byteOffset"] == ends and view["byteOffset"] % 4 == 0
        ends += view["byteLength"]
    assert ends == len(body)

    def values(number):
        accessor = root["accessors"][number]
        view = views[accessor["bufferView"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        assert view["byteLength"] == accessor["count"] * width * 4
        found = np.frombuffer(body, kind, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
        for key, of in (("min", found.min(0)), ("max", found.max(0))):
            assert key not in accessor or np.allclose(accessor[key], of)
        return found

    assert root["scenes"][root["scene"]]["nodes"] == [0]
    scene, obstacle, robot = root["nodes"]
    assert scene["children"] == [1, 2] and (obstacle["name"], robot["name"]) == ("obstacle", "robot")
    assert np.allclose(scene["rotation"], [-np.sqrt(.5), 0, 0, np.sqrt(.5)]) and "rotation" not in obstacle
    bodies = []
    for node in (obstacle, robot):
        shape, = root["meshes"][node["mesh"]]["primitives"]
        vertices, corners = values(shape["attributes"]["POSITION"]), values(shape["indices"])
        normals = values(shape["attributes"]["NORMAL"])
        position = root["accessors"][shape["attributes"]["POSITION"]]
        assert shape["mode"] == 4 and corners.max() < len(vertices) and len(corners) % 3 == 0 and "min" in position
        assert np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
        assert root["materials"][shape["material"]]["doubleSided"] is True
        bodies.append(vertices)
    animation, = root["animations"]
    channel, = animation["channels"]
    sampler, = animation["samplers"]
    assert channel == {"sampler": 0, "target": {"node": 2, "path": "rotation"}} and sampler["interpolation"] == "LINEAR"
    times, turns = values(sampler["input"])[:, 0], values(sampler["output"])
    assert "min" in root["accessors"][sampler["input"]] and "max" in root["accessors"][sampler["input"]]
    assert len(times) == len(turns) and times[0] == 0 and (np.diff(times) > 0).all()
    assert np.allclose(np.linalg.norm(turns, axis=1), 1, atol=1e-6) and ((turns[1:] * turns[:-1]).sum(1) >= 0).all()
    assert np.allclose(robot["rotation"], turns[0], atol=1e-6)
    return robot, bodies[0], bodies[1], times, turns[:, [3, 0, 1, 2]]


def turn(q):
    """The matrix of a rotation w, x, y, z."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def between(path, degrees=0.5):
    """Rotations along the shorter slerps of a path, at most so many degrees apart."""
    found = [path[0]]
    for a, b in zip(path[:-1], path[1:]):
        a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
        b = -b if a @ b < 0 else b
        angle = 2 * np.arcsin(min(np.linalg.norm(a - b) / 2, 1))
        count = 1 + int(2 * np.degrees(angle) / degrees)
        for t in np.arange(1, count + 1) / count:
            found.append(b if angle < 1e-9 else (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle))
    return np.array(found)


def boxes_meet(robot, obstacle, q):
    """Whether boxes, (n, 2, 3) low and high corners, of a turned robot and an obstacle share a point of a fine grid."""
    matrix = turn(q)
    for mine, others, to_others in ((robot, obstacle, matrix), (obstacle, robot, matrix.T)):
        for low, high in mine:
            axes = [np.linspace(l, h, 2 + int((h - l) / 0.06)) for l, h in zip(low, high)]
            grid = np.stack(np.meshgrid(*axes), -1).reshape(-1, 3) @ to_others.T
            if any(((grid >= a) & (grid <= b)).all(1).any() for a, b in others):
                return True
    return False


def umi(reads, method="directional", distance=1):
    """Groups of barcodes by the definitions of UMI-tools: rows (group, barcode, count, representative)."""
    counts = {}
    for read in reads:
        counts[read] = counts.get(read, 0) + 1
    order = sorted(counts, key=lambda x: -counts[x])  # of equals the one that is read first
    near = {a: [b for b in order if a != b and len(a) == len(b) and sum(map(str.__ne__, a, b)) <= distance]
            for a in order}

    def components(steps):
        seen, found = set(), []
        for lead in order:
            if lead in seen:
                continue
            component = [lead]
            seen.add(lead)
            for a in component:
                new = [b for b in near[a] if b not in seen and steps(a, b)]
                seen.update(new)
                component += new
            found.append(sorted(component, key=order.index))
        return found

    def cover(component):
        leads = next(component[:i] for i in range(1, len(component) + 1)
                     if set(component) <= set(component[:i]).union(*(near[a] for a in component[:i])))
        seen, found = set(leads), []
        for lead in leads:
            new = [b for b in near[lead] if b not in seen]
            seen.update(new)
            found.append([lead] + new)
        return found

    if method == "unique":
        found = [[a] for a in order]
    elif method == "directional":
        found = components(lambda a, b: counts[a] >= 2 * counts[b] - 1)
    else:
        found = components(lambda a, b: True)
    if method == "adjacency":
        found = [group for component in found for group in cover(component)]
    found.sort(key=lambda group: order.index(group[0]))
    return [(g, a, counts[a], group[0]) for g, group in enumerate(found) for a in sorted(group, key=order.index)]


def umi_of_cells(reads, method="directional", distance=1):
    """Groups of (cell, barcode), each cell by itself: rows (cell, group, barcode, count, representative)."""
    rows, groups = [], 0
    for cell in dict.fromkeys(cell for cell, barcode in reads):
        found = umi([barcode for other, barcode in reads if other == cell], method, distance)
        rows += [(cell, groups + row[0]) + row[1:] for row in found]
        groups += 1 + max(row[0] for row in found)
    return rows


def table(text):
    """The rows of a .tsv of boscage umi below its names."""
    rows = [line.split("\t") for line in text.decode().split("\n")[1:-1]]
    return [tuple(int(x) if x.isdigit() else x for x in row) for row in rows]


def fastq(reads):
    """Reads as FASTQ."""
    return "".join(f"@{i} a\n{read}\n+\n{'#' * len(read)}\n" for i, read in enumerate(reads))


def noisy(seed, barcodes, reads, length, rate, letters="ACGT"):
    """Reads of random barcodes, some far more often than others, with errors in letters at a rate."""
    random = np.random.default_rng(seed)
    true = random.integers(0, len(letters), (barcodes, length))
    read = true[(barcodes * random.random(reads) ** 3).astype(int)]
    wrong = random.random(read.shape) < rate
    read[wrong] = random.integers(0, len(letters), int(wrong.sum()))
    return ["".join(letters[x] for x in row) for row in read]


def boxes_of(text):
    """Boxes of eight vertices each of a body as text."""
    rows = text.decode().split("\n")
    corners = np.array([row.split() for row in rows[1:1 + int(rows[0])]], "f8").reshape(-1, 8, 3)
    return np.stack([corners.min(1), corners.max(1)], 1)


def arr(objects, angles=(0, 0, 0, 0, 0, 0)):
    """A scene as a stream of Qt's: objects (rotating, rows) whose rows are balls (4 numbers) or triangles (9)."""
    data = struct.pack(">i", len(objects))
    for rotating, rows in objects:
        strings = [str(x).encode("utf-16-be") for row in rows for x in row]
        data += struct.pack(">ii", int(len(rows[0]) == 9), len(rows))
        data += b"".join(struct.pack(">i", len(x)) + x for x in strings)
        data += struct.pack(">BBBHHHHH", rotating, 1, 1, 65535, 65535, 0, 0, 0)
    return data + struct.pack(">6d", *angles)


def mesh_heights(shape, size, spacing=1):
    """Heights of the mesh (vertices, faces, ...) at the samples of a raster, NaN where it does not cover them."""
    vertices, faces = shape[0].astype("f8"), shape[1]
    z = np.full(size, np.nan)
    for face in faces:
        p = vertices[face] / [spacing, spacing, 1]
        low, high = [round(c) for c in p[:, :2].min(0)], [round(c) for c in p[:, :2].max(0)]
        x, y = np.arange(low[0], high[0] + 1)[None], np.arange(low[1], high[1] + 1)[:, None]
        a, b = p[1] - p[0], p[2] - p[0]
        area = a[0] * b[1] - a[1] * b[0]
        u = ((x - p[0, 0]) * b[1] - (y - p[0, 1]) * b[0]) / area
        v = (a[0] * (y - p[0, 1]) - a[1] * (x - p[0, 0])) / area
        inside = (u > -1e-9) & (v > -1e-9) & (u + v < 1 + 1e-9)
        z[low[1]:high[1] + 1, low[0]:high[0] + 1][inside] = (p[0, 2] + u * a[2] + v * b[2])[inside]
    return z


def mesh_error(shape, heights, spacing=1):
    """The largest vertical distance of a sample from the mesh, inf where it is not covered."""
    error = np.abs(mesh_heights(shape, heights.shape, spacing) - heights)
    return np.inf if np.isnan(error).any() else error.max()


def edges(faces):
    """How many edges belong to one face, to two, and to more."""
    pairs_of = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).astype("i8")
    counts = np.unique(pairs_of.min(1) << 32 | pairs_of.max(1), return_counts=True)[1]
    return [int((counts == 1).sum()), int((counts == 2).sum()), int((counts > 2).sum())]


def lines(text):
    """The numbers of the lines of a text that begin with a digit, `a' left out."""
    rows = [line.split() for line in text.decode().replace("\na ", "\n").split("\n")]
    return [[float(x) if "." in x else int(x) for x in row] for row in rows if row and row[0].isdigit()]


def same(a, b):
    """Equal type, shape and values."""
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())


class Failed(Exception):
    pass


class Runner:
    def __init__(self, tool, folder):
        self.tool, self.folder, self.result, self.said, self.line = tool, folder, None, None, 0
        self.ran = 0
        self.environment = dict(os.environ, PATH=f"{tool.parent}:{os.environ['PATH']}", LC_ALL="C")
        # Under AddressSanitizer too, memory that there is not is a failed allocation.
        options = self.environment.get("ASAN_OPTIONS", "")
        self.environment["ASAN_OPTIONS"] = f"{options}:allocator_may_return_null=1".lstrip(":")

    def path(self, name):
        return self.folder / name

    def read(self, name):
        return self.path(name).read_bytes()

    def evaluate(self, text):
        names = {"np": np, "squares": squares, "knn": knn, "clouds_knn": clouds_knn, "radius": radius, "box": box, "pairs": pairs, "atom_pairs": atom_pairs, "groups": groups, "scipy_pairs": scipy_pairs, "cells": cells,
                 "bits": bits, "rows_found": rows_found, "rows_near": rows_near, "rows_begin": rows_begin,
                 "is_route": is_route,
                 "forest": forest, "tree_weight": tree_weight, "tour_length": tour_length, "scipy_linkage": scipy_linkage,
                 "clusters": clusters, "lines": lines, "umi": umi, "umi_of_cells": umi_of_cells, "table": table, "fastq": fastq, "noisy": noisy,
                 "gzip": gzip, "same": same, "re": re, "png": png, "pixels": pixels, "tiff": tiff, "near": near, "mesh_heights": mesh_heights,
                 "turn": turn, "between": between, "boxes_meet": boxes_meet, "boxes_of": boxes_of, "arr": arr,
                 "motion": lambda name: motion(self.read(name)), "path": lambda name: np.loadtxt(self.path(name), delimiter=",", ndmin=2),
                 "mesh_error": mesh_error, "edges": edges, "mesh": lambda name: mesh(self.read(name)),
                 "texture": lambda name: texture(self.read(name)), "asset": lambda name: asset(self.read(name)), "load": lambda name: np.load(self.path(name)),
                 "exists": lambda name: self.path(name).exists(),
                 "read": self.read, "files": sorted(os.listdir(self.folder))}
        if self.result:
            names["out"] = self.result.stdout
            if self.result.stdout.startswith(b"{"):
                names["json"] = json.loads(self.result.stdout)
        return eval(text, names)

    def given(self, name, expression, block):
        value = self.evaluate(expression) if expression is not None else "".join(line + "\n" for line in block)
        if isinstance(value, np.ndarray):
            np.save(self.path(name), value)
        else:
            self.path(name).write_bytes(value.encode() if isinstance(value, str) else value)

    def run(self, command):
        self.finish()
        self.result = subprocess.run(["sh", "-c", command], cwd=self.folder, env=self.environment, timeout=300,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     check=False)
        self.said = {"exit": 0, "command": command, "line": self.line}
        self.ran += 1

    def finish(self):
        """What holds after every command, once all that is said of it is known."""
        if not self.result:
            return
        if self.result.returncode != self.said["exit"]:
            raise Failed(f"exit code {self.result.returncode}, not {self.said['exit']}")
        for output in ("stdout", "stderr"):
            if output not in self.said and getattr(self.result, output):
                raise Failed(f"{output} is not empty")
        left = [name for name in os.listdir(self.folder) if name.startswith(".")]
        if left:
            raise Failed(f"left behind: {left}")

    def expect(self, output, how, text):
        self.said[output] = True
        got = getattr(self.result, output).decode(errors="replace")
        if how == "~" and not re.search(text, got):
            raise Failed(f"{output} has nothing like {text!r}")
        if how == "=" and got.removesuffix("\n") != text:
            raise Failed(f"{output} is not {text!r}")

    def directive(self, line, block):
        word, _, rest = line.partition(" ")
        if word == "given":
            name, _, expression = rest.partition(" = ")
            self.given(name.strip(), expression or None, block)
        elif word == "run":
            self.run(rest)
        elif word == "exit":
            self.said["exit"] = int(rest)
        elif word in ("stdout", "stderr"):
            how, _, text = rest.partition(" ")
            self.expect(word, how or "=", text if how else "\n".join(block))
        elif word == "check":
            if "out" in rest or "json" in rest:
                self.said["stdout"] = True
            if not self.evaluate(rest):
                raise Failed("is not true")
        else:
            raise Failed("no such directive")

    def report(self, line, reason):
        print(f"line {self.line}: {line}\n  {reason}")
        if self.result:
            print(f"  command: {self.said['command']} (line {self.said['line']}), exit code {self.result.returncode}")
            for output in ("stdout", "stderr"):
                print(f"  {output}: {getattr(self.result, output)[:2000]!r}")


def is_here(tool, what):
    device = subprocess.run([tool, "info", "--backend", "cuda"], capture_output=True, check=False).returncode == 0
    info = subprocess.run([tool, "info", "--json"], capture_output=True, check=True).stdout
    proj = "no_proj" not in json.loads(info)
    return {"device": device, "no device": not device, "not root": os.geteuid() != 0, "proj": proj,
            "no proj": not proj}[what]


def main():
    tool, cases = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    lines = [line for line in cases.read_text().split("\n")]
    with tempfile.TemporaryDirectory(prefix="boscage-cli-") as folder:
        runner = Runner(tool, pathlib.Path(folder))
        i = 0
        while i < len(lines):
            line, runner.line = lines[i], i + 1
            i += 1
            block = []
            while i < len(lines) and lines[i].startswith("|"):
                block.append(lines[i][1:].removeprefix(" "))
                i += 1
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("needs "):
                if not is_here(tool, line[6:]):
                    print(f"skipped: needs {line[6:]}")
                    return 77
                continue
            try:
                runner.directive(line, block)
            except Exception as reason:  # pylint: disable=broad-except
                runner.report(line, f"{type(reason).__name__}: {reason}")
                return 1
        try:
            runner.finish()
        except Failed as reason:
            runner.report("(the last command)", reason)
            return 1
    print(f"{runner.ran} commands")
    return 0 if runner.ran else 1


if __name__ == "__main__":
    sys.exit(main())
