"""The recipes of packaging/ agree with the project: version, licence, options and files. Debian's package is built, and the
Conan recipe created, by ./dev package; the tools of the others are not in Debian."""
import ast
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "packaging"
VERSION = re.search(r"project\(boscage VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
OPTIONS = set(re.findall(r"(?:option|set)\((BOSC_\w+) ", "".join(
    path.read_text() for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")])))
RECIPES = [path for path in PACKAGING.rglob("*") if path.is_file()]


class Recipes(unittest.TestCase):
    def test_versions_agree(self):
        stated = {
            "debian/changelog": r"^boscage \(([\d.]+)-",
            "vcpkg/boscage/vcpkg.json": r'"version": "([\d.]+)"',
            "conan/conanfile.py": r'    version = "([\d.]+)"',
            "conda/meta.yaml": r'set version = "([\d.]+)"',
            "spack/packages/boscage/package.py": r'    version\("([\d.]+)"\)',
            "spack/packages/py_boscage/package.py": r'    version\("([\d.]+)"\)',
        }
        for name, pattern in stated.items():
            self.assertEqual(re.search(pattern, (PACKAGING / name).read_text(), re.M).group(1), VERSION, name)

    def test_debian_names_its_libraries_after_their_soname(self):
        soname = ".".join(VERSION.split(".")[:2] if VERSION.startswith("0.") else VERSION.split(".")[:1])
        names = re.findall(r"^Package: (\S+)", (PACKAGING / "debian" / "control").read_text(), re.M)
        self.assertEqual(names, [f"libboscage{soname}", f"libboscage-io{soname}", "libboscage-dev", "boscage", "python3-boscage"])
        for path in (PACKAGING / "debian").glob("*.install"):
            self.assertIn(path.stem, names)

    def test_options_are_cmake_options_of_the_project(self):
        for path in RECIPES:
            for name in re.findall(r"\bBOSC_[A-Z]\w*", path.read_text()):
                self.assertIn(name, OPTIONS, path)

    def test_files_parse(self):
        for path in PACKAGING.rglob("*.py"):
            ast.parse(path.read_text(), str(path))
        for path in PACKAGING.rglob("*.json"):
            json.loads(path.read_text())

    def test_the_licence_is_stated(self):
        for name in ("vcpkg/boscage/vcpkg.json", "conan/conanfile.py", "conda/meta.yaml", "spack/packages/boscage/package.py",
                     "spack/packages/py_boscage/package.py", "debian/copyright"):
            self.assertIn("Apache-2.0", (PACKAGING / name).read_text(), name)

    def test_what_a_source_archive_leaves_out_is_not_needed(self):
        """The archive of the Python package, and Conan's export, have the folders that CMakeLists.txt reads without tests."""
        listed = re.search(r"sdist.include = \[(.*?)\]", (ROOT / "pyproject.toml").read_text(), re.S).group(1)
        read = {name for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")]
                for name in re.findall(r"\b(src|include|tool|render|demo|third_party|cmake)/", path.read_text())}
        read |= {name for name in re.findall(r"\bexamples/[\w.]+", (ROOT / "cmake" / "bosc_tool.cmake").read_text())}
        read |= {name.replace(".c", ".h") for name in read if name.startswith("examples/")}
        self.assertIn("examples/frame_world.h", read)
        for name in read:
            self.assertIn(f'"/{name}"', listed)
            self.assertIn(f'"{name}"', (PACKAGING / "conan" / "conanfile.py").read_text())


if __name__ == "__main__":
    unittest.main()
