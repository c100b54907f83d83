// The folder of a sweep: a folder for each run, and sweep.json, which lists them. A later sweep replaces the
// runs on that list and no others.
#pragma once

#include <string>
#include <vector>

namespace coterie {

class SweepFolder {
 public:
  explicit SweepFolder(std::string path) : path_(std::move(path)) {}

  bool holds_sweep() const;
  // Why a sweep cannot use this folder; "" when it can.
  std::string refusal(bool resume, bool force) const;
  // Lists these runs, after those of an earlier sweep; with `replace` those are removed instead.
  void open(const std::vector<std::string>& labels, bool replace) const;

 private:
  std::vector<std::string> listed() const;

  std::string path_;
};

}  // namespace coterie
