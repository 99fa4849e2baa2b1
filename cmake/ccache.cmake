# Compiled once is compiled: where ccache is installed, an object that one clone compiled is found by every other one,
# whatever the names of their folders.
find_program(CCACHE ccache)
if(NOT CCACHE OR CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
# Paths below the source become relative to the folder that is compiled in, which itself does not count. Precompiled
# headers need the rest: __TIME__ is used nowhere, and a clone's files are as old as the clone.
set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
# Where it may not write, ccache compiles nothing.
file(WRITE ${PROJECT_BINARY_DIR}/ccache/tried.cpp "")
execute_process(COMMAND ${launcher} ${CMAKE_CXX_COMPILER} -c tried.cpp -o tried.o
                WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/ccache
                RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE reason)
if(failed)
  message(STATUS "Compiling without ccache: ${reason}")
  return()
endif()
set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
# Catch2 writes __FILE__ into objects. Messages then name files from the root of the source.
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
