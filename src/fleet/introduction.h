// What a client tells of itself when it joins a run: all that a server knows of it before the first ask.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coterie/detail/archive.h"
#include "coterie/source.h"

namespace coterie {

struct Introduction {
  std::string name;  // of its certificate; what the client says of it does not count
  Shape shape;       // classes: those that its own data has
  std::uint32_t train = 0, validation = 0, test = 0;  // samples in each part
  std::uint64_t fingerprint = 0;                      // of its samples, so that other data is noticed
  std::vector<std::string> classes;                   // what they are called, where its data says so
  std::optional<TableSchema> table;  // of a table: its columns, their kinds, the values of text

  void fields(Archive& a);
};

}  // namespace coterie
