"""Runs a program with the functions of other libraries replaced.

``python -m boscage [--report] SCRIPT|-m MODULE [ARG...]``
"""

from __future__ import annotations

import pathlib
import runpy
import sys
import types

USAGE = "usage: python -m boscage [--report] SCRIPT|-m MODULE [ARG...]"


def _run_script(name: str) -> None:
    """Runs a file as the main program."""
    path = pathlib.Path(name)
    if not path.exists():
        print(f"{sys.executable}: can't open file {str(path.absolute())!r}: no such file", file=sys.stderr)
        raise SystemExit(2)
    sys.path[0] = str(path.resolve().parent)
    if path.is_file() or path.is_dir():
        runpy.run_path(name, run_name="__main__")
        return
    program = types.ModuleType("__main__")  # of a pipe, which can be read once
    program.__file__ = name
    sys.modules["__main__"] = program
    exec(compile(path.read_bytes(), name, "exec"), program.__dict__)


def main() -> None:
    """Replaces the functions, runs the program as `python` would, and reports to the error stream if requested."""
    from ._accelerate import accelerate

    arguments = sys.argv[1:]
    wants_report = arguments[:1] == ["--report"]
    if wants_report:
        del arguments[0]
    is_module = arguments[:1] == ["-m"]
    if is_module:
        del arguments[0]
    if not arguments or arguments[0].startswith("-"):
        wants_help = arguments in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if wants_help else sys.stderr)
        raise SystemExit(0 if wants_help else 2)
    acceleration = accelerate()
    sys.argv = arguments
    try:
        if is_module:
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        else:
            _run_script(arguments[0])
    finally:
        if wants_report:
            print(acceleration.report(), file=sys.stderr)


if __name__ == "__main__":
    main()
