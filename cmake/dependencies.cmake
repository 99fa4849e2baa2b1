# What Orrery stands on: packages of Debian 12 and later, one line each on why.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)  # matrices in the core, and nowhere else
find_package(fmt REQUIRED)                   # locale-independent text of numbers and messages
find_package(nlohmann_json 3.11 REQUIRED)    # manifests, --json
pkg_check_modules(TOMLPP REQUIRED IMPORTED_TARGET tomlplusplus)  # sweep files and presets, with lines and columns in errors
find_package(CLI11 REQUIRED)                 # command lines with help
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-ft cairo-pdf)  # figures to PDF and PNG, text measured for SVG
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)        # PNG in a quarter of the time that Cairo has libpng take
pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)  # which file holds DejaVu Sans
pkg_check_modules(ICU REQUIRED IMPORTED_TARGET icu-uc)       # UTF-8 and word boundaries of every script
pkg_check_modules(ICU_I18N REQUIRED IMPORTED_TARGET icu-i18n)  # regular expressions of tokenizers, with a time limit
# tokenizer.model files. Its pkg-config file names the library that trains as well, and in Debian 13 a package that
# it does not bring.
find_path(SENTENCEPIECE_HEADERS sentencepiece_processor.h REQUIRED)
find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
mark_as_advanced(SENTENCEPIECE_HEADERS SENTENCEPIECE_LIBRARY)
add_library(sentencepiece SHARED IMPORTED)
set_target_properties(sentencepiece PROPERTIES IMPORTED_LOCATION "${SENTENCEPIECE_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${SENTENCEPIECE_HEADERS}")
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)    # .npz archives, with their checks against damage
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)        # CRC-32 of what a pack of results holds
find_package(Boost 1.74 REQUIRED CONFIG)              # Student's t distribution (Boost.Math), headers only
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)    # SHA-256 of inputs and configurations, base64 within SVG

if(ORRERY_DESKTOP)
  find_package(glfw3 3.3 REQUIRED)                     # window and input
  pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)  # the desktop's widgets
  pkg_check_modules(FREETYPE REQUIRED IMPORTED_TARGET freetype2)  # whether a font is damaged, before Dear ImGui believes it
  pkg_check_modules(EGL REQUIRED IMPORTED_TARGET egl)  # rendering without a display
  find_package(OpenGL REQUIRED COMPONENTS OpenGL)
endif()

if(ORRERY_TESTS)
  find_package(Catch2 REQUIRED)      # statements with names, and what was found when one does not hold
  if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
    include(cmake/catch2_3.cmake)
  endif()
  find_package(rapidcheck REQUIRED)  # properties over generated cases
endif()

if(ORRERY_BENCH STREQUAL "AUTO")
  find_package(benchmark QUIET)  # as below, when it is there
  set(ORRERY_BENCH ${benchmark_FOUND})
elseif(ORRERY_BENCH)
  find_package(benchmark REQUIRED)  # times that are repeated until they can be believed
endif()
