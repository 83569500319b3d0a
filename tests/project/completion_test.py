"""The completions of bash, zsh and fish, each by the shell's own machinery with the script of the tool (BOSCAGE).
Missing shells are skipped with a note."""
import os
import pty
import select
import shutil
import subprocess
import tempfile
import time
import unittest

from help_test import commands, options, said


class Shell:
    """A shell in a folder of its own that has a file, p.npy; completions() returns its insertions for the last word."""

    def __init__(self, name):
        self.script = said("help", "--completion", name)
        self.kept = tempfile.TemporaryDirectory()
        self.folder = self.kept.name
        os.mkdir(self.folder + "/files")
        open(self.folder + "/files/p.npy", "w").close()

    def completions(self, line):
        raise NotImplementedError

    def close(self):
        self.kept.cleanup()


class Bash(Shell):
    """Calls the function as readline does. Files are readline's own, where the function has no completions."""

    def __init__(self):
        super().__init__("bash")

    def completions(self, line):
        quoted = " ".join(f"'{word}'" for word in line.replace("=", " = ").split(" "))
        count = len(line.replace("=", " = ").split(" "))
        run = f"source /dev/stdin; COMP_WORDS=({quoted}); COMP_CWORD={count - 1}; _boscage; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", run], input=self.script, capture_output=True, text=True, check=True,
                              cwd=self.folder + "/files")
        return done.stdout.split()


class Fish(Shell):
    def __init__(self):
        super().__init__("fish")
        with open(self.folder + "/boscage.fish", "w") as file:
            file.write(self.script)

    def completions(self, line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source ../boscage.fish; complete -C '{line}'"],
                              capture_output=True, text=True, check=True, cwd=self.folder + "/files",
                              env=dict(os.environ, HOME=self.folder))
        if done.stderr:
            raise AssertionError(done.stderr)
        return [row.split("\t")[0].split("=")[-1] for row in done.stdout.split("\n") if row]


class Zsh(Shell):
    """An interactive zsh on a terminal: every added match is also written to a file, and the line is erased."""

    SETUP = r"""
        PROMPT= RPROMPT= LISTMAX=100000
        fpath=($FOLDER $fpath)
        autoload -Uz compinit && compinit -u -D
        compadd() {
            local -a hits
            if [[ " ${argv[1,(i)(-|--)]} " != *' '-[a-zA-Z]#[OAD]' '* ]]; then
                builtin compadd -A hits "$@"
                (( $#hits )) && print -rl -- $hits >> $FOLDER/hits
            fi
            builtin compadd "$@"
        }
        complete_word() { _main_complete; compstate[list]= compstate[insert]= }
        signal_ready() { : > $FOLDER/ready }
        zle -C complete_word complete-word complete_word; zle -N signal_ready; zle -N zle-line-init signal_ready
        bindkey -e; bindkey '^I' complete_word; bindkey '^O' signal_ready
    """

    def __init__(self):
        super().__init__("zsh")
        for name, text in (("_boscage", self.script), ("setup", self.SETUP)):
            with open(f"{self.folder}/{name}", "w") as file:
                file.write(text)
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(self.folder + "/files")
            os.environ.update(FOLDER=self.folder, HOME=self.folder, TERM="dumb")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.type("source $FOLDER/setup\n")

    def type(self, keys):
        """Types keys; the last one makes the shell signal that it is done."""
        shown, end = b"", time.monotonic() + 60
        os.write(self.terminal, keys.encode())
        while not os.path.exists(self.folder + "/ready"):
            if select.select([self.terminal], [], [], 0.02)[0]:
                shown += os.read(self.terminal, 4096)
            if time.monotonic() > end:
                raise AssertionError("zsh does not answer: " + repr(shown[-1000:]))
        os.unlink(self.folder + "/ready")

    def completions(self, line):
        open(self.folder + "/hits", "w").close()
        self.type(line + "\t\x15\x0f")
        with open(self.folder + "/hits") as file:
            return file.read().split("\n")[:-1]

    def close(self):
        os.close(self.terminal)  # which ends it
        os.waitpid(self.child, 0)
        super().close()


class Completion:
    """Tests of every shell."""

    shell = None
    files = ["p.npy"]  # completions where any file is allowed

    @classmethod
    def tearDownClass(cls):
        if cls.shell:
            cls.shell.close()

    def check(self, line, expected):
        self.assertEqual(sorted(self.shell.completions("boscage " + line)), sorted(expected), line)

    def test_rooms_and_verbs(self):
        rooms = list(dict.fromkeys(name.split()[0] for name in commands()))
        self.check("", rooms)
        self.check("help ", rooms)
        for room in rooms:
            verbs = [name.split()[1] for name in commands() if name.startswith(room + " ")]
            if room not in commands():
                self.check(room + " ", verbs)
                self.check(f"help {room} ", verbs)
        self.check("kdtree kn", ["knn"])
        self.check("help hash l", ["lookup"])
        self.check("bench pap", ["paper"])

    def test_options(self):
        for name in commands():
            own = ["--" + option for option in options(said(*name.split(), "--help"))]
            self.check(name + " --", own)
        self.check("kdtree knn p.npy --d", ["--distances", "--dtype", "--device", "--devices"])
        self.check("help --m", ["--man"])

    def test_options_stand_anywhere(self):
        self.check("--json kd", ["kdtree"])
        self.check("--seed 7 ge", ["generate"])
        self.check("--seed=7 ge", ["generate"])
        self.check("kdtree --threads 2 bu", ["build"])
        self.check("kdtree --seed 3 knn -k 2 p.npy --wi", ["--within"])

    def test_values(self):
        self.check("--backend ", ["cpu", "cuda", "auto"])
        self.check("--backend=", ["cpu", "cuda", "auto"])
        self.check("--seed ", [])
        self.check("generate points --kind ", ["uniform", "normal", "clustered", "sphere", "mixture", "plane", "line",
                                               "lidar", "lattice", "half-equal"])
        # of a command whose option names a file elsewhere
        self.check("generate pairs --keys ", ["distinct", "sequential", "multiples", "zipf", "equal"])
        self.check("generate graph --kind=g", ["grid", "geometric"])
        self.check("terrain h.png --view ", ["above", "side"])
        self.check("help --completion ", ["bash", "zsh", "fish"])
        self.check("hash lookup --layout ", ["auto", "bucketed", "perfect", "hybrid", "fks", "cuckoo", "chained", "ordered"])

    def test_files(self):
        self.check("mst p", self.files)
        self.check("kdtree knn p", self.files)
        self.check("kdtree knn --queries p", self.files)
        self.check("kdtree knn p.npy -o p", self.files)


class BashCompletion(Completion, unittest.TestCase):
    files = []

    @classmethod
    def setUpClass(cls):
        cls.shell = Bash()


@unittest.skipUnless(shutil.which("fish"), "no fish")
class FishCompletion(Completion, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shell = Fish()

    def test_commands_are_described(self):
        done = subprocess.run(["fish", "--no-config", "-c", "source ../boscage.fish; complete -C 'boscage ms'"],
                              capture_output=True, text=True, check=True, cwd=self.shell.folder + "/files")
        self.assertEqual(done.stdout, "mst\tFind the minimum spanning forest of a graph, or prove that T.npy is it\n")


@unittest.skipUnless(shutil.which("zsh"), "no zsh")
class ZshCompletion(Completion, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shell = Zsh()


if __name__ == "__main__":
    unittest.main()
