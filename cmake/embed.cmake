# Makes a file part of the program.
#
#   include(embed)
#   coterie_embed(coterie_datasets src/datasets/digits.csv.gz kDigitsFile)
#
# compiles a generated source into the target that defines
#   namespace coterie { extern const unsigned char kDigitsFile[]; extern const std::size_t kDigitsFileSize; }
#
#   coterie_embed_folder(coterie_reproduce papers kPapers)
#
# does so with all .toml files below a folder, as an array of
#   struct EmbeddedFile { const char* path; const unsigned char* bytes; std::size_t size; };
# kPapers[kPapersCount], with paths inside the folder.
#
# The same file, run as a script, does the generating, so that a changed file is embedded again.
if(CMAKE_SCRIPT_MODE_FILE AND FOLDER)
  file(GLOB_RECURSE inputs RELATIVE ${FOLDER} ${FOLDER}/*.toml)
  list(SORT inputs)
  set(arrays "")
  set(rows "")
  set(count 0)
  foreach(input IN LISTS inputs)
    file(READ "${FOLDER}/${input}" hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR size "${digits} / 2")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "const unsigned char kFile${count}[] = {${bytes}0};\n")
    string(APPEND rows "    {\"${input}\", kFile${count}, ${size}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(WRITE "${OUTPUT}" "#include <cstddef>\n\nnamespace coterie {\n"
                         "struct EmbeddedFile {\n  const char* path;\n  const unsigned char* bytes;\n  std::size_t size;\n};\n"
                         "namespace {\n${arrays}}  // namespace\n"
                         "extern const EmbeddedFile ${NAME}[];\nextern const std::size_t ${NAME}Count;\n"
                         "const EmbeddedFile ${NAME}[] = {\n${rows}};\n"
                         "const std::size_t ${NAME}Count = ${count};\n}  // namespace coterie\n")
  return()
endif()
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  file(WRITE "${OUTPUT}" "#include <cstddef>\n\nnamespace coterie {\n"
                         "extern const unsigned char ${NAME}[];\nextern const std::size_t ${NAME}Size;\n"
                         "const unsigned char ${NAME}[] = {\n${bytes}\n};\n"
                         "const std::size_t ${NAME}Size = ${size};\n}  // namespace coterie\n")
  return()
endif()

function(coterie_embed target file name)
  get_filename_component(stem ${file} NAME)
  set(input ${PROJECT_SOURCE_DIR}/${file})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${stem}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DNAME=${name} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${input} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

function(coterie_embed_folder target folder name)
  set(input ${PROJECT_SOURCE_DIR}/${folder})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${folder}.cc)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${input}/*.toml)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${input} -DOUTPUT=${output} -DNAME=${name} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${folder}/"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
