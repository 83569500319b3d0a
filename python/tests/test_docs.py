"""Examples of docstrings and of the guide are run; stubs and comments are complete."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import pathlib
import pkgutil
import re
import sys

import numpy as np
import pytest
from boscage import _core

import boscage

MODULES = [
    boscage,
    *(
        importlib.import_module(m.name)
        for m in pkgutil.walk_packages(boscage.__path__, "boscage.")
        if not m.name.endswith("._core")
    ),
]
PUBLIC = [m for m in MODULES if not m.__name__.rpartition(".")[2].startswith("_")]
ROOT = pathlib.Path(__file__).parents[2]
PAGES = ["README.md", *(f"docs/guide/{name}.md" for name in ("python", "from-scipy", "from-scikit-learn", "from-cupy", "from-cuml"))]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.fixture(autouse=True)
def printed_as_now():
    with np.printoptions(legacy=False):
        yield


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_docstrings(module):
    result = doctest.testmod(module, optionflags=FLAGS, extraglobs={})
    assert result.failed == 0


@pytest.mark.parametrize("module", PUBLIC, ids=lambda m: m.__name__)
def test_everything_public_is_described(module):
    assert module.__doc__
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if not inspect.isfunction(thing) and not inspect.isclass(thing):
            continue
        if not thing.__module__.startswith("boscage"):
            continue
        assert thing.__doc__, name
        if inspect.isclass(thing) and module.__name__ != "boscage.nx":
            for method, function in vars(thing).items():
                if inspect.isfunction(function) and not method.startswith("_"):
                    assert function.__doc__, f"{name}.{method}"


def test_main_functions_have_examples():
    for module in PUBLIC:
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if (
                inspect.isfunction(thing)
                and thing.__module__ == module.__name__
                and module.__name__ not in ("boscage", "boscage.nx")
            ):
                assert ">>>" in thing.__doc__, f"{module.__name__}.{name}"


def test_stubs_agree_with_the_extension():
    stub = ast.parse((pathlib.Path(boscage.__file__).parent / "_core.pyi").read_text())
    said = {node.name: node for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    there = {name for name in vars(_core) if not name.startswith("_")}
    assert set(said) == there
    for name, node in said.items():
        if isinstance(node, ast.ClassDef):
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            have = {m for m in vars(getattr(_core, name)) if not m.startswith("_")}
            assert methods - {"__init__"} == have, name


@pytest.mark.parametrize("page", [page for page in PAGES if (ROOT / page).exists()])
def test_pages(page, monkeypatch):
    path = ROOT / page
    if importlib.util.find_spec("cupy") is None or not boscage.device_count():
        monkeypatch.setitem(sys.modules, "cupy", np)  # the calls are the same for arrays of NumPy
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(), re.S)
    assert blocks
    names = {}
    for block in blocks:
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
            assert doctest.DocTestRunner(optionflags=FLAGS).run(test, clear_globs=False).failed == 0
            names.update(test.globs)
        else:
            exec(compile(block, page, "exec"), names)
