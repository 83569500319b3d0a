"""Plants violations in a small tree and sees that tools/check-layers finds each, and nothing in a clean tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "check-layers"

CLEAN = {
    "include/boscage/base.h": '#include <stdint.h>\nBOSC_API int bosc_one(void);\n',
    "src/base/bits.h": '#include "base/step.h"\n#include <string.h>\n',
    "src/core/context.c": '#include "core/context.h"\n#include <stdlib.h>\nvoid *f(void) { return malloc(1); }\n',
    "src/core/cuda/simt.cuh": '#include "simt.hpp"\n#include <cuda_runtime.h>\n#define L k<<<1, 1>>>()\n__shared__ int a;\n',
    "src/core/cuda/cub_sort.cu": '#include <cub/cub.cuh>\n',
    "src/kdtree/build.c": '/* malloc() and #pragma omp are not for drivers */\n#include "core/context.h"\n#include "kdtree/tree.h"\n',
    "src/kdtree/steps/build.h": '#include "base/step.h"\n',
    "src/kdtree/cpu/table.c": '#include "core/cpu/level.h"\n#pragma omp parallel\n',
    "src/kdtree/cpu.c": '#include "core/cpu/level.h"\n#pragma omp parallel\n',
    "src/kdtree/cuda.cu": '#include "core/cuda/launch.cuh"\nvoid f() { bi_fail(ctx, 1, "asm: printf(%d)"); }\n',
    "src/io/npy/npy.c": '#include <boscage/io.h>\n#include "base/fault.h"\n#include "io/file.h"\n',
    "python/src/core.hpp": '#include <boscage/boscage.h>\n#include <nanobind/nanobind.h>\n',
    "python/src/hash.cpp": '#include "core.hpp"\n',
    "render/canvas.c": '#include <boscage/io.h>\n#include "render/canvas.h"\n',
    "demo/hash.c": '#include <boscage/io.h>\n#include "demo/report.h"\n#include "render/canvas.h"\n',
    "tool/main.c": '#include <boscage/io.h>\n#include <stdio.h>\n#include "demo/demo.h"\n#include "render/canvas.h"\n#include "tool/args.h"\nint main(void) { printf("hi"); }\n',
}

# file, a line added at its end, a part of the message
PLANTED = [
    ("include/boscage/base.h", '#include <cuda_runtime.h>', "public header"),
    ("include/boscage/base.h", '#include "base/bits.h"', "public header"),
    ("include/boscage/base.h", 'BOSC_API int helper(int x);', "bosc_"),
    ("src/base/bits.h", '#include "core/context.h"', "base may not include"),
    ("src/core/context.c", '#include "kdtree/tree.h"', "core may not include"),
    ("src/core/context.c", '#include "core/cuda/launch.cuh"', "only .cu"),
    ("src/core/context.c", 'void g(void) { abort(); }', "may not print"),
    ("src/core/cuda/cub_sort.cu", '#include "core/cpu/level.h"', "only the CPU's"),
    ("src/kdtree/build.c", '#include "hash/table.h"', "kdtree may not include"),
    ("src/kdtree/build.c", '#include "core/cpu/level.h"', "only the CPU's"),
    ("src/kdtree/build.c", '#include <boscage/io.h>', "know files"),
    ("src/kdtree/build.c", '#pragma omp parallel for', "OpenMP"),
    ("src/kdtree/build.c", 'int n = omp_get_num_threads();', "OpenMP"),
    ("src/kdtree/build.c", 'void *p = malloc(3);', "heap"),
    ("src/kdtree/build.c", 'bool f(void) { return ctx->backend->id == BOSC_BACKEND_CPU; }', "which backend"),
    ("src/kdtree/steps/build.h", 'void *q = malloc(3);', "a step may not allocate"),
    ("src/kdtree/build.c", 'void g(void) { kernel<<<1, 2>>>(); }', "BI_LAUNCH"),
    ("src/kdtree/build.c", 'int f(void) { return printf("x"); }', "may not print"),
    ("src/kdtree/build.c", '#include "tree.h"', "not named from src/"),
    ("src/kdtree/cuda.cu", '#include <cub/device/device_scan.cuh>', "only cub_*.cu"),
    ("src/kdtree/cuda.cu", '__shared__ int tile[32];', "simt.cuh"),
    ("src/kdtree/cuda.cu", 'asm volatile("nop;");', "simt.cuh"),
    ("src/io/npy/npy.c", '#include "core/context.h"', "io may not include"),
    ("python/src/hash.cpp", '#include "hash/hash.h"', "public headers and core.hpp"),
    ("python/src/hash.cpp", 'void *p = malloc(3);', "allocates no memory"),
    ("python/src/hash.cpp", '#pragma omp parallel', "computes nothing"),
    ("render/canvas.c", '#include "tool/tool.h"', "render may not include"),
    ("render/canvas.c", '#include "demo/demo.h"', "render may not include"),
    ("demo/hash.c", '#include "tool/tool.h"', "demo may not include"),
    ("demo/hash.c", '#include "hash/hash.h"', "demo may not include"),
    ("tool/main.c", '#include "core/context.h"', "tool may not include"),
    ("tool/main.c", "\n" * 800, "exceed 800"),
]


class CheckLayers(unittest.TestCase):
    def run_on(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = pathlib.Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, CHECK, root], capture_output=True, text=True)

    def test_a_clean_tree_passes(self):
        done = self.run_on(CLEAN)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_planted_violations_are_found(self):
        for name, line, said in PLANTED:
            with self.subTest(name=name, line=line[:60]):
                done = self.run_on({**CLEAN, name: CLEAN[name] + line + "\n"})
                self.assertEqual(done.returncode, 1, done.stdout)
                at = (CLEAN[name] + line + "\n").count("\n")
                self.assertIn(f"{name}:{at}: ", done.stdout)
                self.assertIn(said, done.stdout)
                self.assertEqual(done.stdout.count("\n"), 1, done.stdout)

    def circles_of(self, sources):
        """What --circles says of a build folder with objects of these sources."""
        with tempfile.TemporaryDirectory() as build:
            for name, text in sources.items():
                path = pathlib.Path(build) / "CMakeFiles/boscage_common.dir" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                subprocess.run(["gcc", "-c", path, "-o", f"{path}.o"], check=True)
            return subprocess.run([sys.executable, CHECK, "--circles", build], capture_output=True, text=True)

    def test_circles_of_files_are_found(self):
        up = {"src/a/x.c": "int y(void); int x(void) { return y(); }", "src/a/y.c": "int y(void) { return 1; }"}
        done = self.circles_of(up)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        done = self.circles_of({**up, "src/a/y.c": "int x(void); int y(void) { return x(); }"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("src/a/x.c needs y of src/a/y.c", done.stdout)
        self.assertIn("src/a/y.c needs x of src/a/x.c", done.stdout)

    def test_without_objects_nothing_is_shown_to_be_clean(self):
        self.assertNotEqual(self.circles_of({}).returncode, 0)


if __name__ == "__main__":
    unittest.main()
