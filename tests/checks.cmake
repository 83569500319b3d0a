# Tests of the project itself, beside those of the library's answers.
find_program(BOSC_PYTHON3 python3 PATHS /usr/bin NO_DEFAULT_PATH)

if(NOT BOSC_SANITIZE)
  add_test(NAME headers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/project/headers.sh ${PROJECT_SOURCE_DIR}/include)
  if(BOSC_PYTHON3)
    add_test(NAME layers COMMAND ${BOSC_PYTHON3} ${PROJECT_SOURCE_DIR}/tools/check-layers)
    if(BOSC_EMULATOR) # objects of the kernels too
      add_test(NAME circles COMMAND ${BOSC_PYTHON3} ${PROJECT_SOURCE_DIR}/tools/check-layers --circles ${PROJECT_BINARY_DIR})
    endif()
    add_test(NAME layers_finds_violations COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/check_layers_test.py)
    add_test(NAME words_finds_defects COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/check_words_test.py)
    add_test(NAME documents COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/docs_test.py)
    if(TARGET boscage_tool)
      add_test(NAME help_agrees COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/help_test.py)
      add_test(NAME completion COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/completion_test.py)
      add_test(NAME help_examples COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/examples_test.py)
      set_tests_properties(documents help_agrees help_examples completion PROPERTIES ENVIRONMENT "BOSCAGE=$<TARGET_FILE:boscage_tool>")
    endif()
    add_test(NAME reference COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/reference_test.py)
    add_test(NAME dev_counts COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/dev_test.py)
    add_test(NAME mutate_judges COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/project/mutate_test.py)
  endif()
endif()

# Answers against other libraries.
if(BOSC_PYTHON3 AND TARGET boscage_tool AND NOT BOSC_SANITIZE)
  add_test(NAME forest_oracle COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/oracles/forest_oracle.py $<TARGET_FILE:boscage> 400)
  add_test(NAME graph_files_oracle
    COMMAND ${BOSC_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/oracles/graph_files_oracle.py $<TARGET_FILE:boscage_tool>)
  set_tests_properties(forest_oracle graph_files_oracle PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT "OMP_WAIT_POLICY=passive")
endif()

# The installed libraries (label package: also run where kernels are compiled but no device is there).
if(NOT BOSC_SANITIZE)
  set(headers ${PROJECT_SOURCE_DIR}/include/boscage)
  file(GLOB core_headers CONFIGURE_DEPENDS ${headers}/*.h ${headers}/device/*.h
    ${headers}/ranks/*.h)
  list(REMOVE_ITEM core_headers ${headers}/io.h ${headers}/mpi.h)
  add_test(NAME symbols COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/project/symbols.sh $<TARGET_FILE:boscage> ""
    ${core_headers})
  if(TARGET boscage_io)
    add_test(NAME symbols_io COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/project/symbols.sh $<TARGET_FILE:boscage_io>
      "libboscage.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} libpng16.so.16 libz.so.1 libtiff.so.5 libtiff.so.6 libjansson.so.4 libzstd.so.1" ${headers}/io.h)
    set_tests_properties(symbols_io PROPERTIES LABELS package)
  endif()
  if(TARGET boscage_mpi)
    add_test(NAME symbols_mpi COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/project/symbols.sh $<TARGET_FILE:boscage_mpi>
      "libmpi.so.40 libmpi.so.12" ${headers}/mpi.h)
    set_tests_properties(symbols_mpi PROPERTIES LABELS package)
  endif()
  add_test(NAME install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/project/install.sh ${PROJECT_BINARY_DIR} ${CMAKE_GENERATOR})
  set_tests_properties(symbols install PROPERTIES LABELS package)
endif()

# The tool is given out under a licence that the GPL's of libjbig does not go with.
if(TARGET boscage_tool)
  add_test(NAME no_jbig COMMAND grep -q "JBIG-KIT" $<TARGET_FILE:boscage_tool>)
  set_tests_properties(no_jbig PROPERTIES WILL_FAIL TRUE)
endif()

# Sanitizers find planted bugs, or their silence means nothing.
if(BOSC_SANITIZE)
  add_executable(planted support/planted.c)
  target_link_libraries(planted PRIVATE bosc_options)
  if(BOSC_SANITIZE MATCHES "thread")
    set(bugs race)
    set(report_race "ThreadSanitizer: data race")
    add_test(NAME planted_barrier COMMAND planted barrier)
  elseif(BOSC_SANITIZE MATCHES "memory")
    set(bugs unwritten)
    set(report_unwritten "MemorySanitizer: use-of-uninitialized-value")
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
