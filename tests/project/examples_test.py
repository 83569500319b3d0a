"""Every example of the tool's help and manual page runs, on inputs of the names that it has, and writes the outputs
that it names (with the tool of BOSCAGE; examples of benchmarks need a build that has them). Examples that take many
seconds at any size run in a test of the command line, with at least the options that they have."""
import math
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None

TOOL = pathlib.Path(os.environ["BOSCAGE"]).resolve()
# Sizes of examples that take seconds; a smaller one shows the same.
SMALLER = {"1000000": "5000", "1048576": "4096", "8388608": "32768", "--scale 0.1": "--scale 1e-4",
           "--size 1025": "--size 65"}
ELSEWHERE = {"boscage demo": "demo.txt", "boscage bench cbt --sweep": "bench.txt"}  # files in tests/cli
OUTPUTS = ("-o", "--distances", "--offsets", "--lengths", "--labels", "--keys-out", "--found", "--png", "--glb",
           "--film", "--counts")


def said(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=True).stdout


def examples_of(text):
    """The lines below `Example:` of a help."""
    return [line.strip() for line in text.split("\nExample:\n", 1)[1].split("\n\n", 1)[0].strip().split("\n")]


def commands():
    block = re.search(r"Commands:\n(.*?)\n\n", said("--help"), re.S).group(1)
    return [line[:22].strip() for line in block.split("\n")] + ["help"]


def all_examples():
    """Each example of the helps of the tool, its rooms and its commands, and of the manual page, once."""
    names = commands()
    found = examples_of(said("--help"))
    for name in dict.fromkeys([name.split()[0] for name in names] + names):
        found += examples_of(said(*name.split(), "--help"))
    page = said("help", "--man").replace("\\-", "-").replace("\\(aq", "'")
    for block in re.findall(r"\nExample:\n\.PP\n\.RS 4\n\.nf\n(.*?)\n\.fi\n", page, re.S):
        found += block.split("\n")
    return list(dict.fromkeys(found))


def off(vertices, faces):
    rows = [" ".join(map(str, row)) for row in vertices] + [" ".join(map(str, (3, *face))) for face in faces]
    return "\n".join(["OFF", f"{len(vertices)} {len(faces)} 0", *rows]) + "\n"


def write_inputs(folder, room):
    """The files that examples read. A tree of bits and one of points have the same name in different rooms."""
    def tool(line):
        subprocess.run([TOOL, *line.split(), "--quiet"], cwd=folder, check=True)

    random = np.random.default_rng(3)
    tool("generate points --n 400 --dim 3 -o points.npy")
    tool("generate points --n 20 --dim 3 --seed 1 -o queries.npy")
    tool("linkage points.npy -o linkage.npy")
    tool("generate graph --kind random --n 200 --m 900 -o graph.gr")
    tool("generate graph --kind random --n 200 --m 900 -o graph.mtx")
    tool("generate graph --kind random --n 2000 --m 9000 -o roads.gr")
    tool("generate pairs --n 300 -o keys.npy values.npy")
    tool("generate vectors --n 128 --bits 256 -o vectors.npy")
    tool("generate scene -o scene")
    tool("generate heights --size 33 -o heights.tif")
    tool("generate heights --size 33 --kind planet -o earth.tif")
    tool("kdtree build points.npy -o tree.bosc" if room != "cbt" else "cbt create --depth 12 --level 4 -o tree.bosc")
    tool("hash build --keys keys.npy --values values.npy -o table.bosc")
    tool("trie build vectors.npy --bits 256 -o trie.bosc")
    tool("cluster hdbscan points.npy --save model.bosc -o labels.npy")
    bits = "".join(str(b) for b in random.integers(0, 2, 256))
    (folder / "more.txt").write_text(bits + "\n")
    (folder / "fewer.txt").write_text(bits + "\n")
    if room == "hash":
        np.save(folder / "queries.npy", np.load(folder / "keys.npy")[::2])
    if room == "trie":
        np.save(folder / "queries.npy", np.load(folder / "vectors.npy")[::2])
    reads = ["".join(row) for row in random.choice(list("ACGT"), (200, 8))]
    (folder / "reads.fastq").write_text("".join(f"@{i}\n{read}\n+\n{'F' * 8}\n" for i, read in enumerate(reads)))
    np.save(folder / "boxes.npy", np.array([[[0, 0, 0], [.5, .5, .5]], [[.2, .2, .2], [.9, .9, .9]]], "f4"))
    np.save(folder / "free.npy", np.ones(128, "u1"))
    np.save(folder / "nodes.npy", np.arange(16, 24))
    np.save(folder / "clouds.npy", np.array([0, 150, 400]))
    corners, faces = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    (folder / "bunny.off").write_text(off(corners, faces))
    (folder / "teapot.obj").write_text("".join(f"v {x + 1} {y + 1} {z}\n" for x, y, z in corners) +
                                       "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces))
    (folder / "lines.txt").write_text("1 0 0\n0 1 0\n1 1 -1\n")
    part = random.random((12, 3))
    np.savetxt(folder / "part.xyz", part)
    (folder / "parts.txt").write_text("part.xyz\n")
    np.savetxt(folder / "scene.xyz", np.concatenate([part * 2 + 5, random.random((20, 3)) * 9]))


def runs_elsewhere(example):
    """True for an example that a file of ELSEWHERE runs, with these options and others."""
    for command, name in ELSEWHERE.items():
        if example.startswith(command + " "):
            lines = (pathlib.Path(__file__).parent.parent / "cli" / name).read_text().split("\n")
            options = {word for word in example.split() if word.startswith("-")}
            return any(line.startswith(f"run {command} ") and options <= set(line.split()) for line in lines)
    return False


class Examples(unittest.TestCase):
    def test_every_help_has_an_example_of_its_command(self):
        for name in commands():
            for line in examples_of(said(*name.split(), "--help")):
                self.assertTrue(line.startswith(f"boscage {name} "), line)

    def test_pairs_of_the_readme_s_points_fit_in_memory(self):
        """Examples that list the neighbours of all points have few for each, of a million uniform ones in a unit cube."""
        found = 0
        for example in all_examples():
            radius = re.search(r" (?:-r|--radius|--cutoff) (\S+)", example)
            if radius and " points.npy " in example and "--queries" not in example:
                found += 1
                self.assertLess(1e6 * 4 / 3 * math.pi * float(radius.group(1))**3, 50, example)
        self.assertGreater(found, 4)

    @unittest.skipUnless(np, "no NumPy")
    def test_every_example_runs(self):
        examples = all_examples()
        self.assertGreater(len(examples), 35)
        has_benchmarks = (TOOL.parent / "bench" / "bench_cbt").exists()
        inputs = tempfile.TemporaryDirectory()
        self.addCleanup(inputs.cleanup)
        path = f"{TOOL.parent}:{os.environ['PATH']}"
        for example in examples:
            room = example.split()[1]
            if (room == "bench" and not has_benchmarks) or runs_elsewhere(example):
                continue
            command = example
            for size, smaller in SMALLER.items():
                command = command.replace(size, smaller)
            with self.subTest(example), tempfile.TemporaryDirectory() as folder:
                folder, made = pathlib.Path(folder), pathlib.Path(inputs.name) / room
                if not made.exists():
                    made.mkdir()
                    write_inputs(made, room)
                shutil.copytree(made, folder, dirs_exist_ok=True)
                done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True,
                                      env=dict(os.environ, PATH=path), check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                words = shlex.split(command)
                for option, value in zip(words, words[1:]):
                    if option in OUTPUTS:
                        self.assertTrue((folder / value).exists(), value)


if __name__ == "__main__":
    unittest.main()
