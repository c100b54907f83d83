# find_package(coterie) gives the library as coterie::coterie, and
#   coterie_add_plugin(NAME SOURCE...)     a plug-in for `coterie --plugin`: docs/plugins.md
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/coterieTargets.cmake)

set(coterie_PLUGIN_VERSION_FILE ${CMAKE_CURRENT_LIST_DIR}/plugin_version.cc.in)

# A shared library NAME.so that says which version of coterie it was built against; others refuse to load it.
function(coterie_add_plugin name)
  set(version_file ${CMAKE_CURRENT_BINARY_DIR}/${name}_version.cc)
  configure_file(${coterie_PLUGIN_VERSION_FILE} ${version_file} @ONLY)
  add_library(${name} MODULE ${ARGN} ${version_file})
  target_link_libraries(${name} PRIVATE coterie::coterie)
  set_target_properties(${name} PROPERTIES PREFIX "")
endfunction()
