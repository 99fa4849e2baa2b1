# What makes a defect in reading other people's files end the program instead of running their code. For
# optimised builds of ours alone: it goes neither with the installed library nor into the sanitizers' builds,
# which find more. tests/system/hardening_test.sh reads it back from the programs.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
add_library(orrery_hardening INTERFACE)

set(hardening "")
# Code for a shared library (warnings.cmake) is fit for a program, too.
set(position -fPIE)
if(ORRERY_C)
  set(position "")
endif()
foreach(flag ${position} -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
  string(MAKE_C_IDENTIFIER "ORRERY_HAS${flag}" known)
  set(CMAKE_REQUIRED_FLAGS -Werror)
  check_cxx_compiler_flag(${flag} ${known})
  unset(CMAKE_REQUIRED_FLAGS)
  if(${known})
    list(APPEND hardening ${flag})
  endif()
endforeach()

# Level 3 also knows sizes that are computed; where the C library has 2 alone, it warns of 3. Some systems
# define it by themselves.
foreach(level 3 2)
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
  check_cxx_source_compiles("#include <cstring>\nint main() {}" ORRERY_HAS_FORTIFY_${level})
  unset(CMAKE_REQUIRED_FLAGS)
  if(ORRERY_HAS_FORTIFY_${level})
    list(APPEND hardening -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
    break()
  endif()
endforeach()

set(optimised "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
if(ORRERY_SANITIZE OR ORRERY_SANITIZE_THREADS OR ORRERY_FUZZ)
  set(optimised 0)
endif()
target_compile_options(orrery_hardening INTERFACE "$<${optimised}:${hardening}>")
target_link_options(orrery_hardening INTERFACE "$<$<AND:$<BOOL:${optimised}>,$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>>:-pie>;$<${optimised}:LINKER:-z,relro;LINKER:-z,now;LINKER:-z,noexecstack>")
