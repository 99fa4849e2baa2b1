# What `cmake --install` puts where: the two programs (beside their targets), the data, and the core as
# a library that others reach with find_package(orrery) and orrery::core.
include(CMakePackageConfigHelpers)

install(DIRECTORY assets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery OPTIONAL)

install(FILES LICENSE assets/licenses.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)
set_target_properties(orrery_core PROPERTIES EXPORT_NAME core)
set_target_properties(orrery_params PROPERTIES EXPORT_NAME params)
set_target_properties(orrery_options PROPERTIES EXPORT_NAME options)
install(TARGETS orrery_core orrery_params orrery_options EXPORT orrery
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery)
install(DIRECTORY core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery FILES_MATCHING PATTERN "*.h")
install(EXPORT orrery NAMESPACE orrery:: FILE orrery-targets.cmake DESTINATION ${package_folder})

file(CONFIGURE OUTPUT orrery-config.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 3.4 NO_MODULE)
find_dependency(fmt)
include(${CMAKE_CURRENT_LIST_DIR}/orrery-targets.cmake)
]])
write_basic_package_version_file(orrery-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/orrery-config.cmake ${PROJECT_BINARY_DIR}/orrery-config-version.cmake
        DESTINATION ${package_folder})
