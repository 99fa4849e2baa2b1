# What `cmake --install` puts where: the two programs (beside their targets), the data, and the core as
# a library that others reach with find_package(orrery) and orrery::core. The components are packages:
# programs, development, python (cmake/packages/packages.cmake).
include(CMakePackageConfigHelpers)

install(DIRECTORY assets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery OPTIONAL)

install(FILES LICENSE assets/licenses.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/orrery)
set_target_properties(orrery_core PROPERTIES EXPORT_NAME core)
set_target_properties(orrery_params PROPERTIES EXPORT_NAME params)
set_target_properties(orrery_plugin PROPERTIES EXPORT_NAME plugin)
set(exported orrery_core orrery_params orrery_options)
if(ORRERY_C)  # code for shared libraries
  list(APPEND exported orrery_plugin)
endif()
set_target_properties(orrery_options PROPERTIES EXPORT_NAME options)
install(TARGETS ${exported} EXPORT orrery
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_INCLUDEDIR}/orrery)
install(DIRECTORY core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery COMPONENT development
        FILES_MATCHING PATTERN "*.h")
# <orrery/all.h>, <orrery/plugin.h>, and <orrery/version.h>, whose macros say whether something is there.
file(CONFIGURE OUTPUT include/orrery/version.h @ONLY CONTENT [[
#pragma once

#define ORRERY_VERSION_MAJOR @PROJECT_VERSION_MAJOR@
#define ORRERY_VERSION_MINOR @PROJECT_VERSION_MINOR@
#define ORRERY_VERSION_PATCH @PROJECT_VERSION_PATCH@
/// ORRERY_VERSION >= ORRERY_VERSION_NUMBER(0, 2, 0)
#define ORRERY_VERSION_NUMBER(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))
#define ORRERY_VERSION \
  ORRERY_VERSION_NUMBER(ORRERY_VERSION_MAJOR, ORRERY_VERSION_MINOR, ORRERY_VERSION_PATCH)
]])
file(CONFIGURE OUTPUT include/orrery/all.h @ONLY CONTENT [[
#pragma once

// What most programs need of the library. Whoever waits for compilers includes single headers.

#include <orrery/version.h>

#include <core/analysis/decay.h>
#include <core/attention/head.h>
#include <core/attention/linear_attention.h>
#include <core/attention/mask.h>
#include <core/attention/multi_head.h>
#include <core/encodings/alibi.h>
#include <core/encodings/catalogue.h>
#include <core/encodings/rope.h>
#include <core/encodings/rope_convention.h>
]])
file(CONFIGURE OUTPUT include/orrery/plugin.h @ONLY CONTENT [[
#pragma once

// What an encoding of one's own needs, as a plug-in or within a program.

#include <core/attention/content.h>
#include <core/attention/logit_factors.h>
#include <core/encodings/plugin.h>
#include <core/encodings/relative_index.h>
]])
install(FILES ${PROJECT_BINARY_DIR}/include/orrery/version.h ${PROJECT_BINARY_DIR}/include/orrery/all.h
              ${PROJECT_BINARY_DIR}/include/orrery/plugin.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery COMPONENT development)
install(EXPORT orrery NAMESPACE orrery:: FILE orrery-targets.cmake DESTINATION ${package_folder}
        COMPONENT development)

if(ORRERY_C)
  # The C interface by itself, which stands on no package of C++.
  set_target_properties(orrery_c PROPERTIES EXPORT_NAME c)
  install(TARGETS orrery_c EXPORT orrery_c LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          NAMELINK_COMPONENT development)
  install(FILES experiments/c/orrery.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  install(EXPORT orrery_c NAMESPACE orrery:: FILE orrery-c-targets.cmake DESTINATION ${package_folder}
          COMPONENT development)
  file(RELATIVE_PATH to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  file(CONFIGURE OUTPUT orrery.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@to_prefix@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: orrery
Description: @PROJECT_DESCRIPTION@
Version: @PROJECT_VERSION@
Libs: -L${libdir} -lorrery
Cflags: -I${includedir}
]])
  install(FILES ${PROJECT_BINARY_DIR}/orrery.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endif()

# find_package(orrery) gives both targets, find_package(orrery COMPONENTS c) that of C alone.
file(CONFIGURE OUTPUT orrery-config.cmake @ONLY CONTENT [[
include(${CMAKE_CURRENT_LIST_DIR}/orrery-c-targets.cmake OPTIONAL RESULT_VARIABLE orrery_c_FOUND)
if(NOT orrery_FIND_COMPONENTS STREQUAL "c")
  if(NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/orrery-targets.cmake)
    set(orrery_FOUND FALSE)
    set(orrery_NOT_FOUND_MESSAGE "the core in C++ is not in this archive: write COMPONENTS c, or install orrery-dev")
    return()
  endif()
  include(CMakeFindDependencyMacro)
  find_dependency(Eigen3 3.4 NO_MODULE)
  find_dependency(fmt)
  include(${CMAKE_CURRENT_LIST_DIR}/orrery-targets.cmake)
  set(orrery_core_FOUND TRUE)
endif()
]])
write_basic_package_version_file(orrery-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/orrery-config.cmake ${PROJECT_BINARY_DIR}/orrery-config-version.cmake
        DESTINATION ${package_folder} COMPONENT development)
