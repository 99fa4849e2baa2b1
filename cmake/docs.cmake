# The reference of the API: cmake --build … --target docs, from the docstrings of core/, orrery.h and
# pyorrery, with the pages of docs/.
find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/Doxyfile.in ${PROJECT_BINARY_DIR}/docs/Doxyfile @ONLY)
  add_custom_target(docs COMMAND ${DOXYGEN_EXECUTABLE} ${PROJECT_BINARY_DIR}/docs/Doxyfile
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM
                    COMMENT "Writing ${PROJECT_BINARY_DIR}/docs/html/index.html")
else()
  add_custom_target(docs COMMAND ${CMAKE_COMMAND} -E echo "The reference needs Doxygen: apt install doxygen, then configure again"
                    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
