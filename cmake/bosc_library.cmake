# libboscage: one set of objects, linked as the shared library that is installed and as the static one that the tools
# and the benchmarks use. With BOSC_EMULATOR there is a second static library, boscage_emulated, for the tests: the same
# objects, and the CUDA backend compiled for the emulator of CUDA threads.
file(GLOB_RECURSE bosc_sources CONFIGURE_DEPENDS src/*.c)
list(FILTER bosc_sources EXCLUDE REGEX "/src/(io|mpi)/") # libraries of their own
set(bosc_hot_sources ${bosc_sources})
list(FILTER bosc_hot_sources INCLUDE REGEX "_hot\\.c$")
list(FILTER bosc_sources EXCLUDE REGEX "_hot\\.c$")

# Sources that depend on the CUDA backend: the only ones that differ between the two libraries.
set(bosc_backend_sources src/core/handle.c src/core/dispatch.c src/cellgraph/cuda/costs.c
  src/comm/device.c)
list(TRANSFORM bosc_backend_sources PREPEND ${PROJECT_SOURCE_DIR}/)
list(REMOVE_ITEM bosc_sources ${bosc_backend_sources})

add_library(boscage_common OBJECT ${bosc_sources})
add_library(boscage_objects OBJECT ${bosc_backend_sources})
foreach(target boscage_common boscage_objects)
  target_link_libraries(${target} PUBLIC bosc_options)
  bosc_use_pool(${target})
endforeach()
bosc_add_hot_sources(boscage_objects ${bosc_hot_sources})
if(BOSC_HAVE_CUDA)
  bosc_add_cuda_sources(boscage_objects)
endif()
set(bosc_common_objects $<TARGET_OBJECTS:boscage_common> ${boscage_objects_hot_objects})

# bosc_public_library(target NAME): what every installed library needs: public headers, file name lib<NAME>, and for a
# shared one its SONAME and the map that exports bosc_* and nothing else. Before 1.0 a minor version may change the
# interface, so it is part of the SONAME.
function(bosc_public_library target name)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:bosc_options>)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set(map ${PROJECT_SOURCE_DIR}/cmake/boscage.map)
    set(soversion ${PROJECT_VERSION_MAJOR})
    if(soversion EQUAL 0)
      set(soversion 0.${PROJECT_VERSION_MINOR})
    endif()
    target_link_options(${target} PRIVATE -Wl,--version-script=${map} -Wl,-z,nodelete) # its threads outlive dlclose()
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${soversion} LINK_DEPENDS ${map})
  endif()
endfunction()

add_library(boscage SHARED ${bosc_common_objects} $<TARGET_OBJECTS:boscage_objects>)
add_library(boscage_static STATIC ${bosc_common_objects} $<TARGET_OBJECTS:boscage_objects>)
foreach(target boscage boscage_static)
  bosc_public_library(${target} boscage)
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS} m) # dlopen; sqrt, where the compiler does not make it an instruction
  if(BOSC_HAVE_CUDA)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C CUDA_RUNTIME_LIBRARY Static)
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:CUDA::cudart_static>)
  endif()
endforeach()

if(BOSC_EMULATOR)
  add_library(boscage_emulated_objects OBJECT ${bosc_backend_sources})
  target_link_libraries(boscage_emulated_objects PUBLIC bosc_options)
  bosc_add_emulated_sources(boscage_emulated_objects)
  add_library(boscage_emulated STATIC ${bosc_common_objects} $<TARGET_OBJECTS:boscage_emulated_objects>)
  target_link_libraries(boscage_emulated PUBLIC bosc_options ${CMAKE_DL_LIBS})
endif()
