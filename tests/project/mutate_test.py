"""tools/mutate says how each bug ends, and ends well only if all are found: on a library of one function here."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

MUTATE = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "mutate"
SOURCES = {
    "src/answer.c": "int answer(void);\nint answer(void)\n{\n    return 42;\n}\n",
    "tests/program.c": """#include <stdio.h>
#include <string.h>
int answer(void);
int main(int argc, char **argv)
{
    if (argc < 3) return puts("room") < 0;
    return strcmp(argv[2], "cpu") == 0 && answer() != 42;
}
""",
}
NINJA = """rule cc
  command = gcc -MD -MF $out.d -o $out -c $in
  depfile = $out.d
  deps = gcc
rule ar
  command = ar qc $out $in
rule link
  command = : && gcc $in -o $out && :
build answer.o: cc {root}/src/answer.c
build libroom.a: ar answer.o
build program.o: cc {root}/tests/program.c
build tests/boscage_test: link program.o libroom.a
"""
MUTANT = """A bug.
suite: {suite}
limit: 1{key}

src/answer.c: answer
- return   {old};
+ return {new};
"""


class Mutate(unittest.TestCase):
    def ends(self, *arguments, **mutants):
        """Runs mutate with the given mutants (suite, text for 42, replacement); returns its lines and exit status."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for name in ("tools", "src", "include", "tests/mutants/room", "build/dev/tests"):
                (root / name).mkdir(parents=True)
            shutil.copy(MUTATE, root / "tools")
            for name, text in SOURCES.items():
                (root / name).write_text(text)
            for name, (suite, old, new, *keys) in mutants.items():
                text = MUTANT.format(suite=suite, old=old, new=new, key="".join(f"\n{key}" for key in keys))
                (root / "tests" / "mutants" / "room" / f"{name}.mutant").write_text(text)
            build = root / "build" / "dev"
            (build / "build.ninja").write_text(NINJA.format(root=root))
            subprocess.run(["ninja"], cwd=build, check=True, capture_output=True)
            commands = subprocess.run(["ninja", "-t", "compdb", "cc"], cwd=build, check=True, capture_output=True)
            (build / "compile_commands.json").write_bytes(commands.stdout)
            done = subprocess.run([root / "tools" / "mutate", *arguments], capture_output=True, text=True)
            self.assertEqual((root / "src" / "answer.c").read_text(), SOURCES["src/answer.c"])
            return [line.split(None, 1)[-1] for line in done.stdout.split("\n\n")[0].splitlines()], done.returncode

    def test_a_bug_that_is_found(self):
        self.assertEqual(self.ends(bug=("room", 42, 43)), (["killed by room"], 0))

    def test_a_bug_that_hangs(self):
        bug = ("room", 42, "({ for (volatile int i = 1; i;) ; 1; })")
        self.assertEqual(self.ends(bug=bug), (["killed by the limit of 1 s"], 0))

    def test_a_bug_that_survives(self):
        self.assertEqual(self.ends(a=("room", 42, "41 + 1"), b=("room", 42, 0)), (["SURVIVED", "killed by room"], 1))

    def test_mutants_that_are_out_of_date(self):
        ends, code = self.ends(a=("room", 40, 41), b=("room", 42, "nothing"), c=("hall", 42, 41))
        self.assertEqual(self.ends("--check", a=("room", 40, 41), b=("room", 42, 41))[1], 1)
        self.assertEqual(self.ends("--check", b=("room", 42, 41))[1], 0)
        ends = [end.partition(":")[0] for end in ends]
        self.assertEqual(ends, ["does not apply", "does not build", "no suite is called hall"])
        self.assertEqual(code, 1)

    def test_the_builds_that_are_needed(self):
        mutants = {"a": ("room", 42, 41), "b": ("room", 42, 43, "preset: tsan")}
        self.assertEqual(self.ends("--targets", **mutants), (["tsan:boscage_test"], 0))
        self.assertEqual(self.ends("--targets", "room/a", **mutants), (["dev:boscage_test"], 0))

    def test_some_of_them(self):
        mutants = {f"bug{i}": ("room", 42, i) for i in range(6)}
        self.assertEqual(len(self.ends("--sample", "2", **mutants)[0]), 2)
        self.assertEqual(len(self.ends("room/bug3", **mutants)[0]), 1)
        self.assertEqual(self.ends("hall", **mutants)[1], 1)


if __name__ == "__main__":
    unittest.main()
