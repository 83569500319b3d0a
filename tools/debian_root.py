"""Debian roots for tests of packages (tools/make-wheels, tools/make-packages): kept in build/roots, made by debootstrap."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOTS = ROOT / "build" / "roots"
COMPILERS = ("gcc", "cc", "clang", "g++")


def run(*command, **options):
    """Runs a command and returns its output; ends the program with the output if the command fails."""
    command = [str(word) for word in command]
    done = subprocess.run(command, text=True, **{"cwd": ROOT, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options})
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{(done.stdout or '')[-6000:]}\n{pathlib.Path(sys.argv[0]).name}: exit status {done.returncode}")
    return done.stdout or ""


def make_root(name, suite, packages):
    """Makes the root build/roots/NAME of a suite with these packages, if it does not exist."""
    root = ROOTS / name
    if not (root / "usr/bin/env").exists() or (root / "debootstrap").exists():
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        run("debootstrap", "--variant=minbase", f"--include={','.join(packages)}", suite, root)
    return root


def make_bare_root(suite):
    """A root with Python, without a compiler."""
    root = make_root(suite, suite, ["python3", "python3-venv"])
    for compiler in COMPILERS:
        if (root / "usr/bin" / compiler).exists():
            sys.exit(f"{root} has {compiler}")
    return root


def run_in_root(root, script, network=False, **options):
    """Runs a shell script in a root."""
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
    if network:
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        environment |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    without = [] if network else ["unshare", "--net"]
    return run(*without, "chroot", root, "sh", "-ec", script, env=environment, **options)
