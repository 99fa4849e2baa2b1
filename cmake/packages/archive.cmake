# Makes the folder of the archive run wherever it is unpacked: run by cpack.
file(GLOB program ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/bin/orrery ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/bin/orrery)
cmake_path(GET program PARENT_PATH bin)
cmake_path(GET bin PARENT_PATH root)
set(libraries ${root}/${CPACK_ORRERY_LIBDIR})

# The core in C++ is of this release of Debian and its libraries: those who build upon it take orrery-dev.
file(GLOB of_the_core ${libraries}/*.a ${root}/include/orrery ${libraries}/cmake/orrery/orrery-targets*.cmake)
file(REMOVE_RECURSE ${of_the_core})

file(GLOB programs ${bin}/* ${libraries}/liborrery.so.*.*)
execute_process(COMMAND ${CPACK_ORRERY_PACKAGES}/bundle ${libraries}/orrery ${root}/share/doc/orrery/libraries
                        ${programs} COMMAND_ERROR_IS_FATAL ANY)
