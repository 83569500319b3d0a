"""A terrain mesh: as few triangles as keep every height within a bound, and more of them near the viewer."""

import sys

import numpy as np

from boscage.terrain import Camera, Terrain


def relief(size, rng):
    """Fractal relief, by octaves of smooth noise."""
    out = np.zeros((size, size))
    for octave in range(1, 8):
        coarse = rng.normal(size=(2**octave + 2, 2**octave + 2))
        at = np.linspace(0, 2**octave, size)
        i, t = at.astype(int), at % 1
        t = t * t * (3 - 2 * t)
        rows = coarse[i] * (1 - t)[:, None] + coarse[i + 1] * t[:, None]
        out += (rows[:, i] * (1 - t) + rows[:, i + 1] * t) * 0.5**octave
    return 100 * np.maximum(out, -0.1)


def main(picture="terrain_mesh.png", size=257):
    terrain = Terrain(relief(size, np.random.default_rng(5)), spacing=4.0)
    terrain.select(error=3.0)
    whole = terrain.measure()
    print(f"{whole['triangles']} of {2 * (size - 1) ** 2} triangles keep all heights within {whole['max_error']:.2f}")
    corner = 4.0 * size
    terrain.select(camera=Camera((0, 0, 60), (1, 1, -0.2), pixels=4, cull=True))
    vertices, triangles = terrain.mesh()
    print(f"{len(triangles)} triangles from the corner")

    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 6))
    x, y, z = vertices.T
    axes.tripcolor(
        x,
        y,
        triangles.astype(int),
        facecolors=z[triangles].mean(axis=1),
        cmap="terrain",
        vmin=-30,  # the sea, at -10, is blue; land begins in green
        vmax=100,
        edgecolors="k",
        linewidth=0.15,
    )
    axes.set(xlim=(0, corner), ylim=(0, corner), aspect="equal")
    axes.set_axis_off()
    figure.savefig(picture, dpi=110, bbox_inches="tight")
    return whole["max_error"], whole["triangles"], len(triangles)


if __name__ == "__main__":
    main(*sys.argv[1:2])
