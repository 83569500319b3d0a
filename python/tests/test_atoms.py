"""boscage.atoms against images by brute force, and against ASE, matscipy and vesin where they are installed."""

import itertools
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

from boscage import atoms as ours
from boscage._arrays import Space


def systems(seed):
    """Random cells, thin, sheared and left-handed, with atoms inside and outside of them."""
    rng = np.random.default_rng(seed)
    cell = np.diag(rng.uniform(1, 3, 3)) + rng.uniform(-0.5, 0.5, (3, 3))
    pbc = rng.random(3) < 0.7
    positions = rng.uniform(-1.5, 2.5, (int(rng.integers(0, 14)), 3)) @ cell
    return positions, cell, pbc, float(rng.uniform(0.5, 3))


def brute(positions, cell, pbc, cutoff, self_interaction=False):
    """All pairs, ascending in (i, j, S)."""
    reach = [range(-9, 10) if p else range(1) for p in pbc]
    found = []
    for i, j in itertools.product(range(len(positions)), repeat=2):
        for s in itertools.product(*reach):
            d = np.linalg.norm(positions[j] - positions[i] + np.array(s) @ cell)
            if d < cutoff and (self_interaction or (i, s) != (j, (0, 0, 0))):
                found.append((i, j, *s))
    return np.array(found, int).reshape(-1, 5)


def atoms_of(positions, cell, pbc, numbers=None):
    return SimpleNamespace(positions=positions, cell=cell, pbc=pbc, numbers=numbers)


@pytest.mark.parametrize("seed", range(12))
def test_against_images(seed):
    positions, cell, pbc, cutoff = systems(seed)
    i, j, shifts, vectors, distances = ours.neighbor_list("ijSDd", atoms_of(positions, cell, pbc), cutoff)
    assert np.array_equal(np.column_stack([i, j, shifts]), brute(positions, cell, pbc, cutoff))
    assert np.allclose(vectors, positions[j] - positions[i] + shifts @ cell)
    assert np.allclose(distances, np.linalg.norm(vectors, axis=1))


if find_spec("ase"):

    @pytest.mark.parametrize("seed", range(12))
    def test_against_ase(seed):
        import ase
        from ase.neighborlist import neighbor_list

        positions, cell, pbc, cutoff = systems(seed)
        many = np.resize(positions, (14, 3)) + np.arange(14)[:, None] * 0.01
        molecule = ase.Atoms(["H", "O"] * 7, many, cell=cell, pbc=pbc)
        radii = np.linspace(0.3, 0.9, 14)
        for cut in (cutoff, {("H", "H"): 0.8, ("O", "H"): 1.7}, radii):
            for own in (False, True):
                theirs = np.column_stack(neighbor_list("ijS", molecule, cut, self_interaction=own))
                found = np.column_stack(ours.neighbor_list("ijS", molecule, cut, self_interaction=own))
                assert np.array_equal(theirs[np.lexsort(theirs.T[::-1])], found)


if find_spec("matscipy"):

    @pytest.mark.parametrize("seed", range(12))
    def test_against_matscipy(seed):
        from matscipy import neighbours as peer

        positions, cell, _, cutoff = systems(seed)
        if len(positions) == 0:
            return
        arguments = dict(positions=positions, cell=cell, pbc=[1, 1, 1], cutoff=cutoff)
        theirs = np.column_stack(peer.neighbour_list("ijS", **arguments))
        found = np.column_stack(ours.neighbour_list("ijS", **arguments))
        assert np.array_equal(theirs[np.lexsort(theirs.T[::-1])], found)


if find_spec("vesin"):

    @pytest.mark.parametrize("seed", range(12))
    def test_against_vesin(seed):
        import vesin

        positions, cell, _, cutoff = systems(seed)
        if len(positions) == 0:
            return
        arguments = positions, cell, True
        theirs = np.column_stack(vesin.NeighborList(cutoff=cutoff, full_list=True).compute(*arguments, quantities="PS"))
        found = np.column_stack(ours.NeighborList(cutoff=cutoff, full_list=True).compute(*arguments, quantities="PS"))
        assert np.array_equal(theirs[np.lexsort(theirs.astype(int).T[::-1])].astype(int), found)
        half = ours.NeighborList(cutoff=cutoff, full_list=False).compute(*arguments, quantities="ij")
        assert 2 * len(half[0]) == len(found)


def test_many_systems():
    parts = [systems(seed) for seed in range(20)]
    offsets = np.cumsum([0] + [len(p[0]) for p in parts])
    cells, pbc = np.array([p[1] for p in parts]), np.array([p[2] for p in parts])
    positions = np.concatenate([p[0] for p in parts])
    i, j, shifts, rows = ours.neighbor_lists("ijSp", positions, 1.5, offsets, cells, pbc)
    each = [brute(p[0], p[1], p[2], 1.5) + [at, at, 0, 0, 0] for p, at in zip(parts, offsets)]
    assert np.array_equal(np.column_stack([i, j, shifts]), np.concatenate(each))
    assert np.array_equal(rows, np.searchsorted(i, np.arange(len(positions) + 1)))
    neighbors, matrix, distances, counts = ours.neighbor_matrix(positions, 1.5, 3, offsets, cells, pbc)
    assert np.array_equal(counts, np.diff(rows))
    for row in range(len(positions)):
        kept = min(3, counts[row])
        assert np.array_equal(neighbors[row, :kept], j[rows[row] : rows[row] + kept])
        assert (neighbors[row, kept:] == -1).all() and np.isinf(distances[row, kept:]).all()
        assert np.array_equal(matrix[row, :kept], shifts[rows[row] : rows[row] + kept])


def test_skin_keeps_the_list():
    rng = np.random.default_rng(3)
    positions, box = rng.uniform(0, 5, (60, 3)), 5 * np.eye(3)
    kept, fresh = (ours.NeighborList(cutoff=1.4, full_list=True, skin=s) for s in (0.5, 0.0))
    kept.compute(positions, box, True)
    search = kept._search
    for _ in range(10):
        positions = positions + rng.uniform(-0.02, 0.02, positions.shape)
        for mine, other in zip(*(c.compute(positions, box, True, "ijSd") for c in (kept, fresh))):
            assert np.array_equal(mine, other)
    assert kept._search is search
    kept.compute(positions + 1, box, True)
    assert kept._search is not search
    kept.cutoff = fresh.cutoff = 0.9
    for mine, other in zip(*(c.compute(positions + 1, box, True, "ijSd") for c in (kept, fresh))):
        assert np.array_equal(mine, other)
    with pytest.raises(ValueError, match="pbc"):
        kept.compute(positions, box, [True, False])


def test_float32_and_other_types():
    positions = np.array([[0, 0, 0], [1, 0, 0]])
    assert ours.neighbor_lists("d", positions, 2).dtype == np.float64
    assert ours.neighbor_lists("d", positions.astype(np.float32), 2).dtype == np.float32
    assert ours.neighbor_lists("S", positions, 2).dtype == np.int32
    if not find_spec("torch"):
        return
    import torch

    i, shifts = ours.neighbor_lists("PS", torch.tensor(positions, dtype=torch.float32), 2)
    assert isinstance(i, torch.Tensor) and i.tolist() == [[0, 1], [1, 0]] and shifts.dtype == torch.int32


def test_results_survive_the_next_call():
    """Calls of one kind use the same memory of the library, in any number of kinds."""
    rng = np.random.default_rng(5)
    inputs = [(rng.random((n, 3)) * 4, cutoff) for n in (50, 20, 80) for cutoff in np.linspace(0.5, 1.5, 10)]
    results = [ours.neighbor_lists("ijSdDp", x, cutoff, None, 4 * np.eye(3)) for x, cutoff in inputs * 2]
    for (x, cutoff), *twice in zip(inputs, results, results[len(inputs) :]):
        i, j, shifts, distances, vectors, rows = twice[0]
        assert np.allclose(vectors, x[j] - x[i] + 4 * shifts)
        assert np.allclose(distances, np.linalg.norm(vectors, axis=1))
        assert np.array_equal(rows, np.searchsorted(i, np.arange(len(x) + 1))) and (distances < cutoff).all()
        assert all(np.array_equal(a, b) for a, b in zip(*twice))
    assert len(ours._LISTS) <= ours._MOST_LISTS


def test_memory_of_a_failed_call_is_not_used_again():
    ours._LISTS.clear()
    with pytest.raises(ValueError, match="positions"):
        ours.neighbor_lists("i", np.full((2, 3), 1e300), 1.0)
    assert not ours._LISTS
    ours.neighbor_lists("i", np.zeros((2, 3)), 1.0)
    ours.NeighborList(cutoff=1.0, full_list=True).compute(np.zeros((2, 3)), np.eye(3), False)
    ours.NeighborList(cutoff=1.0, full_list=True, skin=0.5).compute(np.zeros((2, 3)), np.eye(3), False)
    assert len(ours._LISTS) == 1


def test_memory_is_used_again_after_a_wait_for_the_results(monkeypatch):
    """Another thread may take a kept list, so it is not kept before its arrays are written."""
    kept = []
    monkeypatch.setattr(Space, "give", lambda self, x: kept.append(len(ours._LISTS)) or x)
    ours._LISTS.clear()
    ours.neighbor_matrix(np.zeros((2, 3)), 1.0, 1)
    ours._LISTS.clear()
    ours.neighbor_lists("ij", np.zeros((2, 3)), 1.0)
    assert kept == [0] * 6


def test_memory_of_large_lists_is_freed(monkeypatch):
    """Atoms count as pairs do."""
    ours._LISTS.clear()
    monkeypatch.setattr(ours, "_MOST_WORDS", 20)
    apart, near = np.arange(12.0).reshape(4, 3), np.zeros((3, 3))
    ours.neighbor_lists("i", apart, 1.0)  # 24 words
    assert not ours._LISTS
    ours.neighbor_lists("i", near, 1.0)  # 18 words, and 6 pairs
    assert not ours._LISTS
    ours.neighbor_lists("i", apart[:3], 1.0)
    assert len(ours._LISTS) == 1


def test_positions_with_gaps():
    wide = np.random.default_rng(6).random((40, 5)) * 3
    for x in (wide[:, 1:4], wide[::2, :3], wide[::-1, :3], wide[:1, :3], wide[:, ::2], wide[:0, :3]):
        for gaps, dense in zip(*(ours.neighbor_lists("ijd", y, 1.0) for y in (x, x.copy()))):
            assert np.array_equal(gaps, dense)


@pytest.mark.parametrize(
    "cutoff", [0, 0.0, -1, [0.0, 0.0], *([{("H", "H"): 0.0}] if find_spec("ase") else [])]  # ASE has the symbols
)
def test_without_a_positive_cutoff(cutoff):
    atoms = atoms_of(np.zeros((2, 3)), np.eye(3), [True, False, False], np.array([1, 1]))
    assert len(ours.neighbor_list("i", atoms, cutoff)) == 0
    assert len(ours.neighbor_list("i", atoms, cutoff, self_interaction=True)) == 0


def test_arrays_without_pbc_are_not_periodic():
    arrays = dict(positions=np.array([[0, 0, 0], [0.5, 0, 0]]), cell=np.eye(3), cutoff=0.8)
    assert ours.neighbour_list("j", **arrays).tolist() == [1, 0]
    assert ours.neighbour_list("j", pbc=[True, False, False], **arrays).tolist() == [1, 1, 0, 0]
    atoms = atoms_of(arrays["positions"], np.eye(3), [True, False, False])
    assert ours.neighbour_list("j", atoms, 0.8).tolist() == [1, 1, 0, 0]
    for call, integer in ((ours.neighbour_list, np.int32), (ours.neighbor_list, np.int64)):  # as their originals
        assert {x.dtype for x in call("ijS", atoms, 0.8)} == {np.dtype(integer)}


def test_refusals():
    positions = np.zeros((2, 3))
    for wrong, message in (
        (dict(cutoff=-1), "cutoff"),
        (dict(cutoff=1, cells=np.zeros((3, 3))), "systems"),
        (dict(cutoff=1, cells=np.eye(2)), "cells"),
        (dict(cutoff=1, offsets=[0, 1]), "systems"),
        (dict(cutoff=1, offsets=[0]), "offsets"),
        (dict(cutoff=1, cells=np.eye(3), pbc=[True, False]), "pbc"),
        (dict(cutoff=1, cells=np.eye(3), pbc=np.ones((2, 3))), "pbc"),
    ):
        with pytest.raises(ValueError, match=message):
            ours.neighbor_lists("ij", positions, **wrong)
    with pytest.raises(ValueError, match="quantities"):
        ours.neighbor_lists("ijx", positions, 1)
    with pytest.raises(ValueError, match="quantities"):
        ours.neighbor_list("", atoms_of(positions, np.eye(3), True), 1)
    with pytest.raises(ValueError, match="positions"):
        ours.neighbor_lists("ij", positions[:, :2], 1)
    with pytest.raises(TypeError, match="offsets"):
        ours.neighbor_lists("ij", positions, 1, offsets=[0, 1.5, 2])
    with pytest.raises(TypeError, match="cells"):
        ours.neighbor_lists("ij", positions, 1, cells=np.eye(3) * 1j)
    two = atoms_of(positions, np.eye(3), True)
    for cutoff, message in (({(1, 1): 1.0}, "numbers"), ([0.5], "cutoff"), ([0.5, 0.5, 0.5], "cutoff")):
        with pytest.raises(ValueError, match=message):
            ours.neighbor_list("ij", two, cutoff)
    oxygen = atoms_of(positions, np.eye(3), True, np.array([8, 8]))
    with pytest.raises(ValueError, match="cutoff: -1"):
        ours.neighbor_list("ij", oxygen, {(-1, 8): 1.0})
    oxygen.numbers = np.array([8, -1])
    with pytest.raises(ValueError, match="numbers: -1"):
        ours.neighbor_list("ij", oxygen, {(1, 8): 1.0})
    with pytest.raises(ValueError, match="width: -1"):
        ours.neighbor_matrix(positions, 1, -1)
    with pytest.raises(ValueError, match="positions: missing"):
        ours.neighbour_list("ij", cutoff=1)
    for name in ("positions", "cell", "pbc", "numbers", "cell_origin"):
        with pytest.raises(ValueError, match=f"{name}: given"):
            ours.neighbour_list("ij", two, 1, **{name: np.zeros(3)})
    with pytest.raises(ValueError, match="n_threads"):
        ours.NeighborList(cutoff=1, full_list=True, n_threads=-1)
    with pytest.raises(ValueError, match="pbc"):
        ours.neighbor_matrix(positions, 1, 2, None, np.eye(3), [[True]] * 2)
    with pytest.raises(ValueError, match="finite"):
        ours.neighbor_lists("ij", positions * np.nan, 1)
