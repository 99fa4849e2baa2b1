# Precompiled headers: parsing the standard library, Eigen and Catch2 once instead of in every file.
# They hide a missing #include, so clang-tidy, which .ci/run calls, reads the sources without them.
option(ORRERY_PRECOMPILE "Precompile the headers of libraries" ON)

# orrery_add_precompiled(NAME HEADERS... LINKS TARGETS...): for orrery_precompile.
function(orrery_add_precompiled name)
  cmake_parse_arguments(given "" "" "LINKS" ${ARGN})
  if(NOT ORRERY_PRECOMPILE)
    return()
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp CONTENT "" @ONLY)
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  target_link_libraries(${name} PRIVATE orrery_options ${given_LINKS})
  target_precompile_headers(${name} PRIVATE ${given_UNPARSED_ARGUMENTS})
  # What ccache needs to know one precompiled header from another.
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
    target_compile_options(orrery_options INTERFACE $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>>)
    target_compile_options(${name} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

# orrery_precompile(TARGET NAME)
function(orrery_precompile target name)
  if(ORRERY_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

option(ORRERY_UNITE "Compile eight sources of a target at once" ON)

# orrery_unite(TARGET): most of the time that a source takes goes into functions of libraries that the source beside
# it compiles as well: together they take half of it. Names in anonymous namespaces are then distinct in a target.
function(orrery_unite target)
  if(NOT ORRERY_UNITE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # g++ takes sources that are compiled together for headers.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# orrery_unite_folders(TARGET): the sources of each folder at once, for targets whose folders name things alike.
function(orrery_unite_folders target)
  orrery_unite(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()
