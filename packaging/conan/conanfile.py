"""Conan 2: `conan create packaging/conan --build=missing` builds the checkout that holds it."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rm, rmdir


class Boscage(ConanFile):
    name = "boscage"
    version = "0.1.0"
    description = "Massively parallel data structures, rebuilt from their data in real time"
    license = "Apache-2.0"
    topics = ("k-d tree", "spanning tree", "hash table", "terrain", "CUDA", "OpenMP")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "cuda": [True, False], "io": [True, False]}
    default_options = {"shared": False, "cuda": False, "io": False}
    languages = "C"

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("boscage is for 64-bit Linux on x86-64 and arm64")
        if self.options.io and not self.options.shared:
            raise ConanInvalidConfiguration("boscage/*:io=True needs boscage/*:shared=True: libboscage_io is a shared library")

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for name in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "examples/frame_world.c",
                     "examples/frame_world.h"):
            copy(self, name, root, self.export_sources_folder)
        for folder in ("src", "include", "cmake", "third_party", "tool", "render", "demo"):
            copy(self, "*", os.path.join(root, folder), os.path.join(self.export_sources_folder, folder))

    def requirements(self):
        if self.options.io:
            self.requires("jansson/[>=2.14 <3]")
            self.requires("libpng/[>=1.6 <2]")
            self.requires("libtiff/[>=4.5 <5]")
            self.requires("zlib/[>=1.2.11 <2]")
            self.requires("zstd/[>=1.5 <2]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for name in ("TESTS", "BENCH", "MPI", "PROJ"):
            toolchain.cache_variables[f"BOSC_{name}"] = "OFF"
        toolchain.cache_variables["BOSC_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.cache_variables["BOSC_TOOL"] = "ON" if self.options.io else "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        for name in ("LICENSE", "NOTICES.txt"):
            folder = "third_party" if name == "NOTICES.txt" else ""
            copy(self, name, os.path.join(self.source_folder, folder), os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        libraries = os.path.join(self.package_folder, "lib")
        rm(self, "libboscage.a" if self.options.shared else "libboscage.so*", libraries)
        for folder in ("cmake", "pkgconfig"):  # Conan writes its own
            rmdir(self, os.path.join(libraries, folder))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "boscage")
        self.cpp_info.set_property("pkg_config_name", "boscage")
        core = self.cpp_info.components["boscage"]
        core.set_property("cmake_target_name", "boscage::boscage" if self.options.shared else "boscage::boscage_static")
        core.libs = ["boscage"]
        core.system_libs = ["m", "dl", "pthread"]
        if not self.options.shared:
            core.exelinkflags = core.sharedlinkflags = ["-fopenmp"]
        if self.options.io:
            files = self.cpp_info.components["io"]
            files.set_property("cmake_target_name", "boscage::io")
            files.libs = ["boscage_io"]
            files.requires = ["boscage", "jansson::jansson", "libpng::libpng", "libtiff::libtiff", "zlib::zlib", "zstd::zstd"]
