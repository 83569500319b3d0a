"""The manual page and the completion scripts agree with the help of the tool (BOSCAGE), and man and the shells accept
them; missing programs are skipped. Completions themselves: completion_test.py."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

TOOL = os.environ["BOSCAGE"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def said(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=True).stdout


def commands():
    """The names of all commands that the help lists."""
    block = re.search(r"Commands:\n(.*?)\n\n", said("--help"), re.S).group(1)
    return [line[:22].strip() for line in block.split("\n")]


def section(text, begin):
    """The lines of a section of a help, up to a blank one."""
    return text.split(begin, 1)[1].split("\n\n", 1)[0] if begin in text else ""


def options(text):
    """Long names of the options of a section."""
    return re.findall(r"(?m)^  (?:-\w,|   ) --([\w-]+)", text)


class Help(unittest.TestCase):
    def test_a_command_has_its_own_options_and_the_common_ones(self):
        common = options(section(said("--help"), "Common options"))
        self.assertEqual(common, ["backend", "device", "threads", "seed", "json", "quiet", "help", "version"])
        for name in commands():
            text = said(*name.split(), "--help")
            self.assertEqual(options(section(text, "Common options")), common, name)
            self.assertTrue(text.startswith(f"usage: boscage {name} "), name)
            usage = re.split(r"\n\n", text, maxsplit=1)[0]
            own = options(section(text, "\nOptions:"))
            for option in re.findall(r"--([\w-]+)", usage):
                self.assertIn(option, own, name)
            self.assertLessEqual(max(len(line) for line in text.split("\n")), 120, name)

    def test_kinds_are_those_of_the_command(self):
        self.assertNotIn("rmat", said("generate", "points", "--help"))
        self.assertNotIn("uniform", said("generate", "graph", "--help"))
        self.assertNotIn("benchmark", section(said("generate", "heights", "--help"), "\nOptions:"))

    def test_help_of_a_command_is_its_help(self):
        for name in commands():
            self.assertEqual(said("help", *name.split()), said(*name.split(), "--help"))
        self.assertEqual(said("help"), said("--help"))
        self.assertEqual(said("help", "kdtree"), said("kdtree", "--help"))

    def test_h_is_help(self):
        for name in commands():
            self.assertEqual(said(*name.split(), "-h"), said(*name.split(), "--help"))
        self.assertEqual(said("-h"), said("--help"))
        self.assertEqual(said("-h", "mst"), said("mst", "--help"))

    def test_a_command_says_what_its_files_may_be(self):
        """The help explains the letters of usages for points, graphs, vectors and heights, if operands have them."""
        for name in commands():
            text = said(*name.split(), "--help")
            usage = re.sub(r"-[\w-]+ \S+", "", text.split("\n\n", 1)[0])  # without values of options
            for words, kind in ((r"P|MODEL", "Points"), (r"G", "Graphs"), (r"V", "Vectors"), (r"H", "Heights")):
                named = re.search(rf"(?<![\w.-])({words})(?![\w.-])", usage) is not None
                self.assertEqual(kind in re.findall(r"(?m)^  (\w+)", section(text, "\nFiles:")), named, name)

    def test_every_file_of_an_option_is_known_as_one(self):
        """Else an output could replace an input."""
        tables = {name: set(re.findall(r"OPT_(\w+)", body)) for name, body in re.findall(
            r"(\w+)_options\[\] = \{(.*?)\};", (ROOT / "tool/options/option_table.c").read_text(), re.S)}
        found = {"input": set(), "output": set()}
        for name in commands():
            own = section(said(*name.split(), "--help"), "\nOptions:")
            for option, value, text in re.findall(r"--([\w-]+) ?(\S*) +(\S.*(?:\n {10}.*)*)", own):
                writes = re.search(r"output\s+file", text)
                if writes or value.endswith(".npy"):
                    found["output" if writes else "input"].add(option.replace("-", "_").upper())
        self.assertGreater(len(found["output"]), 20)
        self.assertGreater(len(found["input"]), 5)
        self.assertEqual(found["output"] - tables["output"], set())
        self.assertEqual(found["input"] - tables["input"] - tables["output"], set())

    def test_queries_of_vectors_are_no_points(self):
        for name in ("trie", "plan"):
            self.assertNotIn("Points", section(said(name, "--help"), "\nFiles:"), name)

    def test_the_list_of_commands_has_whole_sentences(self):
        lists = [said("--help")] + [said(room, "--help") for room in {name.split()[0] for name in commands()}]
        for text in lists:
            for line in section(text, "\nCommands:\n").split("\n"):
                self.assertRegex(line, r"\.$|^$")

    def test_nothing_is_said_to_be_hashed_that_is_not(self):
        for name in commands():
            self.assertNotIn("voxel hashing", said(*name.split(), "--help"), name)

    def test_the_published_tree_of_bits_has_the_heap_alone(self):
        text = " ".join(said("cbt", "create", "--help").split())
        self.assertIn("published: the heap of sums of the paper, 2^D / 2 bytes", text)
        self.assertIn("a tree takes 2^D / 8 bytes, published 2^D / 2", text)

    def test_rooms_of_bench_are_those_that_it_accepts(self):
        done = subprocess.run([TOOL, "bench", "none"], capture_output=True, text=True, check=False)
        rooms = re.split(", ", done.stderr.strip().split(" is not one of ")[1])
        listed = re.search(r"ROOM is (.*?)\.", said("bench", "--help"), re.S).group(1)
        self.assertEqual(re.split(r",\s+|\s+or\s+", listed), rooms)
        for room in ("voxelgrid", "collide", "match"):
            self.assertIn(room, rooms)

    def test_everything_is_in_the_manual(self):
        page = said("help", "--man").replace("\\-", "-").replace("\\fB", "").replace("\\fR", "")
        for part in ("NAME", "SYNOPSIS", "OPTIONS", "COMMANDS", "FILES", "EXIT STATUS"):
            self.assertIn(f"\n.SH {part}\n", page)
        parts = dict(re.findall(r"(?ms)^\.SS boscage ([^\n]*)\n(.*?)(?=^\.S[SH] )", page))
        self.assertEqual(list(parts), commands())
        for name, part in parts.items():
            for option in options(section(said(*name.split(), "--help"), "\nOptions:")):
                self.assertIn(f"--{option}", part, name)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_the_manual_is_without_warnings(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=said("help", "--man"),
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("man"), "no man")
    def test_man_shows_it(self):
        with tempfile.NamedTemporaryFile("w", suffix=".1") as page:
            page.write(said("help", "--man"))
            page.flush()
            done = subprocess.run(["man", "-l", page.name], capture_output=True, text=True, check=False,
                                  env=dict(os.environ, MANWIDTH="200", PAGER="cat", LC_ALL="C.UTF-8"))
        if done.returncode == 0:  # a minimal system's man only says that there are no pages
            self.assertRegex(done.stdout, r"--camera|minimized")

    def test_everything_is_in_the_completion(self):
        for shell in ("bash", "zsh", "fish"):
            script = said("help", "--completion", shell)
            for name in commands():
                for word in name.split():
                    self.assertRegex(script, rf"\b{word}\b", shell)
                for option in options(said(*name.split(), "--help")):
                    self.assertRegex(script, rf"(--|-l ){option}\b", shell)

    def test_shells_read_it(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell):
                done = subprocess.run([shell, "-n", "/dev/stdin"], input=said("help", "--completion", shell),
                                      capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), shell)


if __name__ == "__main__":
    unittest.main()
