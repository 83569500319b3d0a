#!/usr/bin/env python3
"""The page of boscage viewer, read by a reader of its own: its arrays are those that examples/frame.c computes, to the
bit, and every structure is right: a closed mesh, pairs in contact, a spanning forest, routes from stations, and a robot
that turns.

usage: viewer.py BOSCAGE EXAMPLE_FRAME [EMULATED_BOSCAGE]

EMULATED_BOSCAGE: its page by --backend cuda must be the same file. Where node is found, it parses the script too.
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

TOOL, FRAME = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
EMULATED = str(pathlib.Path(sys.argv[3]).resolve()) if len(sys.argv) > 3 else None
OBJECTS, FRAMES, PIXELS, STATIONS, NEIGHBOURS, WAIT = 300, 13, 48, 16, 8, 8


def run_tool(*arguments, tool=TOOL, code=0):
    run = subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert run.returncode == code, f"{arguments}: exit {run.returncode}: {run.stderr}"
    return run


# ---- the reader ----

def read_page(path):
    """The numbers of the run, and a function that returns an array of it."""
    page = path.read_text()
    blocks = re.findall(r'<script id="(run|data)" type="[^"]*">([^<]*)</script>', page)
    assert [name for name, _ in blocks] == ["run", "data"] and page.endswith("</html>\n") and "@RUN@" not in page
    root, data = json.loads(blocks[0][1]), base64.b64decode(blocks[1][1], validate=True)
    used = []

    def array(about, kind, width=1):
        assert about["offset"] % 4 == 0 and about["offset"] + 4 * about["count"] <= len(data)
        used.append((about["offset"], 4 * about["count"]))
        return np.frombuffer(data, kind, about["count"], about["offset"]).reshape(-1, width)

    def check_all_used():
        end = 0
        for offset, size in sorted(set(used)):
            assert offset == end or size == 0, "a gap between arrays"
            end = max(end, offset + size)
        assert end == len(data)

    # Nothing is loaded from elsewhere.
    assert not re.search(r"(src|href)\s*=|\bfetch\(|XMLHttpRequest|import\(|https?:", page)
    return root, array, check_all_used, page


def hash_bytes(value, data):
    for byte in data:
        value = ((value ^ byte) * 0x100000001b3) & (2 ** 64 - 1)
    return value


# ---- checks of a frame ----

def check_mesh(vertices, triangles):
    """A closed surface around the center: Euler's formula, each edge in both directions once."""
    assert len(vertices) == len(triangles) // 2 + 2 and np.isfinite(vertices).all()
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype("i8")
    keys, back = edges[:, 0] << 32 | edges[:, 1], edges[:, 1] << 32 | edges[:, 0]
    assert len(np.unique(keys)) == len(keys) and np.array_equal(np.sort(keys), np.sort(back))
    a, b, c = (vertices[triangles[:, k]].astype("f8") for k in range(3))
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a) > 0).all(), "counter-clockwise from outside"


def check_contacts(position, contact, age, before, radius):
    """All pairs within the radius (rounding of positions to floats aside), and the frames that each has lasted."""
    d = np.sqrt(((position[:, None].astype("f8") - position[None].astype("f8")) ** 2).sum(-1))
    want = {(i, j) for i, j in np.argwhere(d <= radius - 0.1) if i < j}
    found = {tuple(map(int, pair)) for pair in contact}
    assert len(found) == len(contact) and want <= found
    assert found <= {(i, j) for i, j in np.argwhere(d <= radius + 0.1) if i < j}
    ages = {tuple(map(int, pair)): int(a) for pair, a in zip(contact, age[:, 0])}
    assert all(a == before.get(pair, 0) + 1 for pair, a in ages.items())
    return ages


def find_root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


def check_roads(position, edge, trees, weight, routes, targets):
    """The forest has the weight of Kruskal's over the nearest neighbours; routes follow roads from a station."""
    n = len(position)
    d2 = ((position[:, None].astype("f8") - position[None].astype("f8")) ** 2).sum(-1)
    near = np.argsort(d2, 1, kind="stable")[:, :NEIGHBOURS]
    roads = {(min(i, int(j)), max(i, int(j))) for i in range(n) for j in near[i] if i != j}
    parent, total, count = list(range(n)), 0.0, n
    for i, j in sorted(roads, key=lambda e: d2[e]):
        a, b = find_root(parent, i), find_root(parent, j)
        if a != b:
            parent[a], total, count = b, total + d2[i, j], count - 1
    assert trees == count and abs(weight - total) < 1e-5 * total
    parent = list(range(n))
    for i, j in edge.astype(int):
        assert (min(i, j), max(i, j)) in roads
        a, b = find_root(parent, i), find_root(parent, j)
        assert a != b, "a cycle"
        parent[a] = b
    assert len(edge) == n - trees
    for route, target in zip(routes, targets):
        stops = route[:, 0].astype(int)
        assert len(stops) == 0 or (stops[0] % (n // STATIONS) == 0 and stops[-1] == target)
        assert all((min(a, b), max(a, b)) in roads for a, b in zip(stops, stops[1:]))


def check_robot(frames):
    """Unit rotations; each turn is at most 24 / 600 radians; the slot moves."""
    q = np.array([f["rotation"] for f in frames])
    assert np.allclose(np.linalg.norm(q, axis=1), 1, atol=1e-12)
    turn = 2 * np.arccos(np.minimum(np.abs((q[1:] * q[:-1]).sum(1)), 1))
    assert (turn <= 24 / 600 + 1e-6).all() and turn.max() > 1e-3 and frames[-1]["planned"] >= 1
    assert len({json.dumps(f["walls"]) for f in frames}) == len(frames)


def check_frames(root, array):
    radius = 0.35 * root["radius"] * np.sqrt(4 * np.pi / OBJECTS)
    ages, hashes = {}, []
    targets = [OBJECTS // 8 * r + OBJECTS // 33 + 1 for r in range(8)]
    for f in root["frames"]:
        vertex, triangle = array(f["vertex"], "<f4", 3), array(f["triangle"], "<u4", 3)
        position, contact = array(f["position"], "<f4", 3), array(f["contact"], "<u4", 2)
        age, edge = array(f["age"], "<u4"), array(f["edge"], "<u4", 2)
        routes = [array(r, "<u4") for r in f["routes"]]
        check_mesh(vertex, triangle)
        assert len(position) == OBJECTS and np.abs(np.linalg.norm(position, axis=1) / root["radius"] - 1).max() < 0.1
        ages = check_contacts(position, contact, age, ages, radius)
        check_roads(position, edge, f["trees"], f["weight"], routes, targets)
        value = 0xcbf29ce484222325
        for part in (vertex, triangle, position, contact, age, edge, *routes, np.array(f["rotation"], "<f8")):
            value = hash_bytes(value, part.tobytes()) if len(hashes) == FRAMES - 1 else value
        hashes.append(value)
    assert max(ages.values()) > 1
    check_mesh(array(root["globe"]["vertex"], "<f4", 3), array(root["globe"]["triangle"], "<u4", 3))
    return hashes[-1]


def check_script(page, folder):
    """The script parses; where node is found."""
    node = shutil.which("node")
    if node:
        script = folder / "viewer.js"
        script.write_text(re.search(r"<script>\n(.*?)\n</script>", page, re.S).group(1))
        subprocess.run([node, "--check", script], check=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results = json.loads(run_tool("viewer", "--n", OBJECTS, "--frames", FRAMES, "-o", folder / "a", "--json",
                                      "--threads", 1).stdout)
        root, array, check_all_used, page = read_page(folder / "a" / "index.html")
        assert root["format"] == "boscage run" and len(root["frames"]) == FRAMES == results["frames"]
        assert results["bytes"] == (folder / "a" / "index.html").stat().st_size and results["objects"] == OBJECTS
        assert results["triangles"] == sum(f["triangle"]["count"] // 3 for f in root["frames"])
        assert results["contacts"] == sum(f["age"]["count"] for f in root["frames"])
        bits = check_frames(root, array)
        check_robot(root["frames"])
        check_all_used()
        check_script(page, folder)
        # The example, whose first report is of frame WAIT + its number of frames - 1.
        said = subprocess.run([FRAME, "cpu", str(OBJECTS), str(FRAMES - WAIT), str(PIXELS)], capture_output=True,
                              text=True, check=True).stdout
        assert f"frame {FRAMES - 1}: " in said and f"bits {bits:016x}" in said, (said, f"{bits:016x}")
        # The same file with more threads, over an earlier page, and on CUDA.
        run_tool("viewer", "--n", OBJECTS, "--frames", FRAMES, "-o", folder / "a", "--quiet", "--threads", 3)
        assert (folder / "a" / "index.html").read_text() == page
        if EMULATED:
            few = ("viewer", "--n", 64, "--frames", 2, "--quiet", "-o")
            run_tool(*few, folder / "cpu")
            run_tool(*few, folder / "cuda", "--backend", "cuda", tool=EMULATED)
            assert (folder / "cuda" / "index.html").read_bytes() == (folder / "cpu" / "index.html").read_bytes()
        assert [path.name for path in (folder / "a").iterdir()] == ["index.html"]


if __name__ == "__main__":
    main()
