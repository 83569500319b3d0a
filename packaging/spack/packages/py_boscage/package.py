"""`spack repo add packaging/spack`, then `spack dev-build py-boscage@0.1.0` in a checkout."""

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import depends_on, license, version


class PyBoscage(PythonPackage):
    """The interfaces of scipy.spatial, scikit-learn and pandas over massively parallel data structures."""

    license("Apache-2.0")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("python@3.10:", type=("build", "run"))
    depends_on("py-numpy@1.24:", type=("build", "run"))
    depends_on("py-scikit-build-core@0.11:", type="build")
    depends_on("py-nanobind@2.7:", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("xxhash", type="build")
