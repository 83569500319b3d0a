#!/usr/bin/env python3
"""Runs boscage(1) through the cases of a file, in a new folder.

usage: run.py BOSCAGE CASES.txt

A case file is a list of directives; blank lines and lines that begin with # are passed over.

  needs device | no device | not root     the whole file is skipped elsewhere
  given NAME = EXPRESSION      makes a file: an array as .npy, bytes or text as they are
  given NAME                   makes a text file of the lines below that begin with "|"
  run COMMAND                  by sh, with boscage in the path; ends the case before
  exit CODE                    its exit code (0 unless said)
  stdout = TEXT, stderr = TEXT the whole of an output, without its last line break; ~ REGEX: a part of it
  stdout, stderr               the lines below that begin with "|"
  check EXPRESSION             must be true

An output that nothing is said of must be empty; an output that `check` reads as `out` may be anything. Expressions are
Python with numpy as np, load(NAME), json (standard output), out, exists(NAME), knn, radius and pairs (searches of all
points), scipy_pairs, forest (by Kruskal's algorithm), tree_weight (of points, by Prim's) and lines (numbers of a text).
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np


def squares(points, queries):
    """Squared distances (m, n) as the contract has them: in f4 for f4 points, else f8; coordinates added in order."""
    kind = np.float32 if points.dtype == np.float32 else np.float64
    total = np.zeros((len(queries), len(points)), kind)
    for c in range(points.shape[1]):
        d = points[None, :, c].astype(kind) - queries[:, None, c].astype(kind)
        total += d * d
    return total


def knn(points, queries, k, within=None):
    """ids (m, k) and distances (m, k) by a search of all points."""
    d2 = squares(points, queries)
    if within is not None:
        d2 = np.where(d2 <= d2.dtype.type(within) * d2.dtype.type(within), d2, np.inf)
    order = np.argsort(d2, axis=1, kind="stable")[:, :k]
    ids = np.full((len(queries), k), -1, np.int64)
    distances = np.full((len(queries), k), np.inf)
    found = np.take_along_axis(d2, order, 1)
    ids[:, :order.shape[1]] = np.where(np.isinf(found), -1, order)
    distances[:, :order.shape[1]] = np.sqrt(found.astype(np.float64))
    return ids, distances


def radius(points, queries, r):
    """offsets (m + 1,) and ids, ascending in each row, by a search of all points."""
    d2 = squares(points, queries)
    inside = d2 <= d2.dtype.type(r) * d2.dtype.type(r)
    offsets = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int64)
    return offsets, np.nonzero(inside)[1].astype(np.int64)


def pairs(points, r):
    """All pairs i < j (i8) within a radius, ascending, by a search of all points."""
    d2 = squares(points, points)
    return np.argwhere(np.triu(d2 <= d2.dtype.type(r) * d2.dtype.type(r), 1)).astype(np.int64).reshape(-1, 2)


def scipy_pairs(points, r):
    """The same by scipy's k-d tree; None where there is no scipy."""
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        return None
    found = cKDTree(points).query_pairs(r, output_type="ndarray").astype(np.int64)
    return found[np.lexsort((found[:, 1], found[:, 0]))]


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

    def evaluate(self, text):
        names = {"np": np, "knn": knn, "radius": radius, "pairs": pairs, "scipy_pairs": scipy_pairs,
                 "forest": forest, "tree_weight": tree_weight, "lines": lines, "same": same, "re": re, "load": lambda name: np.load(self.path(name)),
                 "exists": lambda name: self.path(name).exists(),
                 "read": lambda name: self.path(name).read_bytes(), "files": sorted(os.listdir(self.folder))}
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
    return {"device": device, "no device": not device, "not root": os.geteuid() != 0}[what]


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
