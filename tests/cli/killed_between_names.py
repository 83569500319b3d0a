#!/usr/bin/env python3
"""A tool that is ended at the worst moments, just after a file got its name, leaves that file or the old one, and no
other.

usage: killed_between_names.py BOSCAGE LIBRARY    (LIBRARY: killed_between_names.c, compiled to be preloaded)
"""
import os
import pathlib
import subprocess
import sys
import tempfile

tool, library = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
WRITE = [tool, "generate", "points", "--n", "1000", "--dim", "3", "-o", "p.npy", "--quiet", "--seed"]


def ends_well(call, old):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "p.npy")
        subprocess.run([*WRITE, "2"], cwd=folder, check=True)
        new = path.read_bytes()
        path.unlink()
        if old:
            subprocess.run([*WRITE, "1"], cwd=folder, check=True)
        before = path.read_bytes() if old else None
        done = subprocess.run([*WRITE, "2"], cwd=folder,
                              env={**os.environ, "LD_PRELOAD": library, "KILLED_AFTER": call})
        left = {p.name: p.read_bytes() for p in pathlib.Path(folder).iterdir()}
        allowed = [{"p.npy": new}, {"p.npy": before} if old else {}]
        if left not in allowed:
            sys.exit(f"killed_between_names: after {call}, {'with' if old else 'without'} an old file: {sorted(left)}")
        return done.returncode != 0


ended = sum(ends_well(call, old) for call in ("linkat", "renameat2", "rename") for old in (False, True))
if ended < 3:
    sys.exit(f"killed_between_names: the tool was ended {ended} times, not at least 3")
print(f"ended {ended} times between two names")
