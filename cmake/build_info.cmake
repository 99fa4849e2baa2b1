# What a program was built from. Included: orrery_add_build_info(TARGET) gives the target a header
# orrery_build_info.h that is looked at in every build and written only when something changed.
# Run as a script (cmake -P): writes that header.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(orrery_build_info_script "${CMAKE_CURRENT_LIST_FILE}")

  function(orrery_add_build_info target)
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/build_info")
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    add_custom_target(${target}_build_info
      COMMAND ${CMAKE_COMMAND}
        "-DSOURCE=${PROJECT_SOURCE_DIR}"
        "-DHEADER=${folder}/orrery_build_info.h"
        "-DVERSION=${PROJECT_VERSION}"
        "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
        "-DFLAGS=${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} $<JOIN:$<TARGET_PROPERTY:orrery_options,INTERFACE_COMPILE_OPTIONS>, >"
        "-DBUILD_TYPE=${CMAKE_BUILD_TYPE}"
        "-DCPU_LEVEL=${ORRERY_CPU_LEVEL_USED}"
        -P "${orrery_build_info_script}"
      BYPRODUCTS "${folder}/orrery_build_info.h"
      COMMENT "Looking at the commit this is built from"
      VERBATIM)
    add_dependencies(${target} ${target}_build_info)
    target_include_directories(${target} PRIVATE "${folder}")
  endfunction()
  return()
endif()

# 1. The commit, when the source is a git checkout itself and not merely inside one.
set(commit "unknown")
set(dirty "std::nullopt")
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" rev-parse HEAD
                  OUTPUT_VARIABLE head RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  # Without optional locks: a build must not disturb a git command that runs beside it.
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" --no-optional-locks status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE changes RESULT_VARIABLE unknown_changes ERROR_QUIET)
  if(NOT failed)
    set(commit "${head}")
    if(NOT unknown_changes)
      set(dirty "false")
      if(changes)
        set(dirty "true")
      endif()
    endif()
  endif()
endif()

# 2. The rest comes from the configuration.
if(NOT CPU_LEVEL)
  set(CPU_LEVEL "default")
endif()
# Warnings change no code, and every manifest has the flags.
separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")
list(FILTER FLAGS EXCLUDE REGEX "^-W[^,]*$")
list(JOIN FLAGS " " FLAGS)
foreach(variable VERSION COMPILER FLAGS BUILD_TYPE CPU_LEVEL)
  string(REPLACE "\\" "\\\\" ${variable} "${${variable}}")
  string(REPLACE "\"" "\\\"" ${variable} "${${variable}}")
endforeach()

# 3. Written only when it differs, so that nothing is compiled again for nothing.
file(CONFIGURE OUTPUT "${HEADER}" CONTENT [[
#pragma once
#define ORRERY_BUILD_VERSION "@VERSION@"
#define ORRERY_BUILD_COMMIT "@commit@"
#define ORRERY_BUILD_DIRTY @dirty@
#define ORRERY_BUILD_COMPILER "@COMPILER@"
#define ORRERY_BUILD_FLAGS "@FLAGS@"
#define ORRERY_BUILD_TYPE "@BUILD_TYPE@"
#define ORRERY_BUILD_CPU_LEVEL "@CPU_LEVEL@"
]] @ONLY)
