// A file with a line of JSON for each event of a server: when, what, whom and why. No secrets: no keys, no
// data, no models.
#pragma once

#include <string>

#include "base/open_file.h"

namespace coterie::net {

class EventLog {
 public:
  // Goes on at the end of a file that is there.
  explicit EventLog(const std::string& path);
  void add(const std::string& kind, const std::string& client, const std::string& text);

 private:
  OpenFile file_;
  std::uint64_t end_ = 0;
};

std::string json_text(const std::string& text);

}  // namespace coterie::net
