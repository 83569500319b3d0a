"""Runs a program with the functions of other libraries replaced.

``python -m boscage [--report] SCRIPT|-m MODULE [ARG...]``
"""

from __future__ import annotations

import pathlib
import runpy
import sys

USAGE = "usage: python -m boscage [--report] SCRIPT|-m MODULE [ARG...]"


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
        print(USAGE, file=sys.stderr if arguments != ["--help"] else sys.stdout)
        raise SystemExit(0 if arguments == ["--help"] else 2)
    acceleration = accelerate()
    sys.argv = arguments
    try:
        if is_module:
            runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
        else:
            sys.path[0] = str(pathlib.Path(arguments[0]).resolve().parent)
            runpy.run_path(arguments[0], run_name="__main__")
    finally:
        if wants_report:
            print(acceleration.report(), file=sys.stderr)


if __name__ == "__main__":
    main()
