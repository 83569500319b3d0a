#!/usr/bin/env python3
"""Every command that writes files, with room for none, some or nearly all of their bytes: it fails and says so, the old
files stay as they were, and no other file is left.

usage: full_disk.py BOSCAGE

Room is taken away by a limit on the size of a file, and by a small file system where one may be mounted.
"""
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

TOOL = str(pathlib.Path(sys.argv[1]).resolve())
COMMANDS = {
    "generate points --n 2000 --dim 3 -o a.npy": ["a.npy"],
    "generate graph --n 2000 -o a.gr": ["a.gr"],
    "generate graph --n 2000 -o a.mtx": ["a.mtx"],
    "generate graph --n 2000 -o a.bosc": ["a.bosc"],
    "mst {g} -o a.npy": ["a.npy"],
    "mst {g} -o a.gr": ["a.gr"],
    "components {g} -o a.npy": ["a.npy"],
    "kdtree build {p} -o a.bosc": ["a.bosc"],
    "kdtree build {p} --unique -o a.bosc": ["a.bosc"],
    "kdtree knn {p} --queries {p} -k 2 -o a.npy --distances b.npy": ["a.npy", "b.npy"],
    "kdtree radius {p} --queries {p} -r 0.05 -o a.npy --offsets b.npy": ["a.npy", "b.npy"],
    "generate pairs --n 2000 -o a.npy b.npy": ["a.npy", "b.npy"],
    "hash lookup --keys {k} --values {k} --queries {k} -o a.npy --found b.npy": ["a.npy", "b.npy"],
    "hash unique {k} -o a.npy --keys-out b.npy": ["a.npy", "b.npy"],
    "hash pairs {p} -r 0.05 -o a.npy": ["a.npy"],
    "emst {p} -o a.npy --lengths b.npy": ["a.npy", "b.npy"],
    "cellgraph {v} --bits 64 -o a.npy": ["a.npy"],
    "generate vectors --n 2000 --bits 64 -o a.npy": ["a.npy"],
    "generate heights --size 129 -o a.png": ["a.png"],
    "generate heights --size 129 -o a.tif": ["a.tif"],
    "umi {r} -o a.tsv --counts b.tsv": ["a.tsv", "b.tsv"],
    "terrain {h} --error 5 -o a.glb --png b.png --width 200": ["a.glb", "b.png"],
    "terrain {h} --error 5 -o a.ply": ["a.ply"],
}
OLD = b"as it was\n"
checks = 0


def run(command, folder, points, limit=None):
    def restrict():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    files = {"p": points, "g": points.with_name("g.gr"), "h": points.with_name("h.npy"),
             "k": points.with_name("k.npy"), "v": points.with_name("v.npy"),
             "r": points.with_name("r.txt")}
    arguments = [word.format(**files) for word in command.split()]
    return subprocess.run([TOOL, *arguments, "--quiet"], cwd=folder, preexec_fn=restrict, capture_output=True, text=True)


def expect(command, what, condition):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"full_disk: {command}: {what}")


def contents(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def check_failure(command, what, done, before, folder, reason):
    expect(command, f"{what}: exit code {done.returncode}", done.returncode == 1)
    expect(command, f"{what}: {done.stderr!r}", done.stderr.startswith("boscage: ") and reason in done.stderr)
    expect(command, f"{what}: the files are not as they were", contents(folder) == before)


def try_limits(command, names, points, good):
    sizes = [len(data) for data in good.values()]
    for limit in sorted({0, 100, min(sizes) // 2, max(sizes) - 1}):
        for old in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                for name in names if old else []:
                    (pathlib.Path(folder) / name).write_bytes(OLD)
                before = contents(folder)
                done = run(command, folder, points, limit)
                check_failure(command, f"limit {limit}", done, before, folder, "File too large")


def try_full_disk(command, names, points, good):
    """False if no file system may be mounted here."""
    pages = sum(-(-len(data) // 4096) for data in good.values())
    for room in (1, pages - 1):
        with tempfile.TemporaryDirectory() as folder:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={4096 * (room + len(names))}", "tmpfs", folder]
            if subprocess.run(mount, capture_output=True).returncode != 0:
                return False
            try:
                for name in names:
                    (pathlib.Path(folder) / name).write_bytes(OLD)
                before = contents(folder)
                done = run(command, folder, points)
                check_failure(command, f"{room} pages", done, before, folder, "No space left on device")
            finally:
                subprocess.run(["umount", folder], check=True)
    return True


def main():
    mounted = True
    with tempfile.TemporaryDirectory() as folder:
        points = pathlib.Path(folder) / "p.npy"
        for made in (f"points --n 2000 --dim 3 -o {points}", f"graph --n 2000 -o {points.with_name('g.gr')}",
                     f"heights --size 129 -o {points.with_name('h.npy')}",
                     f"pairs --n 2000 -o {points.with_name('k.npy')} {points.with_name('u.npy')}",
                     f"vectors --n 2000 --bits 64 -o {points.with_name('v.npy')}"):
            made = subprocess.run([TOOL, "generate", *made.split()], capture_output=True)
            expect("generate", made.stderr, made.returncode == 0)
        letters = str.maketrans("01", "AC")
        points.with_name("r.txt").write_text("".join(f"{i:011b}\n".translate(letters) for i in range(2000)))
        for command, names in COMMANDS.items():
            with tempfile.TemporaryDirectory() as target:
                done = run(command, target, points)
                expect(command, done.stderr, done.returncode == 0)
                good = contents(target)
                expect(command, f"wrote {sorted(good)}", sorted(good) == names)
            try_limits(command, names, points, good)
            mounted = try_full_disk(command, names, points, good) and mounted
    print(f"{checks} checks passed" + ("" if mounted else "; no file system could be mounted"))


main()
