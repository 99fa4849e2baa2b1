# One static library per layer, in the order of layers.txt. A layer is compiled with the headers of the
# layers beneath it and with no others: each target has a folder of links of its own to include from.

# orrery_export_headers(TARGET PATH...): what links TARGET may include "PATH", a file or folder of the
# source tree; so may TARGET itself.
function(orrery_export_headers target)
  set(root ${PROJECT_BINARY_DIR}/include/${target})
  foreach(path ${ARGN})
    cmake_path(GET path PARENT_PATH parent)
    file(MAKE_DIRECTORY ${root}/${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${path} ${root}/${path} SYMBOLIC)
  endforeach()
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}>)
endfunction()

# orrery_layers(OUT TREE): the layers of core, experiments or app, lowest first. Folders within a
# layer are part of it.
function(orrery_layers out tree)
  set(list ${PROJECT_SOURCE_DIR}/cmake/layers.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^${tree}/")
  list(TRANSFORM lines REPLACE "^${tree}/([^/]+).*" "\\1")
  list(REMOVE_DUPLICATES lines)
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

# orrery_add_layer(TREE LAYER BELOW): library orrery_LAYER on top of the target BELOW.
function(orrery_add_layer tree layer below)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${tree}/${layer}/*.cpp)
  set(target orrery_${layer})
  add_library(${target} STATIC ${sources})
  orrery_export_headers(${target} ${tree}/${layer})
  target_link_libraries(${target} PUBLIC ${below} PRIVATE fmt::fmt)
  if(NOT layer STREQUAL "figure")  # it draws every frame
    orrery_compile_for_sanitizers(${target})
  endif()
endfunction()

# orrery_compile_for_sanitizers(TARGET): -O0 under sanitizers, for all that computes little or is little tested there:
# clang takes less than half the time.
function(orrery_compile_for_sanitizers target)
  if(ORRERY_SANITIZE AND NOT ORRERY_FUZZ)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# orrery_compile_lightly(TARGET): -O1 in a release, for layers whose time goes into the disk, into text and into
# Dear ImGui rather than into loops of their own: they compile in two thirds of the time.
function(orrery_compile_lightly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  # g++ takes a precompiled header only for the same target options, and from version 13 on -O1 lacks two of -O3's.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13
     AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-munroll-only-small-loops;-mvzeroupper>")
  endif()
endfunction()
