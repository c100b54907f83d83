// Errors: what users, files and peers cause is an Error with a text that says where, what, what is allowed
// and what to do; a bug is a failed check() with file and line.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coterie {

// Where in a user's input a value came from: "exp.toml:12", or "--set clusters.count" with no line.
struct Where {
  std::string file;
  int line = 0;

  std::string text() const;
};

// Somebody outside the program can mend this: a user, a file, a peer.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A message that does not decode: it costs its sender a turn, nothing else.
class MalformedMessage : public Error {
 public:
  using Error::Error;
};

// A failed check(): a defect of this program.
class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// All that is wrong with an input, gathered so that a user sees everything in one go.
class Problems {
 public:
  void add(const Where& where, std::string what);
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  // One line for each problem, in order of file and line, each starting with "error: ".
  std::string text() const;
  // Throws BadConfig when there is any problem.
  void raise_if_any() const;

 private:
  struct Item {
    Where where;
    std::string what;
  };
  std::vector<Item> items_;
};

// A config or command line with at least one mistake; what() holds one "error: ..." line for each.
class BadConfig : public Error {
 public:
  using Error::Error;
};

void check(bool holds, std::string_view what, const char* file = __builtin_FILE(),
           int line = __builtin_LINE());

// The candidate nearest to `name` by edit distance, or "" when none is near enough to be a likely slip.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// `"icfa" is unknown; did you mean "ifca"?`, or the list of known names when none is near.
std::string unknown_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace coterie
