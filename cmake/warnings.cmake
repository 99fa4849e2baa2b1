# One target that every target of ours links: language level, warnings, CPU level, floating point. Whoever
# links the installed library takes neither warnings nor the CPU level from it.
add_library(orrery_options INTERFACE)
target_compile_features(orrery_options INTERFACE cxx_std_20)
target_link_libraries(orrery_options INTERFACE $<BUILD_INTERFACE:orrery_hardening>)
# Errors only with the compilers of .ci/run: what a newer one warns about must keep nobody from building.
set(errors OFF)
if(ORRERY_WERROR AND "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 14)\\.")
  set(errors ON)
endif()
set(warnings
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wold-style-cast -Wimplicit-fallthrough
  $<$<BOOL:${errors}>:-Werror>
  # g++ 12 reports its own AVX-512 intrinsics: their undefined operands are meant.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>
  # and, out of precompiled headers, bounds of std::string that it misjudges (GCC bug 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-restrict>)
# All layers become part of liborrery, which shows its C interface alone.
set(shared "")
if(ORRERY_C)
  set(shared -fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
endif()
target_compile_options(orrery_options INTERFACE
  "$<BUILD_INTERFACE:${warnings}>"
  "$<BUILD_INTERFACE:${shared}>"
  # Nobody reads errno after sqrt; setting it keeps loops scalar.
  -fno-math-errno
  # A contracted multiply-add changes bits with the CPU level; kernels that want it ask for it.
  -ffp-contract=off)

# The CPU's x86-64 level with generic tuning. -march=native picks a tuning that loses a quarter of the
# speed in GEMM-like loops on g++ 12, and makes binaries that do not move.
function(orrery_detect_cpu_level out)
  set(level "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
    set(level "x86-64")
    if(flags MATCHES " sse4_2 " AND flags MATCHES " popcnt " AND flags MATCHES " ssse3 ")
      set(level "x86-64-v2")
      if(flags MATCHES " avx2 " AND flags MATCHES " fma " AND flags MATCHES " bmi2 " AND flags MATCHES " f16c ")
        set(level "x86-64-v3")
        if(flags MATCHES " avx512f " AND flags MATCHES " avx512bw " AND flags MATCHES " avx512cd "
           AND flags MATCHES " avx512dq " AND flags MATCHES " avx512vl ")
          set(level "x86-64-v4")
        endif()
      endif()
    endif()
  endif()
  set(${out} "${level}" PARENT_SCOPE)
endfunction()

if(ORRERY_CPU_LEVEL STREQUAL "auto")
  orrery_detect_cpu_level(ORRERY_CPU_LEVEL_USED)
elseif(ORRERY_CPU_LEVEL STREQUAL "none")
  set(ORRERY_CPU_LEVEL_USED "")
else()
  set(ORRERY_CPU_LEVEL_USED "${ORRERY_CPU_LEVEL}")
endif()
if(ORRERY_CPU_LEVEL_USED)
  target_compile_options(orrery_options INTERFACE "$<BUILD_INTERFACE:-march=${ORRERY_CPU_LEVEL_USED};-mtune=generic>")
endif()

if(ORRERY_SANITIZE)
  target_compile_options(orrery_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(orrery_options INTERFACE -fsanitize=address,undefined)
endif()

# For tests/threads/run.
if(ORRERY_SANITIZE_THREADS)
  target_compile_options(orrery_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(orrery_options INTERFACE -fsanitize=thread)
endif()

# For tests/fuzz/run: what libFuzzer watches, and checks of the standard library's own. What only computes
# reads nothing, so it is compiled as fast as can be (ORRERY_COMPUTES, set in core/ and experiments/).
if(ORRERY_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ORRERY_FUZZ needs clang, whose libFuzzer it is: -D CMAKE_CXX_COMPILER=clang++-14")
  endif()
  set(computes $<BOOL:$<TARGET_PROPERTY:ORRERY_COMPUTES>>)
  target_compile_options(orrery_options INTERFACE
    "$<IF:${computes},-O0;-fno-sanitize=all,-fsanitize=fuzzer-no-link$<COMMA>float-cast-overflow;-D_GLIBCXX_ASSERTIONS>")
  target_link_options(orrery_options INTERFACE -fsanitize=float-cast-overflow)
endif()
