"""Times neighbour lists of atoms beside ASE, matscipy and vesin.

usage: atoms.py [-n ATOMS,..] [-t THREADS] [-r REPEATS] [--results FILE --commit HASH --device TEXT]

Two inputs: a crystal of 0.1 atoms per unit of volume, displaced from a lattice, with a cutoff of 5 and i, j, S and d as
results; and molecules of 64 atoms in one call of ours, a call each of the others. Peers are optional, and
their pairs are compared. Prints medians of wall times. --results adds the rows to a file of bench/results:

    atoms.py -n 4096,65536 -t 2 --results bench/results/neighborlist.json --commit $(git rev-parse --short HEAD)
"""

import argparse
import importlib.metadata
import importlib.util

import boscage
import numpy as np
import rows

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


def version(name):
    return f"{name} {importlib.metadata.version(name)}"


def measure(options):
    """Rows of a crystal of each size, and of molecules."""
    made, there = [], [name for name in PEERS if importlib.util.find_spec(name)]
    for n in map(int, options.n.split(",")):
        # 1. One system.
        positions, edge = crystal(n)
        time, found = rows.median(lambda: ours(positions, edge), options.repeats)
        expected = checked(found)
        for name in there:
            other, found = rows.median(lambda: PEERS[name](positions, edge), 1 if name == "ase" else options.repeats)
            found = checked(found)
            assert found[:2] == expected[:2] and abs(found[2] - expected[2]) < 1, (name, found, expected)
            case = "boscage.atoms.neighbor_lists, i, j, S and d"
            made.append(rows.row(case, "crystal, f64, r = 5", n, time, version(name), other, threads=options.threads))
        # 2. Many systems in one call.
        count = max(n // 1024, 1)
        molecules = [crystal(64, seed)[0] for seed in range(count)]
        together, edge = np.concatenate(molecules), crystal(64)[1]
        offsets, cells = np.arange(count + 1) * 64, edge * np.eye(3)
        time, _ = rows.median(lambda: neighbor_lists("ijSd", together, CUTOFF, offsets, cells), options.repeats)
        for name in there:
            other, _ = rows.median(lambda: [PEERS[name](x, edge) for x in molecules], 1)
            case = "boscage.atoms.neighbor_lists, one call; a call each"
            shape = f"{count} molecules of 64 atoms, f64, r = 5"
            made.append(rows.row(case, shape, 64 * count, time, version(name), other, threads=options.threads))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", default="65536")
    rows.add_arguments(parser)
    options = parser.parse_args()
    with boscage.use("cpu", threads=options.threads):
        made = measure(options)
    times = f"medians of {options.repeats}, other packages with one thread"
    method = f"python/bench/atoms.py: Python calls, {times}; pairs compared"
    rows.write_run(options, method, made)


if __name__ == "__main__":
    main()
