#!/usr/bin/env python3
"""Every command that can last draws a bar on a terminal, and nothing of it elsewhere or with --quiet.

usage: progress.py BOSCAGE
"""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

TOOL = str(pathlib.Path(sys.argv[1]).resolve())
FILES = {
    "p.npy": "generate points --n {n} --dim 2 -o",
    "g.bosc": "generate graph --n {n} -o",
    "v.npy": "generate vectors --n {n} --bits 64 -o",
    "h.npy": "generate heights --size 257 -o",
    "t.bosc": "kdtree build p.npy -o",
    "e.npy": "mst g.bosc -o",
    "ids.npy": "generate pairs --n {n} -o values.npy",
}
# What a bar says: the call that lasts.
COMMANDS = {
    "generate points --n {n} --dim 3 -o out.npy": "random_points",
    "generate graph --n {n} -o out.bosc": "graph_generate",
    "generate heights --size 257 -o out.png": "random_heights",
    "kdtree build p.npy -o out.bosc": "kdtree_build",
    "kdtree knn p.npy --queries p.npy -k 4 -o out.npy": "kdtree_knn",
    "kdtree radius p.npy --queries p.npy -r 0.01 -o out.npy --offsets off.npy": "kdtree_radius",
    "kdtree verify t.bosc": "kdtree_verify",
    "mst g.bosc -o out.npy": "msf_compute",
    "mst g.bosc --verify e.npy": "msf_verify",
    "components g.bosc -o out.npy": "components_compute",
    "emst p.npy -o out.npy": "emst_compute",
    "hash lookup --keys ids.npy --values values.npy --queries ids.npy -o out.npy --found f.npy": "hash_build",
    "hash unique ids.npy -o out.npy": "hash_unique",
    "hash pairs p.npy -r 0.002 -o out.npy": "voxelgrid_pairs",
    "cellgraph v.npy --bits 64 -o out.npy": "cellgraph_build",
    "umi reads.txt --n wildcard": "match",
    "terrain h.npy --error 1 -o out.ply": "terrain_build",
    "terrain h.npy --error 1 --tiles 3 -o tiles": "tiles",
    "generate points --n 600000 --dim 3 -o large.csv": "arrays_write",
    "kdtree build large.csv -o out.bosc": "kdtree_or_points_read",
    "generate heights --size 1025 -o large.png": "heights_write",
}
N = 40000


def on_terminal(command, folder):
    """The exit status, and what a terminal shows that is standard error."""
    master, slave = pty.openpty()
    run = subprocess.Popen([TOOL, *command.split()], cwd=folder, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the terminal's other end is closed
            part = b""
        if not part:
            break
        shown += part
    os.close(master)
    return run.wait(), shown.decode()


def main():
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for name, command in FILES.items():
            subprocess.run([TOOL, *command.format(n=N).split(), name, "--quiet"], cwd=folder, check=True)
        reads = pathlib.Path(folder) / "reads.txt"
        letters = str.maketrans("01", "AC")
        reads.write_text("".join(f"{i:016b}\n".translate(letters) for i in range(N)) + "ACNACCAACCAACCAA\n")
        for command, stage in COMMANDS.items():
            command = command.format(n=N) + " --threads 1"
            code, shown = on_terminal(command, folder)
            if code != 0 or f"\r{stage} " not in shown or "[" not in shown:
                faults.append(f"{command}: exit {code}, no bar of {stage}: {shown!r}")
            if not shown.endswith("\r"):
                faults.append(f"{command}: the bar stays: {shown!r}")
        quiet = "kdtree knn p.npy --queries p.npy -k 4 -o out.npy --quiet"
        if on_terminal(quiet, folder) != (0, ""):
            faults.append(f"{quiet}: not quiet")
        piped = subprocess.run([TOOL, *quiet.replace("--quiet", "").split()], cwd=folder, capture_output=True)
        if piped.stderr:
            faults.append(f"a bar, but no terminal: {piped.stderr!r}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


sys.exit(main())
