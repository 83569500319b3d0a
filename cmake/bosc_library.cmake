# libboscage: one set of objects, linked as the shared library that is installed and as the static one that the
# tests, the tool and the benchmarks use.
file(GLOB_RECURSE bosc_sources CONFIGURE_DEPENDS src/*.c)
list(FILTER bosc_sources EXCLUDE REGEX "/src/io/") # a library of its own
set(bosc_hot_sources ${bosc_sources})
list(FILTER bosc_hot_sources INCLUDE REGEX "_hot\\.c$")
list(FILTER bosc_sources EXCLUDE REGEX "_hot\\.c$")

add_library(boscage_objects OBJECT ${bosc_sources})
target_link_libraries(boscage_objects PUBLIC bosc_options)
if(bosc_hot_sources)
  bosc_add_hot_sources(boscage_objects ${bosc_hot_sources})
endif()
if(BOSC_HAVE_CUDA)
  bosc_add_cuda_sources(boscage_objects)
endif()

# bosc_public_library(target NAME): what every installed library needs: public headers, file name lib<NAME>, and for a
# shared one its SONAME and the map that exports bosc_* and nothing else.
function(bosc_public_library target name)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:bosc_options>)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set(map ${PROJECT_SOURCE_DIR}/cmake/boscage.map)
    target_link_options(${target} PRIVATE -Wl,--version-script=${map})
    set_target_properties(${target} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${map})
  endif()
endfunction()

add_library(boscage SHARED $<TARGET_OBJECTS:boscage_objects> ${boscage_objects_hot_objects})
add_library(boscage_static STATIC $<TARGET_OBJECTS:boscage_objects> ${boscage_objects_hot_objects})
foreach(target boscage boscage_static)
  bosc_public_library(${target} boscage)
  if(BOSC_EMULATOR)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  elseif(BOSC_HAVE_CUDA)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C CUDA_RUNTIME_LIBRARY Static)
    find_package(CUDAToolkit REQUIRED)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:CUDA::cudart_static>)
  endif()
endforeach()
