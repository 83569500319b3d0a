# Flags of every target. Answers must be the same bits everywhere: no contraction, no fast math.
add_library(bosc_options INTERFACE)
target_include_directories(bosc_options INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>)
set(bosc_warnings -Wall -Wextra -Wshadow -Wpointer-arith -Wvla -Wno-unknown-pragmas)
target_compile_options(bosc_options INTERFACE
  $<$<COMPILE_LANGUAGE:C>:${bosc_warnings};$<$<BOOL:${BOSC_WERROR}>:-Werror>;-Wstrict-prototypes;-Wmissing-prototypes;-Werror=implicit-function-declaration>
  $<$<COMPILE_LANGUAGE:CXX>:${bosc_warnings}>
  $<$<COMPILE_LANGUAGE:C,CXX>:-ffp-contract=off;-fno-math-errno>)
target_compile_definitions(bosc_options INTERFACE $<$<BOOL:${BOSC_FAULTS}>:BOSC_FAULTS>)
target_link_options(bosc_options INTERFACE -Wl,--as-needed) # nvcc's link names the C++ library, which is not needed
if(BOSC_SANITIZE)
  define_property(TARGET PROPERTY BOSC_OWN_SANITIZERS
    BRIEF_DOCS "Sets its own -fsanitize" FULL_DOCS "The target sets -fsanitize itself, or is not instrumented")
  set(instrument -fsanitize=${BOSC_SANITIZE} -fno-sanitize-recover=all)
  target_compile_options(bosc_options INTERFACE -fno-omit-frame-pointer
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:BOSC_OWN_SANITIZERS>>>:$<$<COMPILE_LANGUAGE:C,CXX>:${instrument}>>)
  target_link_options(bosc_options INTERFACE -fsanitize=${BOSC_SANITIZE})
  target_compile_definitions(bosc_options INTERFACE BI_CALL_STEPS)
endif()

# bosc_sanitize_cheaply(target): checks addresses, shifts, overflow and bounds only. All checks take twice as long to
# compile; level v1 of the hot files, and the steps on the CPU, have them.
function(bosc_sanitize_cheaply target)
  if(BOSC_SANITIZE STREQUAL "address,undefined")
    set_target_properties(${target} PROPERTIES BOSC_OWN_SANITIZERS ON)
    target_compile_options(${target} PRIVATE
      -fsanitize=address,shift,signed-integer-overflow,bounds -fno-sanitize-recover=all
      # calls in place of inlined checks where a function has many: large kernels compile in two thirds of the time
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=asan-instrumentation-with-call-threshold=50>)
  endif()
endfunction()

find_package(OpenMP COMPONENTS C)
if(OpenMP_C_FOUND)
  target_link_libraries(bosc_options INTERFACE OpenMP::OpenMP_C)
else() # what only the clauses of its pragmas use
  target_compile_options(bosc_options INTERFACE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-unused-parameter;-Wno-unused-variable;-Wno-unused-but-set-variable>)
endif()

# xxHash is used as a header: no library to link. The system's copy comes first, as distributions want it.
find_path(XXHASH_INCLUDE_DIR xxhash.h)
if(NOT XXHASH_INCLUDE_DIR)
  set(XXHASH_INCLUDE_DIR ${PROJECT_SOURCE_DIR}/third_party/xxhash)
endif()
target_include_directories(bosc_options SYSTEM INTERFACE $<BUILD_INTERFACE:${XXHASH_INCLUDE_DIR}>)

# libFuzzer is clang's: its builds count the edges that an input reaches.
set(BOSC_LIBFUZZER OFF)
set(bosc_fuzz_options "")
if(BOSC_FUZZ AND CMAKE_C_COMPILER_ID MATCHES "Clang")
  set(BOSC_LIBFUZZER ON)
  set(bosc_fuzz_options -fsanitize=fuzzer-no-link)
endif()

if(NOT BOSC_CPU_LEVEL MATCHES "^[134]$")
  message(FATAL_ERROR "BOSC_CPU_LEVEL is ${BOSC_CPU_LEVEL}; it must be 1, 3 or 4")
endif()
target_compile_definitions(bosc_options INTERFACE BI_LAST_LEVEL=${BOSC_CPU_LEVEL})
if(BOSC_TUNED_LEVEL GREATER BOSC_CPU_LEVEL)
  target_compile_definitions(bosc_options INTERFACE BI_CALL_STEPS)
endif()

# For code of tests that takes longer to compile than to run, in builds without sanitizers: gcc then compiles it in a
# third to a half of the time.
set(bosc_compile_quickly "")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT BOSC_SANITIZE)
  set(bosc_compile_quickly $<$<CONFIG:RelWithDebInfo>:-Og>)
endif()

# bosc_use_pool(target): its parallel regions run on the library's own threads (src/base/pool.h).
function(bosc_use_pool target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-include$<SEMICOLON>${PROJECT_SOURCE_DIR}/src/base/pool_names.h>)
endfunction()

# bosc_add_hot_sources(target file...): compiles CPU hot files (*_hot.c) once for each level up to BOSC_CPU_LEVEL, with
# BI_LEVEL set, into libraries of objects that it lists in <target>_hot_objects.
function(bosc_add_hot_sources target)
  set(levels 1)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(levels 1 3 4)
    list(FILTER levels INCLUDE REGEX "[1-${BOSC_CPU_LEVEL}]")
  endif()
  set(objects "")
  foreach(level IN LISTS levels)
    add_library(${target}_v${level} OBJECT ${ARGN})
    target_link_libraries(${target}_v${level} PRIVATE bosc_options)
    if(target STREQUAL "boscage_objects")
      bosc_use_pool(${target}_v${level})
    endif()
    target_compile_definitions(${target}_v${level} PRIVATE BI_LEVEL=${level})
    if(level LESS BOSC_TUNED_LEVEL)
      # Levels below one that is tuned never run unless they are requested.
      set(quick -O1)
      if(BOSC_TUNED_LEVEL LESS_EQUAL BOSC_CPU_LEVEL)
        set(quick -O0)
      endif()
      target_compile_options(${target}_v${level} PRIVATE $<$<CONFIG:Release>:${quick}> ${bosc_compile_quickly})
      target_compile_definitions(${target}_v${level} PRIVATE BI_CALL_STEPS)
    else() # loops are written to become vectors, which gcc 12 makes of few loops at -O2
      target_compile_options(${target}_v${level} PRIVATE $<$<CONFIG:Release>:-O3>)
    endif()
    # Levels that no test under sanitizers calls are not instrumented, which would take minutes. Under MemorySanitizer
    # all levels are instrumented, since contexts choose the machine's best, and optimised: in code of -O0 it also
    # checks the lanes that a mask clears after movmskps.
    if((BOSC_SANITIZE MATCHES "address|thread" AND level EQUAL 3) OR (BOSC_LIBFUZZER AND level GREATER 1))
      set_target_properties(${target}_v${level} PROPERTIES BOSC_OWN_SANITIZERS ON)
      target_compile_options(${target}_v${level} PRIVATE -O0)
    elseif(level EQUAL 4 OR BOSC_LIBFUZZER)
      bosc_sanitize_cheaply(${target}_v${level})
    endif()
    if(level GREATER 1)
      target_compile_options(${target}_v${level} PRIVATE -march=x86-64-v${level})
    endif()
    if(level EQUAL 4 AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target}_v${level} PRIVATE -mprefer-vector-width=512)
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${target}_v${level}>)
  endforeach()
  set(${target}_hot_objects ${objects} PARENT_SCOPE)
endfunction()
