# Compiler settings for our own code, and one function for each kind of target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(coterie_settings INTERFACE)
target_include_directories(coterie_settings INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# Contraction is written out (std::fma) where it is wanted, so that a loop's vector body and its remainder round alike.
target_compile_options(coterie_settings INTERFACE -Wall -Wextra -Werror -ffp-contract=off -fno-math-errno
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

# coterie_precompile(target HEADER...): a file must not rely on these; the Clang build does without, and would tell.
function(coterie_precompile target)
  if(COTERIE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <functional> <map> <memory> <optional> <span> <string> <vector>
                                                ${ARGN})
  endif()
endfunction()

# coterie_library(name FOLDER): all .cc files of src/FOLDER and of the folders in it as one static library.
function(coterie_library name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.cc
       ${PROJECT_SOURCE_DIR}/src/${folder}/*/*.cc)
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC coterie_settings ${ARGN})
  if(folder MATCHES "^(base|math|data)$")
    coterie_precompile(${name} <fmt/format.h>)
  else()
    coterie_precompile(${name} <fmt/format.h> <coterie/algorithm.h>)
  endif()
  # What is not arithmetic compiles in two thirds of the time.
  if(folder MATCHES "^(run|report|library|reproduce)$")
    target_compile_options(${name} PRIVATE -O1)
  endif()
endfunction()
