"""`spack repo add packaging/spack`, then `spack dev-build boscage@0.1.0` in a checkout."""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import conflicts, depends_on, license, maintainers, variant, version


class Boscage(CMakePackage, CudaPackage):
    """Massively parallel data structures, rebuilt from their data in real time."""

    license("Apache-2.0")
    maintainers()

    version("0.1.0")

    variant("io", default=True, description="libboscage_io, which reads and writes files, and the command-line tool")
    variant("mpi", default=False, description="libboscage_mpi: ranks that are MPI processes")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.22:", type="build")
    depends_on("xxhash")
    depends_on("cuda@13:", when="+cuda")
    depends_on("mpi", when="+mpi")
    for library in ("jansson", "libpng", "libtiff@4.5:", "proj@7:", "zlib-api", "zstd"):
        depends_on(library, when="+io")

    conflicts("platform=darwin", msg="boscage is for Linux")
    conflicts("platform=windows", msg="boscage is for Linux")

    def cmake_args(self):
        options = [
            self.define_from_variant("BOSC_CUDA", "cuda"),
            self.define_from_variant("BOSC_MPI", "mpi"),
            self.define_from_variant("BOSC_TOOL", "io"),
            self.define("BOSC_TESTS", False),
            self.define("BOSC_BENCH", False),
            self.define("BOSC_STATIC", False),
        ]
        if self.spec.satisfies("+cuda") and not self.spec.satisfies("cuda_arch=none"):
            options.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return options
