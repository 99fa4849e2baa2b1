# liborrery, whose files show what orrery.h declares. Included by experiments/CMakeLists.txt.
file(GLOB c_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/c/*.cpp)
add_library(orrery_c SHARED ${c_sources})
orrery_export_headers(orrery_c experiments/c)
target_link_libraries(orrery_c PRIVATE orrery_sweeps orrery_core fmt::fmt nlohmann_json::nlohmann_json)
file(STRINGS c/orrery.h abi REGEX "^#define ORRERY_ABI_VERSION ")
string(REGEX REPLACE ".* " "" abi "${abi}")
set_target_properties(orrery_c PROPERTIES OUTPUT_NAME orrery VERSION ${abi}.${PROJECT_VERSION} SOVERSION ${abi} DEFINE_SYMBOL ""
                      LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/c/exported.map)
target_link_options(orrery_c PRIVATE LINKER:--version-script=${CMAKE_CURRENT_SOURCE_DIR}/c/exported.map
                    $<$<NOT:$<OR:$<BOOL:${ORRERY_SANITIZE}>,$<BOOL:${ORRERY_SANITIZE_THREADS}>,$<BOOL:${ORRERY_FUZZ}>>>:LINKER:--no-undefined>)
target_include_directories(orrery_c INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/c>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
orrery_compile_as(orrery_c experiments/c)
orrery_link_first(orrery_c orrery_core)
