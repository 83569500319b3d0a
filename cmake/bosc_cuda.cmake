# The CUDA backend: with nvcc where it is found, else left out. The emulator of CUDA threads is beside it, for tests.
set(BOSC_HAVE_CUDA OFF)
if(BOSC_EMULATOR)
  enable_language(CXX)
endif()
if(NOT BOSC_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # Without a request, of CMake's variable or of CUDAARCHS: all generations, and PTX for later ones.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND "$ENV{CUDAARCHS}" STREQUAL "")
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
    endif()
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 17)
    set(BOSC_HAVE_CUDA ON)
  elseif(BOSC_CUDA STREQUAL "ON")
    message(FATAL_ERROR "BOSC_CUDA is ON but no CUDA compiler was found")
  endif()
endif()
if(BOSC_HAVE_CUDA AND BOSC_EMULATOR)
  message(FATAL_ERROR "BOSC_EMULATOR is for builds without nvcc: set BOSC_CUDA to OFF")
endif()

file(GLOB_RECURSE bosc_cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cu)

# bosc_add_cuda_sources(target): the .cu files of all rooms, by nvcc.
function(bosc_add_cuda_sources target)
  target_compile_definitions(${target} PRIVATE BOSC_HAVE_CUDA)
  target_sources(${target} PRIVATE ${bosc_cuda_sources})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;-Xcompiler=-ffp-contract=off,-fno-exceptions,-fno-rtti,-fno-threadsafe-statics>")
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static LINKER_LANGUAGE C)
endfunction()

# bosc_add_emulated_sources(target): the same as C++, with the emulator; the CPU's collectives stand in for the wrappers
# of CUB.
function(bosc_add_emulated_sources target)
  set(sources ${bosc_cuda_sources})
  list(FILTER sources EXCLUDE REGEX "/cub_[^/]*\\.cu$")
  file(GLOB emulator CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/emulator/*.cpp)
  set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
  # Kernels of many variants, which take more than half of the time of compiling all. Others are not listed, as they would
  # run up to 1.7 times as long.
  set(variants ${sources})
  list(FILTER variants INCLUDE REGEX
    "/kdtree/cuda/search/(query|extent)_[fi][^/]*$|/kdtree/cuda/sampled/(resolve|subtree)_[^/]*$|/hash/cuda/(build|fill|order|partition)[^/]*$")
  set_source_files_properties(${variants} TARGET_DIRECTORY ${target} PROPERTIES
    COMPILE_OPTIONS "-x;c++;${bosc_compile_quickly}")
  if(NOT BOSC_SANITIZE) # runs much more often than it is compiled
    set_source_files_properties(${emulator} TARGET_DIRECTORY ${target} PROPERTIES
      COMPILE_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O2>)
  endif()
  if(CMAKE_C_FLAGS MATCHES "--coverage") # steps, of which some are CUDA's alone; kernels would take long unoptimised
    set(steps ${sources})
    list(FILTER steps INCLUDE REGEX "/(table|steps)\\.cu$")
    set_source_files_properties(${steps} TARGET_DIRECTORY ${target} PROPERTIES
      COMPILE_OPTIONS "-x;c++;--coverage;-O0;-DBI_ONE_COPY")
  endif()
  target_sources(${target} PRIVATE ${sources} ${emulator})
  target_compile_definitions(${target} PRIVATE BOSC_HAVE_CUDA BI_EMULATE BI_CALL_STEPS)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/emulator)
  target_compile_features(${target} PRIVATE cxx_std_17)
  bosc_sanitize_cheaply(${target})
  if(BOSC_SANITIZE MATCHES thread) # the emulator says itself what orders its threads
    set_source_files_properties(${emulator} TARGET_DIRECTORY ${target} PROPERTIES
      COMPILE_OPTIONS "-fno-sanitize=thread" COMPILE_DEFINITIONS EMULATOR_TSAN)
  endif()
endfunction()
