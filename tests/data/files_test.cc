#include "data/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "coterie/error.h"
#include "data/error_text.h"
#include "data/temp_folder.h"

namespace coterie::files_test {
namespace {

namespace fs = std::filesystem;

TEST(FindData, LooksInTheDataFolderFirst) {
  TempFolder folder;
  folder.write("sub/a.csv", "x");
  SourceContext context{.data_folder = folder.path().string()};
  EXPECT_EQ(find_data("sub/a.csv", context, ""), folder.path() / "sub/a.csv");
  EXPECT_EQ(find_data((folder.path() / "sub/a.csv").string(), {}, ""), folder.path() / "sub/a.csv");
}

TEST(FindData, NamesWhatItLookedForAndHowToGetIt) {
  TempFolder folder;
  SourceContext context{.data_folder = folder.path().string()};
  std::string text = error_text<Error>([&] { find_data("mnist", context, "get it there"); });
  EXPECT_NE(text.find((folder.path() / "mnist").string()), std::string::npos) << text;
  EXPECT_NE(text.find((fs::current_path() / "mnist").string()), std::string::npos) << text;
  EXPECT_NE(text.find("get it there"), std::string::npos) << text;
  text = error_text<Error>([&] { find_data("mnist", {}, ""); });
  EXPECT_NE(text.find("--data"), std::string::npos) << text;
  EXPECT_NE(text.find("COTERIE_DATA"), std::string::npos) << text;
}

TEST(DataFile, ReadsPlainAndGzippedContentAlike) {
  TempFolder folder;
  std::string content;
  for (int i = 0; i < 50000; ++i) content += std::to_string(i) + "\n";
  fs::path plain = folder.write("a", content), gzipped = folder.write_gzip("a.gz", content);
  EXPECT_LT(fs::file_size(gzipped), fs::file_size(plain));
  EXPECT_EQ(DataFile(plain).read_rest(), content);
  EXPECT_EQ(DataFile(gzipped).read_rest(), content);
  EXPECT_EQ(DataFile(plain).most_bytes(), content.size());
  EXPECT_GE(DataFile(gzipped).most_bytes(), content.size());
  EXPECT_EQ(DataFile(folder.write("empty", "")).read_rest(), "");
}

TEST(DataFile, ReadsPieceByPiece) {
  TempFolder folder;
  DataFile file(folder.write("a", "abcdef"));
  std::string piece(4, ' ');
  EXPECT_EQ(file.read_some(std::as_writable_bytes(std::span(piece))), 4u);
  EXPECT_EQ(piece, "abcd");
  EXPECT_EQ(file.read_some(std::as_writable_bytes(std::span(piece))), 2u);
  EXPECT_EQ(piece.substr(0, 2), "ef");
  EXPECT_EQ(file.read_some(std::as_writable_bytes(std::span(piece))), 0u);
}

TEST(DataFile, RefusesWhatIsDamagedMissingOrAFolder) {
  TempFolder folder;
  std::string content(100000, 'x');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>('a' + i * i % 23);
  fs::path cut = folder.write_gzip("cut.gz", content);
  fs::resize_file(cut, fs::file_size(cut) / 2);
  EXPECT_THROW(DataFile(cut).read_rest(), Error);

  fs::path wrong = folder.write_gzip("wrong.gz", content);
  {
    std::fstream bytes(wrong, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(fs::file_size(wrong) - 8));
    bytes.write("\0\0\0\0", 4);  // the checksum
  }
  EXPECT_THROW(DataFile(wrong).read_rest(), Error);
  EXPECT_THROW(DataFile(folder.path() / "nothing"), Error);
  EXPECT_THROW(DataFile(folder.path()), Error);
}

TEST(Gunzip, ReturnsTheContent) {
  TempFolder folder;
  std::string content(200000, 'q');
  std::ifstream in(folder.write_gzip("a.gz", content), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::span<const unsigned char> view(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  EXPECT_EQ(gunzip(view), content);
  EXPECT_THROW(gunzip(view.first(view.size() / 2)), Bug);
}

}  // namespace
}  // namespace coterie::files_test
