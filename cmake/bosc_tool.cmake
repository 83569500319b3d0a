# libboscage_io and the command-line tool. The tool, as the tests, takes static libraries where the machine has them, so
# that it runs where only the C library is installed.
find_package(PNG REQUIRED)
find_package(PkgConfig)

# bosc_find_static(variable file shared): the static library `file`, or else `shared`.
function(bosc_find_static variable file shared)
  find_library(${variable} NAMES ${file} NO_CACHE)
  if(NOT ${variable})
    set(${variable} ${shared})
  endif()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()
bosc_find_static(BOSC_PNG_STATIC libpng.a PNG::PNG)
bosc_find_static(BOSC_ZLIB_STATIC libz.a ZLIB::ZLIB)
bosc_find_static(BOSC_JANSSON libjansson.a jansson)
find_path(JANSSON_INCLUDE_DIR jansson.h REQUIRED)

file(GLOB bosc_io_sources CONFIGURE_DEPENDS src/io/*.c)
add_library(boscage_io_objects OBJECT ${bosc_io_sources})
target_link_libraries(boscage_io_objects PRIVATE bosc_options)
target_include_directories(boscage_io_objects SYSTEM PRIVATE ${PNG_INCLUDE_DIRS})

add_library(boscage_io SHARED $<TARGET_OBJECTS:boscage_io_objects>)
add_library(boscage_io_static STATIC $<TARGET_OBJECTS:boscage_io_objects>)
bosc_public_library(boscage_io boscage_io)
bosc_public_library(boscage_io_static boscage_io)
target_link_libraries(boscage_io PUBLIC boscage PRIVATE $<BUILD_INTERFACE:PNG::PNG> m)
target_link_libraries(boscage_io_static PUBLIC boscage_static ${BOSC_PNG_STATIC} ${BOSC_ZLIB_STATIC} m)
if(BOSC_FAULTS)
  target_sources(boscage_io PRIVATE src/base/fault.c) # libboscage keeps its fault points to itself
endif()

file(GLOB bosc_tool_sources CONFIGURE_DEPENDS tool/*.c)
add_executable(boscage_tool ${bosc_tool_sources})
set_target_properties(boscage_tool PROPERTIES OUTPUT_NAME boscage RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_include_directories(boscage_tool PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(boscage_tool SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})
target_link_libraries(boscage_tool PRIVATE bosc_options boscage_io_static boscage_static ${BOSC_JANSSON} m)
target_link_options(boscage_tool PRIVATE -Wl,--as-needed) # what CUDA objects name but do not use

foreach(target boscage_io boscage_tool)
  if(BOSC_EMULATOR)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  elseif(BOSC_HAVE_CUDA)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  endif()
endforeach()

if(BOSC_FUZZ)
  target_compile_options(boscage_io_objects PRIVATE -fsanitize=fuzzer-no-link)
  target_compile_options(boscage_objects PRIVATE -fsanitize=fuzzer-no-link)
endif()
