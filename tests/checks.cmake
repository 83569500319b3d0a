# Tests of the project itself, beside those of the library's answers, and what every test's environment needs.
find_program(BOSC_PYTHON3 python3 PATHS /usr/bin NO_DEFAULT_PATH)

if(NOT BOSC_SANITIZE AND NOT BOSC_EMULATOR)
  add_test(NAME headers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/headers.sh ${PROJECT_SOURCE_DIR}/include)
  if(BOSC_PYTHON3)
    add_test(NAME layers COMMAND ${BOSC_PYTHON3} ${PROJECT_SOURCE_DIR}/tools/check-layers)
    add_test(NAME layers_finds_violations COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/check_layers_test.py)
  endif()
endif()

# The installed libraries (label package: also run where kernels are compiled but no device is there).
if(NOT BOSC_SANITIZE AND NOT BOSC_EMULATOR)
  set(headers ${PROJECT_SOURCE_DIR}/include/boscage)
  add_test(NAME symbols COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/symbols.sh $<TARGET_FILE:boscage> ""
    ${headers}/base.h ${headers}/context.h)
  add_test(NAME install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(symbols install PROPERTIES LABELS package)
endif()

# Sanitizers find planted bugs, or their silence means nothing.
if(BOSC_SANITIZE)
  add_executable(planted planted.c)
  target_link_libraries(planted PRIVATE bosc_options)
  if(BOSC_SANITIZE MATCHES "thread")
    set(bugs race)
    set(report_race "ThreadSanitizer: data race")
    add_test(NAME planted_barrier COMMAND planted barrier)
  else()
    set(bugs overflow leak undefined)
    set(report_overflow "AddressSanitizer: heap-buffer-overflow")
    set(report_leak "LeakSanitizer: detected memory leaks")
    set(report_undefined "signed integer overflow")
  endif()
  foreach(bug IN LISTS bugs)
    add_test(NAME planted_${bug} COMMAND planted ${bug})
    set_tests_properties(planted_${bug} PROPERTIES PASS_REGULAR_EXPRESSION "${report_${bug}}")
  endforeach()
endif()

# Environments of sanitizers. ThreadSanitizer understands OpenMP's barriers through Archer, which clang's runtime
# loads, and must not judge that runtime itself.
set(environment "UBSAN_OPTIONS=print_stacktrace=1")
if(BOSC_SANITIZE MATCHES "thread")
  file(GLOB archer /usr/lib/llvm-*/lib/libarcher.so)
  if(NOT archer)
    message(FATAL_ERROR "ThreadSanitizer needs libarcher.so (libomp-dev), or OpenMP's barriers look like races")
  endif()
  list(POP_BACK archer archer)
  list(APPEND environment "TSAN_OPTIONS=ignore_noninstrumented_modules=1" "OMP_TOOL_LIBRARIES=${archer}")
endif()
get_property(tests DIRECTORY PROPERTY TESTS)
set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT ${environment})
