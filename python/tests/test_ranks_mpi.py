"""Structures over processes joined by mpi4py; conftest.py leaves this file out where there is no mpirun."""

import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("mpi_program.py")


def mpirun(processes, what, timeout=240):
    command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(processes), sys.executable, str(PROGRAM), what]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_answers(processes):
    done = mpirun(processes, "answers")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert done.stdout.count("correct") == processes, done.stdout + done.stderr[-4000:]


def test_a_process_that_does_not_come_gives_an_exception():
    done = mpirun(3, "lost")
    assert done.stdout.count("noticed") == 2, done.stdout[-2000:] + done.stderr[-4000:]


def test_messages_after_a_time_out_are_not_written_to_the_memory_of_the_caller():
    done = mpirun(2, "late")
    assert done.returncode == 0 and done.stdout.count("correct") == 2, done.stdout + done.stderr[-4000:]
