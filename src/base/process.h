// Other programs, run as children without a shell: words are passed as they are, so nothing in them can be
// taken for a command.
#pragma once

#include <string>
#include <vector>

namespace coterie {

struct ProgramResult {
  bool found = true;   // whether there is such a program
  int status = 0;      // its exit status; 128 + the signal that ended it
  std::string output;  // what it wrote to standard output and standard error, together

  bool good() const { return found && status == 0; }
  // The last line that it wrote, or a word on why there is none.
  std::string reason() const;
};

// Runs words[0], looked for on the PATH, in `folder` ("" for the current one) and waits for its end.
// Throws Error when the system cannot run anything.
ProgramResult run_program(const std::vector<std::string>& words, const std::string& folder = "");

}  // namespace coterie
