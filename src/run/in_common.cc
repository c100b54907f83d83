#include "run/in_common.h"

#include <fmt/format.h>

#include <chrono>

#include "base/disk.h"
#include "base/md5.h"
#include "base/plugins.h"

namespace coterie {
namespace {

std::string text_from_first(Ranks& ranks, std::string own) {
  return decode<std::string>(from_first(ranks, encode(own, Precision::f64)), Precision::f64);
}

}  // namespace

void check_same_config(Ranks& ranks, const std::string& resolved) {
  if (ranks.count() == 1) return;
  const std::string own = fmt::format("coterie {}, config {}", engine_version(), md5_of(resolved));
  const std::string first = text_from_first(ranks, own);
  together(ranks, [&] {
    if (own == first) return;
    throw Error(fmt::format(
        "it runs another program or config than rank 0 ({} here, {} there); start all ranks with the same "
        "program, files and options",
        own, first));
  });
}

void check_same_folder(Ranks& ranks, const std::string& folder) {
  if (ranks.count() == 1) return;
  const std::string name = folder + "/.coterie-ranks";
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string word = text_from_first(ranks, fmt::format("{}", now));
  on_first(ranks, [&] { write_atomically(name, word); });
  together(ranks, [&] {
    if (is_file(name) && read_file(name) == word) return;
    throw Error(fmt::format(
        "it does not see the run folder {} that rank 0 made: choose an --out on a file system that all "
        "ranks share",
        folder));
  });
  on_first(ranks, [&] { remove_file(name); });
}

}  // namespace coterie
