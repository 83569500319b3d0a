# An overlay port: vcpkg install boscage --overlay-ports=packaging/vcpkg builds the checkout that holds it.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES cuda BOSC_CUDA io BOSC_TOOL)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DBOSC_TESTS=OFF -DBOSC_BENCH=OFF -DBOSC_MPI=OFF -DBOSC_PROJ=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/boscage)
vcpkg_fixup_pkgconfig()
if("io" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES boscage AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/third_party/NOTICES.txt")
