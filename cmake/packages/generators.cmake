# What the kinds of packages have of their own, read by cpack for each of them.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PRE_BUILD_SCRIPTS ${CPACK_ORRERY_PACKAGES}/debian.cmake)
else()
  # Unpacked, it is one folder that is wherever one likes.
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
  set(CPACK_SET_DESTDIR OFF)
  set(CPACK_PRE_BUILD_SCRIPTS ${CPACK_ORRERY_PACKAGES}/archive.cmake)
endif()
