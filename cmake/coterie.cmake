# Compiler settings for our own code, and one function for each kind of target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Programs of the build tree find the library by their own place.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

add_library(coterie_settings INTERFACE)
target_include_directories(coterie_settings INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# Contraction is written out (std::fma) where it is wanted, so that a loop's vector body and its remainder round alike.
target_compile_options(coterie_settings INTERFACE -Wall -Wextra -Werror -ffp-contract=off -fno-math-errno -fno-semantic-interposition
                                                  $<IF:$<BOOL:${COTERIE_NATIVE}>,-march=native,-march=x86-64-v3>)
# GCC 12 warns of overlapping copies in any `"x" + std::string(...)` (its bug 105651).
target_compile_options(coterie_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(COTERIE_SANITIZE)
  target_compile_options(coterie_settings INTERFACE -fsanitize=${COTERIE_SANITIZE} -fno-omit-frame-pointer
                                                    -fno-sanitize-recover=all)
  target_link_options(coterie_settings INTERFACE -fsanitize=${COTERIE_SANITIZE})
  # GCC takes variants for uninitialized once sanitizers have rewritten the code.
  target_compile_options(coterie_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

# GCC looks into precompiled standard headers for mistakes that it does not look for in included ones, and errs.
if(COTERIE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(coterie_settings INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# Several files are compiled as one, which saves most of the time that headers take. A room's names must differ then.
option(COTERIE_UNITY "compile several files of a room at once" ON)

# The headers that nearly every file includes, compiled once for all targets of one kind of optimisation. A file must
# not rely on them; the Clang build does without, and would tell.
function(coterie_precompile target kind)
  if(NOT COTERIE_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET precompiled_${kind})
    add_library(precompiled_${kind} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cc)
    target_link_libraries(precompiled_${kind} PRIVATE coterie_settings fmt::fmt)
    target_compile_options(precompiled_${kind} PRIVATE ${ARGN})
    set_target_properties(precompiled_${kind} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    if(kind STREQUAL "test")  # programs, not parts of a library
      set_target_properties(precompiled_${kind} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_link_libraries(precompiled_${kind} PRIVATE GTest::gtest nlohmann_json::nlohmann_json)
      target_include_directories(precompiled_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
      target_precompile_headers(precompiled_${kind} PRIVATE <gtest/gtest.h> <run/session.h>)
    endif()
    target_precompile_headers(precompiled_${kind} PRIVATE <algorithm> <functional> <map> <memory> <optional> <span>
                                                          <string> <vector> <fmt/format.h> <coterie/algorithm.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM precompiled_${kind})
endfunction()

# coterie_room(FOLDER hot|light [LIBRARY...]): the .cc files below src/FOLDER, as a part of libcoterie. A light room has
# no arithmetic in it and is optimised less: it compiles in half the time.
function(coterie_room folder kind)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "/src/${folder}/(${coterie_add_on_folders})/")
  add_library(room_${folder} OBJECT ${sources})
  target_link_libraries(room_${folder} PRIVATE coterie_settings fmt::fmt ${ARGN})
  set_target_properties(room_${folder} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${COTERIE_UNITY}
                                                  UNITY_BUILD_BATCH_SIZE 8)
  if(kind STREQUAL "light")
    # GCC 12 takes optional values for uninitialized at -O1.
    target_compile_options(room_${folder} PRIVATE $<$<CONFIG:Release>:-O1>
                                                  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    coterie_precompile(room_${folder} light $<$<CONFIG:Release>:-O1>)
  else()
    coterie_precompile(room_${folder} hot)
  endif()
  target_sources(libcoterie PRIVATE $<TARGET_OBJECTS:room_${folder}>)
endfunction()

# What is in folders of these names, inside a room, is an add-on, not a part of libcoterie.
set(coterie_add_on_folders "mpi|grpc|torch")

# coterie_add_on(NAME FOLDER LIBRARY...): the .cc files below src/FOLDER as an add-on (src/base/add_ons.h), a library of
# its own in the folder coterie-add-ons beside libcoterie.
function(coterie_add_on name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cc)
  set(coterie_VERSION ${PROJECT_VERSION})
  set(version_file ${CMAKE_CURRENT_BINARY_DIR}/add_on_${name}_version.cc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/plugin_version.cc.in ${version_file} @ONLY)
  add_library(add_on_${name} MODULE ${sources} ${version_file})
  target_link_libraries(add_on_${name} PRIVATE libcoterie coterie_settings fmt::fmt ${ARGN})
  set_target_properties(add_on_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} INSTALL_RPATH $ORIGIN/..
                                                  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/coterie-add-ons)
  install(TARGETS add_on_${name} LIBRARY DESTINATION lib/coterie-add-ons)
endfunction()
