"""Fixtures of all tests of the package."""

import importlib.util
import shutil

import boscage
import hypothesis

hypothesis.settings.register_profile(
    "short", max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck)
)
hypothesis.settings.load_profile("short")

# Tests of arrays on a device run where there is one.
collect_ignore = [] if boscage.device_count() else ["cuda"]

# PyTorch is large: the package needs neither it nor JAX, and its other tests run without them.
collect_ignore += [f"test_{name}.py" for name in ("torch", "jax") if importlib.util.find_spec(name) is None]

# Processes need MPI, which no package of Python has.
if shutil.which("mpirun") is None or importlib.util.find_spec("mpi4py") is None:
    collect_ignore.append("test_ranks_mpi.py")
if importlib.util.find_spec("torch") is None:
    collect_ignore.append("test_ranks_torch.py")
