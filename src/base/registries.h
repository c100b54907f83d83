// What the loader of plug-ins must know of registrations.
#pragma once

#include <string>
#include <vector>

namespace coterie {

// While one of these lives, names that are registered a second time are kept here, and the first owner keeps
// the name.
class WatchRegistrations {
 public:
  WatchRegistrations();
  ~WatchRegistrations();
  WatchRegistrations(const WatchRegistrations&) = delete;
  WatchRegistrations& operator=(const WatchRegistrations&) = delete;

  const std::vector<std::string>& taken() const { return taken_; }
  void add(const std::string& name) { taken_.push_back(name); }

 private:
  std::vector<std::string> taken_;
};

}  // namespace coterie
