"""Random data: the shapes, the seeds, and the kinds."""

import numpy as np
import pytest

from boscage import random


@pytest.mark.parametrize("kind", random.POINTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_points(kind, dtype):
    x = random.points(500, 3, kind, seed=1, dtype=dtype)
    assert x.shape == (500, 3) and x.dtype == dtype and np.isfinite(x).all()
    assert (x == random.points(500, 3, kind, seed=1, dtype=dtype)).all()
    assert (x != random.points(500, 3, kind, seed=2, dtype=dtype)).any()
    if kind == "sphere":
        assert np.allclose(np.linalg.norm(x, axis=1), 1, atol=1e-6)
    if kind == "half_equal":
        assert len(np.unique(x, axis=0)) < 400


def test_keys_words_and_heights():
    for kind in random.KEYS:
        keys = random.keys(2000, kind)
        assert keys.dtype == np.uint64 and (len(np.unique(keys)) == 2000) == (kind not in ("zipf", "equal"))
    words = random.words(100, 12, 5, pairs=True)
    assert words.max() == 4 and ((words[::2] != words[1::2]).sum(axis=1) == 1).all()
    for kind in random.HEIGHTS:
        relief = random.heights(40, 20, kind, seed=3)
        assert relief.shape == (20, 40) and relief.min() >= 0
    assert len(random.bits(10)) == 10 and (random.bits(10) != random.bits(10, stream=1)).any()
    assert random.points(0).shape == (0, 3) and random.keys(0).shape == (0,)


@pytest.mark.parametrize(
    "call",
    [
        lambda: random.points(5, 0),
        lambda: random.points(-1),
        lambda: random.points(5, kind="cube"),
        lambda: random.points(5, dtype="int32"),
        lambda: random.words(5, 0),
        lambda: random.words(5, 3, 1),
        lambda: random.heights(-1, 5),
        lambda: random.keys(3, "even"),
    ],
)
def test_bad_arguments(call):
    with pytest.raises(ValueError):
        call()
