# How targets are compiled: compiled.txt says it of each.

# Precompiled headers hide a missing #include, so clang-tidy, which .ci/run calls, reads the sources without them.
option(ORRERY_PRECOMPILE "Precompile the headers of libraries" ON)
# Most of the time that a source takes goes into functions of libraries that the source beside it compiles as well: together
# they take half of it. Names in anonymous namespaces are then distinct in a target.
option(ORRERY_UNITE "Compile several sources of a target at once" ON)

# The libraries of precompiled headers: what is included, and the target that is linked for it.
set(orrery_library_std <algorithm> <array> <cmath> <complex> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numbers>
    <optional> <set> <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
set(orrery_library_eigen <Eigen/Dense> Eigen3::Eigen)
set(orrery_library_json <nlohmann/json.hpp> nlohmann_json::nlohmann_json)
set(orrery_library_imgui <imgui.h> PkgConfig::IMGUI)
set(orrery_library_test <catch2/catch.hpp> Catch2::Catch2)

# orrery_precompiled(OUT LIBRARIES LEVEL): the target whose precompiled header holds these, "eigen+json", and what every
# source reads. One for each level: with one of -O3 a source at -O1 takes g++ 12 half as long again, and it crashes the other
# way round.
function(orrery_precompiled out libraries level)
  string(MAKE_C_IDENTIFIER "orrery_precompiled_${level}_${libraries}" name)
  set(${out} ${name} PARENT_SCOPE)
  if(TARGET ${name})
    return()
  endif()
  set(headers ${orrery_library_std})
  set(links orrery_options fmt::fmt)
  string(REPLACE "+" ";" libraries "${libraries}")
  foreach(library ${libraries})
    if(NOT library STREQUAL "-")
      list(GET orrery_library_${library} 0 header)
      list(GET orrery_library_${library} 1 link)
      list(APPEND headers ${header})
      list(APPEND links ${link})
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp CONTENT "" @ONLY)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${links})
  target_precompile_headers(${name} PRIVATE ${headers})
  orrery_optimise(${name} ${level})
  if("eigen" IN_LIST libraries)
    target_compile_definitions(${name} PRIVATE EIGEN_DONT_PARALLELIZE)  # as what links orrery_core
    set_target_properties(${name} PROPERTIES ORRERY_COMPUTES ON)
  endif()
  # What ccache needs to know one precompiled header from another.
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
    target_compile_options(${name} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
if(ORRERY_PRECOMPILE AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  target_compile_options(orrery_options INTERFACE $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>>)
endif()

# Collecting garbage below a gigabyte takes g++ a tenth of its time.
target_compile_options(orrery_options INTERFACE $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>>)

# orrery_optimise(TARGET LEVEL): O3, O1, Og or O0 of a release. Under sanitizers what is not O3 is O0, where clang takes less than
# half the time: it computes little, or is little tested there.
function(orrery_optimise target level)
  if(ORRERY_SANITIZE AND NOT ORRERY_FUZZ AND NOT level STREQUAL "O3")
    target_compile_options(${target} PRIVATE -O0)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-${level}>)
  # g++ takes a precompiled header only for the same target options, and from version 13 on -O1 and -Og lack two of -O3's.
  if(level MATCHES "^O[1g]$" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13
     AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-munroll-only-small-loops;-mvzeroupper>")
  endif()
endfunction()

# orrery_read_row(OUT TABLE NAME): the columns of the row of that name, which is the first of them; empty where there is none.
function(orrery_read_row out table name)
  set(table ${PROJECT_SOURCE_DIR}/${table})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} row REGEX "^${name} ")
  separate_arguments(row UNIX_COMMAND "${row}")
  set(${out} ${row} PARENT_SCOPE)
endfunction()

# orrery_compile_as(TARGET ROW): as ROW of compiled.txt says.
function(orrery_compile_as target row)
  orrery_read_row(line cmake/compiled.txt ${row})
  list(LENGTH line columns)
  if(NOT columns EQUAL 4)
    message(FATAL_ERROR "cmake/compiled.txt does not say how ${row} is compiled: layer, libraries, sources at once, level")
  endif()
  list(POP_FRONT line layer libraries together level)
  orrery_optimise(${target} ${level})
  if(ORRERY_PRECOMPILE)
    orrery_precompiled(precompiled ${libraries} ${level})
    if(libraries MATCHES "eigen")
      target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE)  # as what links orrery_core
    endif()
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
  if(NOT ORRERY_UNITE OR together EQUAL 1)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${together})
  # g++ takes sources that are compiled together for headers.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# orrery_link_first(TARGET LIBRARY...): their objects come before all others. Of a function that several have, a template's or
# an inline one, the linker takes the first: the one that was optimised, where the libraries were.
function(orrery_link_first target)
  set(files "")
  foreach(library ${ARGN})
    list(APPEND files $<TARGET_FILE:${library}>)
  endforeach()
  target_link_options(${target} PRIVATE LINKER:--whole-archive ${files} LINKER:--no-whole-archive)
endfunction()
