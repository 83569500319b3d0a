"""Times neighbour lists of atoms beside ASE, matscipy and vesin.

usage: atoms.py [-n ATOMS,..] [-t THREADS] [-r REPEATS] [--cupy]
                [--results FILE --commit HASH --device TEXT]

Two inputs: a crystal of 0.1 atoms per unit of volume, displaced from a lattice, with a cutoff of 5 and i, j, S and d as
results; and molecules of 64 atoms in one call of ours, a call each of the others. Peers are optional, and
their pairs are compared. Prints medians of wall times. --cupy passes arrays of CuPy, beside vesin alone. --results adds
the rows to a file of bench/results:

    atoms.py -n 4096,65536 -t 2 --results bench/results/neighborlist.json --commit $(git rev-parse --short HEAD)
"""

import argparse
import functools
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


def wait(found):
    """Returns the arrays once a device has written them."""
    if hasattr(found[0], "device") and not isinstance(found[0], np.ndarray):
        found[0].device.synchronize()
    return found


def by_ase(positions, box):
    from ase.neighborlist import primitive_neighbor_list

    return primitive_neighbor_list("ijSd", [True] * 3, box, positions, CUTOFF)


def by_matscipy(positions, box):
    from matscipy.neighbours import neighbour_list

    return neighbour_list("ijSd", positions=positions, cell=box, pbc=[True] * 3, cutoff=CUTOFF)


def by_vesin(positions, box, threads):
    from vesin import NeighborList

    calculator = NeighborList(cutoff=CUTOFF, full_list=True, sorted=True, n_threads=threads)
    return wait(calculator.compute(positions, box, True, "ijSd"))


def ours(positions, box, offsets=None):
    return wait(neighbor_lists("ijSd", positions, CUTOFF, offsets, box))


def checked(found):
    """The number of pairs, and a sum that depends on all of them but not on their order."""
    i, j, shifts, distances = (x.get() if hasattr(x, "get") else x for x in found)
    return len(i), int((i * 31 + j * 17 + shifts.astype(int) @ [3, 5, 7]).sum()), round(float(distances.sum()), 3)


def version(name):
    return f"{name} {importlib.metadata.version(name)}"


def measure(options):
    """Rows of a crystal of each size, and of molecules."""
    peers = {"ase": by_ase, "matscipy": by_matscipy, "vesin": functools.partial(by_vesin, threads=options.threads)}
    made, there = [], [name for name in peers if importlib.util.find_spec(name)]
    array, on = np.asarray, {"threads": options.threads}
    if options.cupy:
        from cupy import asarray as array

        there, on = [name for name in there if name == "vesin"], {}
    for n in map(int, options.n.split(",")):
        # 1. One system.
        positions, edge = crystal(n)
        positions, box = array(positions), array(edge * np.eye(3))
        time, found = rows.median(lambda: ours(positions, box), options.repeats)
        expected = checked(found)
        for name in there:
            other, found = rows.median(lambda: peers[name](positions, box), 1 if name == "ase" else options.repeats)
            found = checked(found)
            assert found[:2] == expected[:2] and abs(found[2] - expected[2]) < 1, (name, found, expected)
            case = "boscage.atoms.neighbor_lists, i, j, S and d"
            made.append(rows.row(case, "crystal, f64, r = 5", n, time, version(name), other, **on))
        # 2. Many systems in one call.
        count = max(n // 1024, 1)
        molecules = [array(crystal(64, seed)[0]) for seed in range(count)]
        together = array(np.concatenate([crystal(64, seed)[0] for seed in range(count)]))
        offsets, box = np.arange(count + 1) * 64, array(crystal(64)[1] * np.eye(3))
        time, _ = rows.median(lambda: ours(together, box, offsets), options.repeats)
        for name in there:
            other, _ = rows.median(lambda: [peers[name](x, box) for x in molecules], 1)
            case = "boscage.atoms.neighbor_lists, one call; a call each"
            shape = f"{count} molecules of 64 atoms, f64, r = 5"
            made.append(rows.row(case, shape, 64 * count, time, version(name), other, **on))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", default="65536")
    parser.add_argument("--cupy", action="store_true")
    rows.add_arguments(parser)
    options = parser.parse_args()
    with boscage.use("cpu", threads=options.threads):
        made = measure(options)
    calls = "calls on arrays of CuPy with a wait for the device" if options.cupy else "Python calls"
    others = "" if options.cupy else ", ASE and matscipy with one thread, vesin with as many as ours"
    method = f"python/bench/atoms.py: {calls}, medians of {options.repeats}{others}; pairs compared"
    rows.write_run(options, method, made)


if __name__ == "__main__":
    main()
