"""Barcode pairs: reads of molecules with random barcodes, some with an error of one base, are assigned to their
molecules."""

import sys

import numpy as np

from boscage.hamming import CellGraph


def reads(molecules, length, rng):
    """Barcodes as letters 0 to 3, many reads each, some with a wrong base; and the molecule of each read."""
    barcodes = rng.integers(0, 4, (molecules, length))
    which = np.repeat(np.arange(molecules), rng.geometric(0.12, molecules))
    seen = barcodes[which]
    wrong = np.flatnonzero(rng.random(len(seen)) < 0.1)
    at = rng.integers(0, length, len(wrong))
    seen[wrong, at] = (seen[wrong, at] + rng.integers(1, 4, len(wrong))) % 4
    return seen, which


def main(picture="barcode_pairs.png", molecules=5_000, length=16):
    seen, which = reads(molecules, length, np.random.default_rng(3))
    graph = CellGraph(seen, letter_bits=2)
    pairs, _ = graph.pairs()
    count, label = graph.components()
    group = label[graph.vertex_of_rows()]
    print(f"{len(seen)} reads, {graph.n_vertices} different barcodes, {len(pairs)} pairs that differ in one base")
    print(f"{count} groups of {molecules} molecules")

    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    sizes = np.bincount(np.unique(group, return_inverse=True)[1])
    figure, axes = plt.subplots(figsize=(6, 4))
    bins = np.arange(1, 60)
    axes.hist(np.bincount(which), bins, histtype="step", label="reads a molecule")
    axes.hist(np.bincount(graph.vertex_of_rows()), bins, histtype="step", label="reads a barcode")
    axes.hist(sizes, bins, histtype="stepfilled", alpha=0.3, label="reads a group")
    axes.set(yscale="log", xlabel="reads")
    axes.legend()
    figure.savefig(picture, dpi=110, bbox_inches="tight")
    return count / molecules


if __name__ == "__main__":
    main(*sys.argv[1:2])
