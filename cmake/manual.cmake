# The manual: docs/*.md become part of the program, which writes the man pages.

# orrery_embed_pages(TARGET): gives it a source with the text of every page, by name.
function(orrery_embed_pages target)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
  list(SORT pages)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pages})
  set(sources "")
  foreach(page ${pages})
    cmake_path(GET page STEM name)
    file(READ ${page} text)
    string(APPEND sources "    {\"${name}\", R\"page(${text})page\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/pages.cpp @ONLY CONTENT [[
#include "experiments/manual/topic.h"

namespace orrery {

std::span<const std::pair<const char*, std::string_view>> page_sources() {
  static constexpr std::pair<const char*, std::string_view> all[] = {
@sources@  };
  return all;
}

}  // namespace orrery
]])
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/pages.cpp)
endfunction()

# orrery_add_man_pages(PROGRAM): orrery.1 and orrery-TOPIC.7, installed where man looks. Builds with sanitizers,
# which are not installed, go without.
function(orrery_add_man_pages program)
  if(ORRERY_SANITIZE OR ORRERY_SANITIZE_THREADS)
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/man)
  add_custom_command(TARGET ${program} POST_BUILD COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
                     COMMAND ${program} help --man ${folder} VERBATIM COMMENT "Writing the man pages")
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 FILES_MATCHING PATTERN "*.7")
endfunction()
