"""Structures over processes of torch.distributed; conftest.py leaves this file out where there is no PyTorch."""

import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("torch_program.py")


def run(processes, what, store):
    """Runs the processes, and returns their outputs."""
    command = [sys.executable, str(PROGRAM), what]
    started = [
        subprocess.Popen(
            [*command, str(rank), str(processes), str(store)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for rank in range(processes)
    ]
    try:
        return [process.communicate(timeout=240)[0] for process in started]
    finally:
        for process in started:
            process.kill()


@pytest.mark.parametrize("processes, what", [(1, "answers"), (2, "answers"), (3, "answers"), (4, "part")])
def test_answers(processes, what, tmp_path):
    outputs = run(processes, what, tmp_path / "store")
    assert all("correct" in output for output in outputs), outputs


def test_a_process_that_does_not_come_gives_an_exception(tmp_path):
    outputs = run(3, "lost", tmp_path / "store")
    assert ["noticed" in output for output in outputs] == [True, False, True], outputs


def test_messages_after_a_time_out_are_not_written_to_the_memory_of_the_caller(tmp_path):
    outputs = run(2, "late", tmp_path / "store")
    assert "correct" in outputs[0], outputs
