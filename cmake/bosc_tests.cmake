# The environments that sanitizers need. ThreadSanitizer understands OpenMP's barriers through Archer, which clang's
# runtime loads, and must not judge that runtime itself.
set(bosc_environment "UBSAN_OPTIONS=print_stacktrace=1")
if(BOSC_SANITIZE MATCHES "thread")
  file(GLOB archer /usr/lib/llvm-*/lib/libarcher.so)
  if(NOT archer)
    message(FATAL_ERROR "ThreadSanitizer needs libarcher.so (libomp-dev), or OpenMP's barriers look like races")
  endif()
  list(GET archer -1 archer)
  list(APPEND bosc_environment "TSAN_OPTIONS=ignore_noninstrumented_modules=1:allocator_may_return_null=1" "OMP_TOOL_LIBRARIES=${archer}")
endif()

# bosc_set_test_environment(): gives it to all tests of the current folder; stands last in each folder that has tests.
function(bosc_set_test_environment)
  get_property(tests DIRECTORY PROPERTY TESTS)
  if(tests)
    set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT ${bosc_environment})
  endif()
endfunction()
