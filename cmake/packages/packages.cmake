# What `cpack` makes of a build by the preset "package": a .deb of each component, and an archive that brings
# the libraries it needs (xz, as gzip would take 30 MB). cmake/packages/make builds and calls it.

# 1. How a desktop finds Orrery, and what it knows of its files.
if(ORRERY_DESKTOP)
  install(FILES cmake/packages/orrery.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES cmake/packages/orrery.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
  foreach(size 48 128)
    install(FILES cmake/packages/orrery-${size}.png RENAME orrery.png
            DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps)
  endforeach()
  install(FILES cmake/packages/orrery.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)
endif()

# 2. pyorrery over the library of the same release, as pip would have left it. Only packages take it.
if(ORRERY_C)
  set(python_folder lib/python3/dist-packages)
  install(DIRECTORY python/pyorrery DESTINATION ${python_folder} COMPONENT python EXCLUDE_FROM_ALL
          PATTERN __pycache__ EXCLUDE)
  install(FILES python/pyorrery_pytest.py DESTINATION ${python_folder} COMPONENT python EXCLUDE_FROM_ALL)
  file(CONFIGURE OUTPUT pyorrery.dist-info/METADATA @ONLY CONTENT [[
Metadata-Version: 2.1
Name: pyorrery
Version: @PROJECT_VERSION@
Summary: Position encodings of transformers: applied, identified, measured
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy>=1.22
]])
  file(WRITE ${PROJECT_BINARY_DIR}/pyorrery.dist-info/entry_points.txt "[pytest11]\norrery = pyorrery_pytest\n")
  file(WRITE ${PROJECT_BINARY_DIR}/pyorrery.dist-info/INSTALLER "dpkg\n")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/pyorrery.dist-info/
          DESTINATION ${python_folder}/pyorrery-${PROJECT_VERSION}.dist-info COMPONENT python EXCLUDE_FROM_ALL)
endif()

# 3. All packages.
set(CPACK_PACKAGE_NAME orrery)
set(CPACK_PACKAGE_VENDOR Orrery)
set(CPACK_PACKAGE_CONTACT "The Orrery authors <orrery@authors.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "position encodings of transformers: see, measure, compare")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB TXZ)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/packages/generators.cmake)
set(CPACK_PACKAGE_FILE_NAME orrery-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ORRERY_PACKAGES ${PROJECT_SOURCE_DIR}/cmake/packages)
set(CPACK_ORRERY_LIBDIR ${CMAKE_INSTALL_LIBDIR})

# 4. Packages of Debian, whose version names the release: libraries have other versions in the next one.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs development)
if(ORRERY_C)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
cmake_host_system_information(RESULT system QUERY DISTRIB_INFO)
set(release "")
if(system_ID AND system_VERSION_ID)
  string(REPLACE "debian" "deb" release "~${system_ID}${system_VERSION_ID}")
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE "1${release}")
set(full_version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME orrery)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAMS_DESCRIPTION "Every position encoding of the RoFormer paper and its successors: live on a
desktop, measured from a command line, and for other programs as liborrery,
a shared library with a C interface. It works offline.")
# What no file names as a library: fonts, OpenGL, which Dear ImGui opens by itself, and OpenGL without a graphics card.
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "fonts-dejavu-core, libgl1")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "fonts-stix, libegl-mesa0, libgl1-mesa-dri")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME orrery-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "What programs in C are built with that call liborrery, and the core as a
library of C++20 for find_package(orrery).")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "orrery (= ${full_version})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "libeigen3-dev, libfmt-dev")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME orrery-python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "The package pyorrery: encodings applied to arrays of NumPy, mistakes in
models named, experiments run.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "orrery (= ${full_version}), python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-pandas, python3-pytest")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/cmake/packages/python/postinst ${PROJECT_SOURCE_DIR}/cmake/packages/python/prerm)
include(CPack)
