"""The documents agree with the project: README.md's program is a compiled example, its commands work (with
the tool of BOSCAGE), links have targets, and ./dev has the commands that pages name."""
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENTS = sorted(ROOT.glob("*.md"))
GUIDE = sorted(ROOT.glob("docs/guide/*.md"))
DESIGN = sorted(ROOT.glob("docs/design/*.md"))


def undo_filter(kind, row, before):
    """The bytes of a row of RGB pixels. row: its bytes after filter `kind` of PNG; before: the bytes of the row above."""
    if kind == 2:
        return bytes((x + b) % 256 for x, b in zip(row, before))
    done = bytearray(3)  # a pixel of zeros to the left
    for x, a_at, b, c in zip(row, range(len(row)), before, bytes(3) + before):
        a = done[a_at]
        if kind == 4:  # the nearest to a + b - c, the first of equals
            to_a, to_b, to_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            x += a if to_a <= to_b and to_a <= to_c else b if to_b <= to_c else c
        elif kind:
            x += a if kind == 1 else (a + b) // 2
        done.append(x % 256)
    return bytes(done[3:])


def read_png(path):
    """Width, and the bytes of the pixels, of a PNG of RGB that is not interlaced."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        if name == b"IHDR":
            width, height, form = struct.unpack_from(">II5s", data, at + 8)
            assert form == b"\x08\x02\0\0\0", path
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, stride, row, pixels = zlib.decompress(packed), 3 * width, bytes(3 * width), bytearray()
    for begin in range(0, height * (stride + 1), stride + 1):
        row = undo_filter(raw[begin], raw[begin + 1:begin + stride + 1], row)
        pixels += row
    return width, bytes(pixels)


class Documents(unittest.TestCase):
    def test_the_program_of_the_readme_is_of_the_example(self):
        program = (ROOT / "examples" / "knn.c").read_text().split("\n")
        begin = 0
        for line in re.search(r"```c\n(.*?)```", (ROOT / "README.md").read_text(), re.S).group(1).strip().split("\n"):
            if line != "...":
                begin = [text.strip() for text in program].index(line, begin) + 1

    def test_the_readme_is_short(self):
        self.assertLessEqual((ROOT / "README.md").read_text().count("\n"), 80)

    def test_figures_are_up_to_date(self):
        for tool in "make-performance", "draw-figures":
            done = subprocess.run([ROOT / "tools" / tool, "--check"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    @unittest.skipUnless("BOSCAGE" in os.environ, "no tool is named")
    def test_the_commands_of_the_readme_work(self):
        block = re.search(r"```sh\n(boscage .*?)```", (ROOT / "README.md").read_text(), re.S).group(1)
        block = re.sub("^boscage", os.environ["BOSCAGE"], block, flags=re.M).replace("1000000", "10000")
        block = block.replace("--size 641", "--size 65").replace("--frames 120", "--frames 3")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["sh", "-ec", block], cwd=folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue((pathlib.Path(folder) / "islands.png").exists())

    @unittest.skipUnless("BOSCAGE" in os.environ, "no tool is named")
    def test_the_commands_of_the_guide_work(self):
        """The blocks of a page that begin with the tool, one after the other in one folder."""
        for page in GUIDE:
            blocks = re.findall(r"```sh\n(boscage .*?)```", page.read_text(), re.S)
            block = re.sub(r"(?m)(^|\| )boscage ", rf"\1{os.environ['BOSCAGE']} ", "".join(blocks))
            block = block.replace("--error 500 ", "--error 20000 ")  # of a planet: fewer triangles show the same
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(["sh", "-ec", block], cwd=folder, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)
                self.check_pictures(page, pathlib.Path(folder))

    def check_pictures(self, page, folder):
        """A page's pictures that its commands make look as they do: other machines round a few colours otherwise."""
        for name in re.findall(r"\]\(\.\./(\w+\.png)\)", page.read_text()):
            if (folder / name).exists() and (folder / name).read_bytes() != (ROOT / "docs" / name).read_bytes():
                ours, made = read_png(ROOT / "docs" / name), read_png(folder / name)
                self.assertEqual((ours[0], len(ours[1])), (made[0], len(made[1])), name)
                self.assertLess(sum(abs(a - b) for a, b in zip(ours[1], made[1])) / len(ours[1]), 0.5, name)

    def test_the_excerpts_of_the_guide_are_of_its_examples(self):
        for page in GUIDE:
            example = ROOT / "examples" / (page.stem + ".c")
            if not example.exists():
                continue
            others = sorted((ROOT / "examples").glob(page.stem + "_*.c"))
            text = "".join("".join(path.read_text().split()) for path in [example, *others])
            for block in re.findall(r"```c\n(.*?)```", page.read_text(), re.S):
                for line in block.split("\n"):
                    if "..." not in line:  # what is left out
                        self.assertIn("".join(line.split()), text, page.name)

    @unittest.skipUnless("BOSCAGE" in os.environ, "no tool is named")
    def test_the_table_of_commands_has_all(self):
        """Cells such as `kdtree knn`, `radius` name commands of one room."""
        text = (ROOT / "docs/guide/tool.md").read_text().split("\n## All commands\n\n", 1)[1].split("\n\n")[0]
        named = set()
        for cell in re.findall(r"(?m)^\| (`.*?) \|", text):
            words = [word for word in re.findall(r"`([a-z -]+)`", cell) if not word.startswith("-")]
            room = words[0].split()[0] if words and " " in words[0] else None
            named |= {f"{room} {word}" if room and " " not in word else word for word in words}
        listed = subprocess.run([os.environ["BOSCAGE"], "--help"], capture_output=True, text=True, check=True).stdout
        block = re.search(r"Commands:\n(.*?)\n\n", listed, re.S).group(1)
        self.assertEqual(named - {"help", "mpirun"}, {line[:22].strip() for line in block.split("\n")})

    def test_every_document_has_headings(self):
        """A formatter of code that is let loose on one joins its lines and parts its #."""
        for document in DOCUMENTS + GUIDE + DESIGN:
            lines = re.sub(r"(?ms)^```.*?^```$", "", document.read_text()).split("\n")
            self.assertTrue(lines[0].startswith("# "), document.name)
            for line in lines:
                self.assertNotRegex(line, r"^\s*#+\w|^\s+#+ |^\s+##", document.name)

    def test_links_lead_to_files(self):
        for document in DOCUMENTS + GUIDE + DESIGN:
            for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", document.read_text()):
                self.assertTrue((document.parent / link).exists(), f"{document.name}: {link}")

    def test_files_named_in_code_spans_exist(self):
        for document in DOCUMENTS:
            for name in re.findall(r"`((?:src|include|tests|tools|cmake|examples|bench|fuzz)/[\w./-]*\w)`", document.read_text()):
                self.assertTrue(list(ROOT.glob(name.replace("NAME", "*").replace("ROOM", "*"))), f"{document.name}: {name}")

    def test_programs_of_tests_have_cases(self):
        for document in DOCUMENTS:
            for name in re.findall(r"\btest_([a-z]\w*)", document.read_text()):
                self.assertTrue(any((ROOT / "tests/cases").glob(f"*/{name}.c")), f"{document.name}: test_{name}")

    def test_commands_of_dev_are_known(self):
        known = subprocess.run(["sh", ROOT / "dev", "help"], capture_output=True, text=True, check=True).stdout
        for document in DOCUMENTS:
            for command in re.findall(r"\./dev ([a-z-]+)", document.read_text()):
                self.assertRegex(known, rf"(?m)^  {command}\b", document.name)

    def test_what_a_failure_leaves_is_told_alike(self):
        """A call may say that a failure leaves an output undefined; the general promises then allow for it."""
        calls = [header for header in ROOT.glob("include/boscage/*.h")
                 if re.search(r"undefined after BOSC_ERR_DATA", header.read_text())]
        for promise in ("README.md", "docs/guide/context.md", "include/boscage/base.h"):
            text = " ".join((ROOT / promise).read_text().replace(" * ", " ").split())
            said = re.search(r"unless (its|the call's) comment says otherwise", text) is not None
            self.assertEqual(said, bool(calls), promise)

    def test_headers_name_their_family_and_first_functions(self):
        """Each header has both lines; the functions named are declared, at most 72, and listed by boscage.h."""
        folder = ROOT / "include" / "boscage"
        headers = "".join(path.read_text() for path in folder.rglob("*.h"))
        declared = set(re.findall(r"^BOSC_API[^;(]*?(\w+)\(", headers, re.M))
        listed = re.search(r"/\*.*?\*/", (folder / "boscage.h").read_text(), re.S).group(0)
        listed = " ".join(listed.replace("\n * ", " ").split())
        table = (ROOT / "docs" / "README.md").read_text()
        first = set()
        for header in sorted(folder.rglob("*.h")):
            name = header.relative_to(folder).as_posix()
            if name == "boscage.h":
                continue
            comment = re.search(r"/\*(.*?)\*/", header.read_text(), re.S).group(1)
            found = re.search(r"\n \* Family: (.*)\n \* Start with: ((?:.+\n?)*?)(?: \*\n|$)", comment)
            self.assertIsNotNone(found, name)
            self.assertIn(found.group(1), ("points, graphs and keys", "meshes", "motion"), name)
            start = " ".join(found.group(2).replace("\n *", " ").split())
            names = start.split(", ")
            if names[0].endswith(".h"):  # a header without functions names others
                for other in names:
                    self.assertTrue((folder.parent / other).exists(), f"{name}: {other}")
                continue
            prefix = names[0].rsplit("_", 1)[0]
            functions = {prefix + n if n.startswith("_") else n for n in names}
            self.assertEqual(functions - declared, set(), name)
            first |= functions
            if name != "ranks.h":
                self.assertRegex(listed, rf" {re.escape(name)} [^:]*: {re.escape(start)}( |$)", name)
                self.assertIn("| " + ", ".join(f"`{n}`" for n in names) + " |", table, name)
        self.assertLessEqual(len(first), 72)

    def test_versions_agree(self):
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        header = (ROOT / "include/boscage/base.h").read_text()
        self.assertIn(f'BOSC_VERSION_STRING "{version}"', header)
        self.assertIn(f"## {version}", (ROOT / "CHANGELOG.md").read_text())
        self.assertIn(f'version = "{version}"', (ROOT / "pyproject.toml").read_text())
        self.assertIn(f"version: {version}\n", (ROOT / "CITATION.cff").read_text())


if __name__ == "__main__":
    unittest.main()
