"""The import loads NumPy and nothing else, so that it is quick; modules load the library whose interface they have."""

import subprocess
import sys

import pytest

OTHERS = ("scipy", "sklearn", "networkx", "pandas", "cupy", "torch", "jax")


@pytest.mark.parametrize("name", ["boscage", "boscage.spatial", "boscage.hashing", "boscage.hamming", "boscage.terrain"])
def test_import_loads_numpy_alone(name):
    program = f"import sys, {name}; print(*(set({OTHERS}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
