"""Times neighbour lists of atoms beside ASE, matscipy and vesin: python atoms.py [-n ATOMS] [-t THREADS] [-r REPEATS].

Two inputs: a crystal of 0.1 atoms per unit of volume, displaced from a lattice, with a cutoff of 5 and i, j, S and d as
results; and molecules of 64 atoms in one call of ours, a call each of the others. Peers are optional, and
their pairs are compared. Prints medians of wall and processor time.
"""

import argparse
import importlib
import statistics
import time

import boscage
import numpy as np

from boscage.atoms import neighbor_lists

CUTOFF = 5.0


def crystal(n, seed=0):
    """Positions and the edge of a cubic cell."""
    side = int(np.ceil(n ** (1 / 3) - 1e-9))
    grid = np.stack(np.unravel_index(np.arange(n), (side,) * 3), 1) + 0.5
    step = 10 ** (1 / 3)
    return grid * step + np.random.default_rng(seed).uniform(-0.3, 0.3, (n, 3)), side * step


def by_ase(positions, edge):
    from ase.neighborlist import primitive_neighbor_list

    return primitive_neighbor_list("ijSd", [True] * 3, edge * np.eye(3), positions, CUTOFF)


def by_matscipy(positions, edge):
    from matscipy.neighbours import neighbour_list

    return neighbour_list("ijSd", positions=positions, cell=edge * np.eye(3), pbc=[True] * 3, cutoff=CUTOFF)


def by_vesin(positions, edge):
    from vesin import NeighborList

    return NeighborList(cutoff=CUTOFF, full_list=True, sorted=True).compute(positions, edge * np.eye(3), True, "ijSd")


def ours(positions, edge):
    return neighbor_lists("ijSd", positions, CUTOFF, cells=edge * np.eye(3))


PEERS = {"ase": by_ase, "matscipy": by_matscipy, "vesin": by_vesin}


def checked(found):
    """The number of pairs, and a sum that depends on all of them but not on their order."""
    i, j, shifts, distances = (np.asarray(x) for x in found)
    return len(i), int((i * 31 + j * 17 + shifts.astype(int) @ [3, 5, 7]).sum()), round(float(distances.sum()), 3)


def measure(name, call, repeats):
    walls, processors = [], []
    for _ in range(repeats + 1):
        wall, processor = time.perf_counter(), time.process_time()
        found = call()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    wall, processor = (1e3 * statistics.median(x[1:]) for x in (walls, processors))
    print(f"{name:32} {wall:10.2f} ms {processor:10.2f} ms of processors", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=64**3 // 4)
    parser.add_argument("-t", "--threads", type=int, default=1)
    parser.add_argument("-r", "--repeats", type=int, default=5)
    options = parser.parse_args()
    there = [name for name in PEERS if importlib.util.find_spec(name)]
    with boscage.use("cpu", threads=options.threads):
        positions, edge = crystal(options.n)
        print(f"crystal of {options.n} atoms; Boscage with {options.threads} threads, others with one")
        expected = checked(measure("boscage", lambda: ours(positions, edge), options.repeats))
        for name in there:
            found = checked(measure(name, lambda: PEERS[name](positions, edge), options.repeats))
            assert found[:2] == expected[:2] and abs(found[2] - expected[2]) < 1, (name, found, expected)
        count = max(options.n // 1024, 1)
        molecules = [crystal(64, seed)[0] for seed in range(count)]
        together, edge = np.concatenate(molecules), crystal(64)[1]
        offsets, cells = np.arange(count + 1) * 64, edge * np.eye(3)
        print(f"{count} molecules of 64 atoms")
        measure("boscage, one call", lambda: neighbor_lists("ijSd", together, CUTOFF, offsets, cells), options.repeats)
        measure("boscage, a call each", lambda: [ours(x, edge) for x in molecules], options.repeats)
        for name in there:
            measure(f"{name}, a call each", lambda: [PEERS[name](x, edge) for x in molecules], options.repeats)


if __name__ == "__main__":
    main()
