# Rules of `cmake --install`: headers, libraries, the tool, and the files by which other projects find them
# (find_package, pkg-config).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/boscage)
set(BOSC_PRIVATE_LIBS "-lm") # what a link with the static library needs besides
if(OpenMP_C_FOUND)
  string(PREPEND BOSC_PRIVATE_LIBS "-fopenmp ")
  target_link_libraries(boscage_static INTERFACE $<INSTALL_INTERFACE:-fopenmp>)
endif()
if(BOSC_HAVE_CUDA)
  string(PREPEND BOSC_PRIVATE_LIBS "-lcudart_static -ldl -lrt -lpthread ")
  target_link_libraries(boscage_static INTERFACE $<INSTALL_INTERFACE:CUDA::cudart_static>)
endif()

set(targets boscage boscage_static)
set(packages boscage)
if(TARGET boscage_io)
  list(APPEND targets boscage_io)
  list(APPEND packages boscage-io)
  set_target_properties(boscage_io PROPERTIES EXPORT_NAME io)
endif()
if(TARGET boscage_mpi)
  list(APPEND targets boscage_mpi)
  list(APPEND packages boscage-mpi)
  set_target_properties(boscage_mpi PROPERTIES EXPORT_NAME mpi)
endif()
install(TARGETS ${targets} EXPORT boscageTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET boscage_tool)
  install(TARGETS boscage_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(BOSC_SHARE)
  install(FILES ${BOSC_SHARE}/boscage.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${BOSC_SHARE}/boscage.bash RENAME boscage DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${BOSC_SHARE}/boscage.zsh RENAME _boscage DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${BOSC_SHARE}/boscage.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(DIRECTORY include/boscage DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES README.md CHANGELOG.md LICENSE third_party/NOTICES.txt DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT boscageTargets NAMESPACE boscage:: DESTINATION ${package_dir})
configure_package_config_file(cmake/boscageConfig.cmake.in boscageConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(boscageConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/boscageConfig.cmake ${PROJECT_BINARY_DIR}/boscageConfigVersion.cmake
  DESTINATION ${package_dir})

# The .pc files find their prefix from where they lie, so that an installed tree may be moved.
file(RELATIVE_PATH BOSC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" BOSC_UP "${BOSC_UP}")
foreach(package IN LISTS packages)
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The tarball of `cpack -G TGZ`: what `cmake --install` installs, in a folder that may be moved.
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_PACKAGE_FILE_NAME boscage-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_VENDOR "The Boscage authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
include(CPack)
