// Every input that fuzzing begins with, and every one that has found something, through the same functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/targets.h"

namespace coterie::corpus_test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const auto& entry : fs::directory_iterator(folder, absent)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class EveryDecoder : public testing::TestWithParam<fuzz::Target> {
 protected:
  // Whether the target takes the file's content.
  static bool takes(const fs::path& file) {
    const std::string content = content_of(file);
    return fuzz::takes(GetParam().run, std::as_bytes(std::span(content.data(), content.size())));
  }
  fs::path folder(const char* kind) const { return fs::path(COTERIE_FUZZ_FOLDER) / kind / GetParam().name; }
};

TEST_P(EveryDecoder, TakesItsCorpus) {
  const std::vector<fs::path> files = inputs_in(folder("corpus"));
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) EXPECT_TRUE(takes(file)) << file;
}

TEST_P(EveryDecoder, RefusesInWordsOrTakesWhatFoundADefect) {
  for (const fs::path& file : inputs_in(folder("found"))) EXPECT_NO_THROW(takes(file)) << file;
}

TEST_P(EveryDecoder, RefusesInWordsOrTakesWhatIsCutShort) {
  for (const fs::path& file : inputs_in(folder("corpus"))) {
    const std::string content = content_of(file);
    const auto bytes = std::as_bytes(std::span(content.data(), content.size()));
    for (std::size_t part = 0; part < 4; ++part) {
      EXPECT_NO_THROW(fuzz::takes(GetParam().run, bytes.first(bytes.size() * part / 4))) << file;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryDecoder, testing::ValuesIn(fuzz::targets()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace coterie::corpus_test
