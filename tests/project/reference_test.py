"""The reference made from the headers has every public function, each with a comment; functions with arrays state their
cost."""
import importlib.machinery
import importlib.util
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def load():
    loader = importlib.machinery.SourceFileLoader("make_reference", str(ROOT / "tools" / "make-reference"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_reference", loader))
    loader.exec_module(module)
    return module


REFERENCE = load()
FUNCTIONS = [(name, e) for name, _, entries in REFERENCE.headers() for e in entries if e.function]


class Reference(unittest.TestCase):
    def test_every_public_function_is_found(self):
        found = {e.name for _, e in FUNCTIONS if e.public}
        declared = set()
        for path in (ROOT / "include").rglob("*.h"):
            declared |= set(re.findall(r"^BOSC_API[^;(]*?(\w+)\(", path.read_text(), re.M))
        self.assertGreater(len(declared), 100)
        self.assertEqual(declared, found)

    def test_every_function_has_a_comment(self):
        self.assertEqual([f"{name}: {e.name}" for name, e in FUNCTIONS if e.public and not e.comment], [])

    def test_calls_with_arrays_say_what_they_cost(self):
        silent = [f"{name}: {e.name} ({', '.join(p.name for p in e.arrays())})" for name, e in FUNCTIONS
                  if e.public and e.arrays() and not e.label("Cost")]
        self.assertEqual(silent, [])

    def test_arrays_are_told_from_results(self):
        knn = next(e for _, e in FUNCTIONS if e.name == "bosc_kdtree_knn")
        self.assertEqual([p.name for p in knn.arrays()], ["queries", "ids", "dist2"])
        verify = next(e for _, e in FUNCTIONS if e.name == "bosc_kdtree_verify")
        self.assertEqual(verify.arrays(), [])

    def test_pages_have_the_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            REFERENCE.write(pathlib.Path(folder))
            text = "".join(page.read_text() for page in pathlib.Path(folder).glob("*.md"))
        for _, e in FUNCTIONS:
            self.assertIn(f"\n## {e.name}\n", text)

    def test_continued_lines_are_no_code(self):
        with tempfile.TemporaryDirectory() as folder:
            REFERENCE.write(pathlib.Path(folder))
            pages = {p.name: re.sub(r"(?ms)^```.*?^```", "", p.read_text()) for p in pathlib.Path(folder).glob("*.md")}
        found = [f"{name}: {line}" for name, text in pages.items()
                 for line in re.findall(r"(?m)^(?:\*\*|`|Sources:).*\n    .*", text)]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
