#include "run/in_common.h"

#include <fmt/format.h>

#include <chrono>

#include "base/disk.h"
#include "base/md5.h"
#include "base/plugins.h"
#include "data/fingerprint.h"
#include "fleet/agreement.h"

namespace coterie {
namespace {

std::string text_from_first(Ranks& ranks, std::string own) {
  return decode<std::string>(from_first(ranks, encode(own, Precision::f64)), Precision::f64);
}

// Throws `message` on all ranks where a rank has another text than rank 0.
void check_same(Ranks& ranks, const std::string& own, const std::string& message) {
  const std::string first = text_from_first(ranks, own);
  together(ranks, [&] {
    if (own != first) throw Error(message);
  });
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

void check_same_data(Ranks& ranks, const Roster& roster) {
  if (ranks.count() == 1) return;
  std::uint64_t own = fingerprint(Agreement::of(roster, false).text());
  own = mix(own, roster.size());
  own = mix(own, roster.training());
  const bool named = !roster.drawn();
  for (std::size_t i = 0; i < roster.size(); ++i) {
    const ClientInfo info = roster.info(static_cast<ClientId>(i));
    for (const std::uint64_t number :
         {static_cast<std::uint64_t>(info.train), static_cast<std::uint64_t>(info.validation),
          static_cast<std::uint64_t>(info.test), static_cast<std::uint64_t>(info.role),
          static_cast<std::uint64_t>(info.truth)}) {
      own = mix(own, number);
    }
    if (named) own = mix(own, fingerprint(roster.name(static_cast<ClientId>(i))));
  }
  check_same(
      ranks, fmt::format("{:x}", own),
      "it has other data than rank 0: other columns, clients or numbers of rows; give all ranks the same "
      "data files (--data, $COTERIE_DATA)");
}

void check_same_checkpoint(Ranks& ranks, std::uint32_t round, bool there, const std::string& folder) {
  if (ranks.count() == 1) return;
  const std::string own = there ? fmt::format("the checkpoint of round {}", round) : "no checkpoint";
  check_same(ranks, own,
             fmt::format("it finds {} in {}, other than rank 0: choose an --out on a file system that all "
                         "ranks share",
                         own, folder));
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
