# libboscage_io and the command-line tool. The tool, as the tests, takes static libraries where the machine has them, so
# that it runs where only the C library is installed; without BOSC_STATIC, as in a distribution's packages, shared ones.
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(TIFF 4.5 REQUIRED) # whose messages need no global handler
find_package(PkgConfig)
find_package(Threads REQUIRED)

# bosc_find_static(variable file shared): the static library `file`, or else `shared`.
function(bosc_find_static variable file shared)
  if(BOSC_STATIC)
    find_library(${variable} NAMES ${file} NO_CACHE)
  endif()
  if(NOT ${variable})
    set(${variable} ${shared})
  endif()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()
bosc_find_static(BOSC_PNG_STATIC libpng.a PNG::PNG)
bosc_find_static(BOSC_ZLIB_STATIC libz.a ZLIB::ZLIB)
bosc_find_static(BOSC_JANSSON libjansson.a jansson)
find_path(ZSTD_INCLUDE_DIR zstd_errors.h) # optional: .zst files are refused without it
find_library(BOSC_ZSTD zstd)
set(BOSC_ZSTD_STATIC "")
if(ZSTD_INCLUDE_DIR AND BOSC_ZSTD)
  bosc_find_static(BOSC_ZSTD_STATIC libzstd.a ${BOSC_ZSTD})
endif()
# PROJ is opened at run time, by the SONAME of the library whose header the build has: other commands do not load it.
set(BOSC_PROJ_FILE "")
if(NOT BOSC_PROJ STREQUAL "OFF")
  find_path(PROJ_INCLUDE_DIR proj.h)
  find_library(PROJ_LIBRARY proj)
  if(PROJ_INCLUDE_DIR AND PROJ_LIBRARY AND CMAKE_OBJDUMP)
    file(STRINGS ${PROJ_INCLUDE_DIR}/proj.h version REGEX "define PROJ_VERSION_MAJOR")
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${PROJ_LIBRARY} OUTPUT_VARIABLE headers ERROR_QUIET)
    if(version MATCHES "MAJOR +([0-9]+)" AND CMAKE_MATCH_1 GREATER_EQUAL 7 AND headers MATCHES "SONAME +([^ \n]+)")
      set(BOSC_PROJ_FILE ${CMAKE_MATCH_1})
    endif()
  endif()
  if(BOSC_PROJ STREQUAL "ON" AND NOT BOSC_PROJ_FILE)
    message(FATAL_ERROR "BOSC_PROJ: the shared library or the header of PROJ 7 or newer, or objdump, is not found")
  endif()
endif()
find_path(JANSSON_INCLUDE_DIR jansson.h REQUIRED)

# libtiff's archive needs the archives of its compressions (one is C++); if any is missing, the shared library is used.
# JBIG's archive is under the GPL: a stand-in replaces it, so that programs with libtiff's archive contain none of it.
set(BOSC_TIFF_STATIC "")
foreach(name tiff webp zstd lzma Lerc jpeg deflate)
  find_library(archive NAMES lib${name}.a NO_CACHE)
  if(archive)
    list(APPEND BOSC_TIFF_STATIC ${archive})
  endif()
  unset(archive)
endforeach()
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libstdc++.a
  OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
list(LENGTH BOSC_TIFF_STATIC found)
add_library(bosc_no_jbig STATIC src/io/stand_in/jbig.c)
set(BOSC_TIFF_STATIC_CXX ${BOSC_TIFF_STATIC} bosc_no_jbig Threads::Threads) # for programs that are linked as C++
if(BOSC_STATIC AND found EQUAL 7 AND IS_ABSOLUTE "${archive}")
  list(APPEND BOSC_TIFF_STATIC bosc_no_jbig ${archive} -static-libgcc Threads::Threads)
else()
  set(BOSC_TIFF_STATIC TIFF::TIFF)
  set(BOSC_TIFF_STATIC_CXX TIFF::TIFF)
endif()

file(GLOB_RECURSE bosc_io_sources CONFIGURE_DEPENDS src/io/*.c)
list(FILTER bosc_io_sources EXCLUDE REGEX "/stand_in/")
add_library(boscage_io_objects OBJECT ${bosc_io_sources})
target_link_libraries(boscage_io_objects PRIVATE bosc_options)
bosc_use_pool(boscage_io_objects)
target_include_directories(boscage_io_objects SYSTEM PRIVATE ${ZLIB_INCLUDE_DIRS} ${PNG_INCLUDE_DIRS} ${TIFF_INCLUDE_DIRS} ${JANSSON_INCLUDE_DIR})
if(BOSC_ZSTD_STATIC)
  target_compile_definitions(boscage_io_objects PRIVATE BOSC_HAVE_ZSTD)
  target_include_directories(boscage_io_objects SYSTEM PRIVATE ${ZSTD_INCLUDE_DIR})
endif()
if(BOSC_PROJ_FILE)
  target_compile_definitions(boscage_io_objects PRIVATE BOSC_HAVE_PROJ "BOSC_PROJ_FILE=\"${BOSC_PROJ_FILE}\"")
  target_include_directories(boscage_io_objects SYSTEM PRIVATE ${PROJ_INCLUDE_DIR})
endif()

add_library(boscage_io SHARED $<TARGET_OBJECTS:boscage_io_objects>)
add_library(boscage_io_static STATIC $<TARGET_OBJECTS:boscage_io_objects>)
bosc_public_library(boscage_io boscage_io)
bosc_public_library(boscage_io_static boscage_io)
target_link_libraries(boscage_io PUBLIC boscage PRIVATE $<BUILD_INTERFACE:PNG::PNG> $<BUILD_INTERFACE:TIFF::TIFF> $<BUILD_INTERFACE:ZLIB::ZLIB>
  $<BUILD_INTERFACE:jansson> ${CMAKE_DL_LIBS} m)
if(BOSC_ZSTD_STATIC)
  target_link_libraries(boscage_io PRIVATE $<BUILD_INTERFACE:${BOSC_ZSTD}>)
endif()
target_link_libraries(boscage_io_static PUBLIC boscage_static ${BOSC_PNG_STATIC} ${BOSC_TIFF_STATIC} ${BOSC_JANSSON}
  ${BOSC_ZLIB_STATIC} ${BOSC_ZSTD_STATIC} ${CMAKE_DL_LIBS} m)
if(BOSC_EMULATOR)
  add_library(boscage_emulated_io STATIC $<TARGET_OBJECTS:boscage_io_objects>)
  target_link_libraries(boscage_emulated_io PUBLIC boscage_emulated ${BOSC_PNG_STATIC} ${BOSC_TIFF_STATIC_CXX}
    ${BOSC_JANSSON} ${BOSC_ZLIB_STATIC} ${BOSC_ZSTD_STATIC} ${CMAKE_DL_LIBS} m)
endif()
target_sources(boscage_io PRIVATE src/base/caller.c src/base/pool.c src/base/threads.c) # libboscage keeps its own to itself
bosc_use_pool(boscage_io)
if(BOSC_FAULTS)
  target_sources(boscage_io PRIVATE src/base/fault.c)
endif()

file(GLOB_RECURSE bosc_tool_sources CONFIGURE_DEPENDS tool/*.c render/*.c demo/*.c)
add_library(boscage_tool_objects OBJECT ${bosc_tool_sources} examples/frame_world.c) # the run that `boscage viewer` records
include(bosc_embed)
bosc_embed(boscage_tool_objects viewer_page ${PROJECT_SOURCE_DIR}/tool/viewer/page.html
  viewer_script ${PROJECT_SOURCE_DIR}/tool/viewer/viewer.js)
target_link_libraries(boscage_tool_objects PRIVATE bosc_options)
bosc_use_pool(boscage_tool_objects)
target_include_directories(boscage_tool_objects PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(boscage_tool_objects SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})
file(RELATIVE_PATH libexec ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBEXECDIR}/boscage)
target_compile_definitions(boscage_tool_objects PRIVATE "BOSC_LIBEXEC=\"${libexec}\"") # the benchmarks, from the tool
add_executable(boscage_tool $<TARGET_OBJECTS:boscage_tool_objects>)
set_target_properties(boscage_tool PROPERTIES OUTPUT_NAME boscage RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(boscage_tool PRIVATE bosc_options boscage_io_static boscage_static m)
target_link_options(boscage_tool PRIVATE -Wl,--as-needed) # what CUDA objects name but do not use
file(RELATIVE_PATH libraries ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}) # where libboscage_mpi is opened
set_target_properties(boscage_tool PROPERTIES BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN/${libraries}")
if(BOSC_EMULATOR) # the tool on the emulated backend, for the tests of --backend cuda
  add_executable(boscage_emulated_tool $<TARGET_OBJECTS:boscage_tool_objects>)
  target_link_libraries(boscage_emulated_tool PRIVATE bosc_options boscage_emulated_io m)
  set_target_properties(boscage_emulated_tool PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME boscage
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/emulated)
endif()

# The manual page and the completion of shells are what the tool says of itself.
if(NOT CMAKE_CROSSCOMPILING AND NOT BOSC_SANITIZE)
  set(BOSC_SHARE ${PROJECT_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${BOSC_SHARE})
  add_custom_command(TARGET boscage_tool POST_BUILD
    COMMAND boscage_tool help --man > ${BOSC_SHARE}/boscage.1
    COMMAND boscage_tool help --completion bash > ${BOSC_SHARE}/boscage.bash
    COMMAND boscage_tool help --completion zsh > ${BOSC_SHARE}/boscage.zsh
    COMMAND boscage_tool help --completion fish > ${BOSC_SHARE}/boscage.fish
    VERBATIM)
endif()

foreach(target boscage_io boscage_tool)
  if(BOSC_HAVE_CUDA)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  endif()
endforeach()

foreach(target boscage_io_objects boscage_objects boscage_common)
  target_compile_options(${target} PRIVATE ${bosc_fuzz_options})
endforeach()
