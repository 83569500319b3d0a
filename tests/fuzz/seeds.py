#!/usr/bin/env python3
"""Makes small good files for the fuzz targets to begin with: seeds.py BOSCAGE FOLDER, a folder a target in FOLDER."""
import gzip
import pathlib
import struct
import subprocess
import sys
import zlib

import numpy as np

HEAD = "element vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
FACE = "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
PCD = "FIELDS x y z _\nSIZE 4 4 4 1\nTYPE F F F U\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\n"
TEXTS = {
    "text": ["1 2 3\n4 5 6\n", "x,y\n1.5e3,-2\n# c\n.25,inf\r\n", "123456789012345678901234567890e-25\n",
             "9007199254740993 1e22 1e23\n", "-4.9e-324\n", "x;y\n\"1\";2;\n", "y\tx\n1\t2\n",
             "2\nProperties=species:S:1:pos:R:3\nH 1 2 3\nO 4 5 6 x\n", "1 2 3 255 0 9\n"],
    "off": ["OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "COFF 1 0 0\n1 2 3 255 0 0\n"],
    "stl": ["solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 2 3\nvertex 4 5 6\nvertex 7 8 9\nendloop\nendfacet\n"
            "endsolid a\n"],
    "obj": ["v 1 2 3\nv 4 5 6\nf 1 2/1 -1//7 1/2/3\n", "v 1 2 3\nv 4 5 6 1 0 0\nf 1 2 \\\n1\n# c\nvn 0 0 1\n"],
    "gr": ["c x\np sp 3 2\na 1 2 5\na 3 2 -7\n", "p sp 2 2\r\na 1 2 1.5\r\na 2 2 12345678901234567890\n"],
    "mtx": [f"%%MatrixMarket matrix coordinate {kind} {symmetry}\n% c\n3 3 2\n1 2{weight}\n3 3{weight}\n"
            for kind, weight in (("pattern", ""), ("integer", " -12345678"), ("real", " 1.5e-3"), ("complex", " 1 2"))
            for symmetry in ("general", "skew-symmetric")],
    "edge_list": ["# c\n0 1\n2\t3\n", "1 2 1000000\n12345 67890 -5\n7 8 0.125\n9 10 3\n",
                  "a 1000 2000 123456789012\na 12 34 0.30000000000000004\na 1 2 1e5 \n",
                  "source,target,weight\n1000000,2,7\n\"3\",4,-.5,\n"],
    "metis": ["7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n", "3 2 011 1\n9 2 5 3 -7\n9 1 5\n9 1 -7\n"],
    "vectors": ["0101\n0111\n# c\n", "ACGT\t12\nacgu 3\n", ">a_12\nACGT\n>b_1\r\nTT\r\nTT\r\n"],
    "scene_text": ["3\n0 0 0\n1 0 0\n0 1 0\n1\n0 1 2\n", "# c\n4 0 0 0 1 0 0 0 1 0 0 0 1\n2 0 1 2 1 2 3\n" + "0 0 1 " * 6,
                   "5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n9 9 9\n4\n0 2 1\n0 1 3\n0 3 2\n1 2 3\n",
                   "13\n" + "0 0 0\n0 1 0\n1 0 0\n" + "0 0 0\n1 0 0\n0 0 1\n" + "0 0 0\n0 0 1\n0 1 0\n"
                   + "1 0 0\n0 1 0\n0 0 1\n9 9 9\n4\n0 1 2\n3 4 5\n6 7 8\n9 10 11\n",
                   "1 0 0 1\n0 1 0 2\n0 0 1 3\n0 0 0 1\n" * 2, "0 -1 0 0\n1 0 0 0\n0 0 1 0\n0 0 0 1\n"],
    "sph": ["1 8\n0 0 0 1 1\n", "2 2\n0 0 0 2 1\n1 0 0 1.5 0\n-1 0 0 -1 1\nOptions :\n\tdepth : 3\n"],
    "pcd": ["# .PCD\nVERSION .7\n" + PCD + "DATA ascii\n1 2 3 4\n4 5 6 7\n"],
    "ply": ["ply\nformat ascii 1.0\n" + HEAD + FACE + "1 2 3\n4 5 6\n2 0 1\n"],
}


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width, height, depth, colour, pixels):
    step = len(pixels) // height
    rows = b"".join(b"\0" + pixels[i * step:(i + 1) * step] for i in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def tiff(order, compression, tiled, bands=1):
    """16 x 16 int16 in one strip or tile, with geography and a no-data value."""
    samples = np.arange(256 * bands, dtype=order + "i2").tobytes()
    body = zlib.compress(samples) if compression == 8 else samples
    tags = [(256, 3, (16,)), (257, 3, (16,)), (258, 3, (16,) * bands), (259, 3, (compression,)), (262, 3, (1,)),
            *([(322, 3, (16,)), (323, 3, (16,)), (324, 4, (8,)), (325, 4, (len(body),))] if tiled else
              [(273, 4, (8,)), (278, 3, (16,)), (279, 4, (len(body),))]),
            *([(277, 3, (bands,))] if bands > 1 else []), (339, 3, (2,) * bands), (33550, 12, (30.0, 30.0, 0.0)),
            (34735, 3, (1, 1, 0, 1, 1024, 0, 1, 1)), (42113, 2, b"7\0")]
    entries, after, end = b"", b"", 8 + len(body) + len(body) % 2
    beyond = end + 2 + 12 * len(tags) + 4
    for tag, kind, values in sorted(tags):
        raw = values if kind == 2 else struct.pack(order + {3: "H", 4: "I", 12: "d"}[kind] * len(values), *values)
        place = raw.ljust(4, b"\0") if len(raw) <= 4 else struct.pack(order + "I", beyond + len(after))
        after += raw if len(raw) > 4 else b""
        entries += struct.pack(order + "HHI", tag, kind, len(values)) + place
    head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", end)
    return (head + body).ljust(end, b"\0") + struct.pack(order + "H", len(tags)) + entries + bytes(4) + after


def arr(kinds, angle):
    """A scene as a stream of Qt's: objects of one ball (0) or triangle (1), of which the first rotates."""
    body = struct.pack(">i", len(kinds))
    for i, kind in enumerate(kinds):
        numbers = "0 -0.25 1E-7 1.5".split() if kind == 0 else "0 0 1 1 0 1 0 0.5 1".split()
        strings = b"".join(struct.pack(">i", 2 * len(x)) + x.encode("utf-16-be") for x in numbers)
        body += struct.pack(">ii", kind, 1) + strings + struct.pack(">BBBHHHHH", i == 0, 1, 1, 65535, 65535, 0, 0, 0)
    return body + struct.pack(">6d", 0, 0, 0, angle, 0, 0)


def heights(folder):
    """The first byte gives the format (0 png, 1 pgm, 2 hgt, 3 tif, 4 npy, 5 asc), plus 8 to keep voids, plus 64 for
    terrain-RGB, 128 for terrarium, or 192 for a band, from 1, plus 16 for the next one."""
    files = [(0, png(3, 2, 8, 0, bytes(range(6)))), (0, png(2, 2, 16, 0, bytes(range(8)))),
             (64, png(2, 1, 8, 2, bytes(range(6)))), (64, png(1, 2, 8, 6, bytes(range(8)))),
             (128, png(2, 1, 8, 2, bytes(range(6)))), (208, png(2, 1, 8, 2, bytes(range(6)))),
             (192, png(2, 1, 16, 4, bytes(range(8)))), (211, tiff("<", 1, 0, 2)), (195, tiff(">", 8, 1, 3)),
             (1, b"P2 # c\n2 2 99\n1 2\n3 4\n"), (1, b"P5 2 1 65535\nabcd"), (2, b"abcd\x80\0ef")]
    files += [(5, b"ncols 2\nnrows 2\nxllcorner 5.5\nyllcorner 45\ncellsize 0.01\nNODATA_value -9999\n1 2\n-9999 4\n"),
              (13, b"NCOLS 3\r\nNROWS 1\r\nxllcenter 0\r\nyllcenter 0\r\ndx 10\r\ndy 2e1\r\nnan 1.5 -3e2\r\n")]
    files += [(3, tiff(order, compression, tiled)) for order in "<>" for compression in (1, 8) for tiled in (0, 1)]
    for kind in ("f4", "f8", "i2", "u2", "i4"):
        np.save(folder / "h.npy", np.arange(6, dtype=kind).reshape(2, 3))
        files.append((4, (folder / "h.npy").read_bytes()))
    for i, (kind, data) in enumerate(files):
        (folder / f"{i}").write_bytes(bytes([kind]) + data)
    (folder / "h.npy").unlink()


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for name in ("npy", "gzip", "zstd", "heights", "tree", "graph", "hash", "hash_changes", "cbt", "cbt_changes", "trie",
                 "trie_changes", "bisectors", "planet", "hdbscan", "cellgraph", "terrain", "kdtree", "voxelgrid", "emst", "prims", "geometric", "writers", "arr", "glb",
                 *TEXTS):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i, text in enumerate(TEXTS.get(name, [])):
            (folder / name / f"{i}").write_bytes(text.encode())
    points = np.array([[1, 2, 3], [4, 5, 6]], "f4")
    face = b"\2" + np.array([0, 1], "i4").tobytes()
    for order in ("little", "big"):
        head = f"ply\nformat binary_{order}_endian 1.0\n" + HEAD + FACE
        (folder / "ply" / order).write_bytes(head.encode() + points.tobytes() + face)
    (folder / "pcd" / "binary").write_bytes(PCD.encode() + b"DATA binary\n" + bytes(26))
    packed = b"\3" + points.tobytes()[:4] + b"\x40\3\0\0\xe0\6\0" # plain bytes, and copies of 4 and 15
    (folder / "pcd" / "packed").write_bytes(PCD.encode() + b"DATA binary_compressed\n" + struct.pack("<II", len(packed), 24) + packed)
    (folder / "stl" / "binary").write_bytes(bytes(80) + struct.pack("<I12fH", 1, *range(12), 0))
    for kind in ("f4", "f8", "i4", "i8", "u4", "u8", "u1", "f2", "b1", ">i2", ">f8"):
        np.save(folder / "npy" / f"{kind.strip('>')}.npy", np.arange(6).astype(kind).reshape(2, 3))
    np.save(folder / "npy" / "fortran.npy", np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3)))
    for kind in ("f4", "f8", "i4", "i8"):
        for unique in ((), ("--unique",)):
            name = folder / "tree" / f"{kind}{len(unique)}"
            np.save(folder / "points.npy", np.array([[3, 1], [1, 2], [2, 2], [1, 2], [5, 0]], kind))
            subprocess.run([tool, "kdtree", "build", folder / "points.npy", "-o", name, "--quiet", *unique], check=True)
    for i, kind in enumerate(("random", "rmat", "ssca2", "grid")):
        for j, weights in enumerate(("1:9", "-5000000000:5000000000")):
            name = folder / "graph" / f"{i}{j}.bosc"
            subprocess.run([tool, "generate", "graph", "--kind", kind, "--n", "9", "--weights", weights, "-o", name,
                            "--quiet"], check=True)
    heights(folder / "heights")
    flat = folder / "flat.npy"
    np.save(flat, np.arange(9, dtype="f4").reshape(3, 3) ** 2)
    subprocess.run([tool, "terrain", flat, "--error", "1", "-o", folder / "glb" / "map.glb", "--quiet"], check=True)
    for i, kinds in enumerate(([0, 0], [1, 1], [0, 1], [1, 0, 1])):
        (folder / "arr" / f"{i}").write_bytes(arr(kinds, i))
    for i, text in enumerate((b"", b"1,2\n", b"1,2\n3,4\n" * 999)):
        packed = gzip.compress(text, mtime=0)
        (folder / "gzip" / f"{i}").write_bytes(packed)
        (folder / "gzip" / f"two{i}").write_bytes(packed + packed)
    for i, frame in enumerate(("28b52ffd0468210000782c790a3808a7c9", "28b52ffd04585400001000000100fbff39c002020010"
                               "00039f04002d28de26")): # "x,y\n", and 300,000 zeros
        (folder / "zstd" / f"{i}").write_bytes(bytes.fromhex(frame))
    for name in ("hash", "cbt", "trie", "bisectors", "planet", "hdbscan"):
        for golden in (pathlib.Path(__file__).parent.parent / "golden").glob(f"{name}-v*.bosc"):
            (folder / name / golden.stem).write_bytes(golden.read_bytes())
    for kind in range(14):
        (folder / "cbt_changes" / f"{kind}").write_bytes(bytes((13 - kind, kind, *(i * i % 251 for i in range(150)))))
    for kind in range(12):
        (folder / "terrain" / f"{kind}").write_bytes(bytes((kind * 5, 30 - kind, kind, kind + 1, *(i * i % 253 for i in range(700)))))
    for kind in range(0, 32, 3):
        (folder / "trie_changes" / f"{kind}").write_bytes(bytes((kind, 7 * kind, *range(0, 250, 3), *range(1, 200, 5))))
    packed = b"".join(bytes([230, *range(16)] if i == 0 else [i % 7, i, 1 << i % 8]) for i in range(40))
    for length in (3, 63, 100, 127):
        for bits in (0, 1, 6):
            (folder / "cellgraph" / f"{length}.{bits}").write_bytes(bytes((bits, length, length % 2)) + packed)
    np.save(folder / "points.npy", np.arange(6, dtype="u1").reshape(3, 2))
    (folder / "vectors" / "packed").write_bytes(bytes([208]) + (folder / "points.npy").read_bytes())
    for kind in range(0, 256, 9): # operations, and points with many ties
        bytes_of = [kind * k * k % (256 if k % 9 == 0 else 131) for k in range(1, 400)]
        for name in ("kdtree", "voxelgrid", "emst", "prims", "writers"):
            (folder / name / f"{kind}").write_bytes(bytes((kind % 8, kind, *bytes_of)))
    for kind in range(64): # a model, and a scene that has it, turned and moved
        model = [k * k * 5 % 8 for k in range(20)] if kind % 3 else [192 + k * k * 11 % 64 for k in range(40)]
        (folder / "geometric" / f"{kind}").write_bytes(
            bytes((kind * 5 % 256, kind * 7 % 256, kind, 6, *model, 14, 2, 1, 5, 3, 2, 4, *range(12), 255, 3, 4, 201, 6, 5)))
    for kind in range(128):
        (folder / "hash_changes" / f"{kind}").write_bytes(bytes((3, kind, 4, *range(0, 250, 3))))


if __name__ == "__main__":
    main()
