"""The examples with ranks on the workers of Dask and in actors of Ray: real processes, and one of them killed.

A test is defined where its package is installed.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

SECONDS = 580  # a program starts twenty processes, which takes half a minute on two idle cores
FOLDER = pathlib.Path(__file__).parent
EXAMPLES = FOLDER.parent / "examples"


def run_program(name, checks):
    path = os.pathsep.join(filter(None, [str(EXAMPLES), str(FOLDER), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
    done = subprocess.run(
        [sys.executable, str(FOLDER / name)], capture_output=True, text=True, timeout=SECONDS, env=environment
    )
    said = done.stdout[-2000:] + done.stderr[-4000:]
    assert done.returncode == 0, said
    assert [line for line in done.stdout.split() if line in CHECKS] == checks, said


CHECKS = ["answers", "raised", "late", "lost", "again", "stopped"]

if importlib.util.find_spec("distributed") and EXAMPLES.exists():

    @pytest.mark.timeout(SECONDS + 20)
    def test_ranks_on_workers_of_dask():
        run_program("dask_program.py", CHECKS)


if importlib.util.find_spec("ray") and EXAMPLES.exists():

    @pytest.mark.timeout(SECONDS + 20)
    def test_ranks_in_actors_of_ray():
        run_program("ray_program.py", [check for check in CHECKS if check != "stopped"])
