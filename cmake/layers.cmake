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
  orrery_compile_as(${target} ${tree}/${layer})
endfunction()
