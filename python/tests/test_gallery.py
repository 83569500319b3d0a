"""The scripts of the gallery run in small, and find what there is to find."""

import importlib.util
import pathlib

GALLERY = pathlib.Path(__file__).parents[1] / "gallery"


def run(name, folder, **sizes):
    spec = importlib.util.spec_from_file_location(name, GALLERY / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.main(folder / "it.png", **sizes)
    assert (folder / "it.png").read_bytes()[:4] == b"\x89PNG"
    return found


def test_scan_neighbours(tmp_path):
    assert run("scan_neighbours", tmp_path, n=4000) > 0.99


def test_single_linkage(tmp_path):
    assert run("single_linkage", tmp_path, n=4000) > 0.99


def test_terrain_mesh(tmp_path):
    error, triangles, seen = run("terrain_mesh", tmp_path, size=65)
    assert error <= 3 and 0 < triangles < 2 * 64 * 64 and 0 < seen < 2 * 64 * 64


def test_barcode_pairs(tmp_path):
    assert abs(run("barcode_pairs", tmp_path, molecules=500) - 1) < 0.05


def test_group_ids(tmp_path):
    group, known, orders = run("group_ids", tmp_path, n=5000)
    assert (known[group] == orders).all() and len(set(known.tolist())) == len(known)


def test_all_scripts_are_tested():
    names = {path.stem for path in GALLERY.glob("*.py")}
    assert names == {"scan_neighbours", "single_linkage", "terrain_mesh", "barcode_pairs", "group_ids"}
