# The extension of the Python package, boscage._core. The static library is linked into it; BOSC_PYTHON_LIBRARY=boscage
# links the shared one. `pip install .` comes here through scikit-build-core (pyproject.toml), which installs the
# component `python` alone.
if(DEFINED SKBUILD_SABI_COMPONENT AND NOT SKBUILD_SABI_COMPONENT STREQUAL "")
  set(sabi ${SKBUILD_SABI_COMPONENT}) # without it the stable ABI goes off, and nothing says so
endif()
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module ${sabi})
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

file(GLOB bosc_python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cpp)
nanobind_add_module(_core STABLE_ABI FREE_THREADED NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS ${bosc_python_sources})
set(BOSC_PYTHON_LIBRARY boscage_static CACHE STRING "Library of the extension: boscage_static, or boscage where it is installed too")
target_link_libraries(_core PRIVATE ${BOSC_PYTHON_LIBRARY})
target_compile_options(_core PRIVATE -Wall -Wextra -Wshadow $<$<BOOL:${BOSC_WERROR}>:-Werror>)
if(BOSC_SANITIZE)
  target_compile_options(_core PRIVATE -fsanitize=${BOSC_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(_core PRIVATE -fsanitize=${BOSC_SANITIZE})
endif()
if(DEFINED SKBUILD_SABI_VERSION AND NOT SKBUILD_SABI_VERSION STREQUAL "" AND Python_VERSION VERSION_GREATER_EQUAL 3.12)
  get_target_property(suffix _core SUFFIX)
  if(NOT suffix MATCHES "abi3")
    message(FATAL_ERROR "the extension is ${suffix} and not of the stable ABI, which the wheel's name promises")
  endif()
endif()
target_link_options(_core PRIVATE -Wl,--exclude-libs,ALL) # the library's names are nobody else's business
option(BOSC_WHEEL "Link C++'s runtime statically: a wheel then runs beside older ones" OFF)
if(BOSC_WHEEL)
  target_link_options(_core PRIVATE -static-libstdc++) # and not libgcc: gcc 12's archive needs glibc 2.35
endif()
install(TARGETS _core LIBRARY DESTINATION boscage COMPONENT python)
