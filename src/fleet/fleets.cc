#include "fleet/fleets.h"

namespace coterie {

std::vector<std::pair<std::string, std::string>> fleet_kinds() {
  return {{"scramble", "every message encoded, reordered, lost and asked for again: to test algorithms"},
          {"threads", "clients are shards in this process, worked on by all cores"}};
}

void FleetOptions::options(Options& o) {
  std::vector<std::string> names;
  for (const auto& [name, sentence] : fleet_kinds()) names.push_back(name);
  o.choice("kind", kind, names, "where the clients are");
  o("block", &block, "clients worked on together where a method can; changes speed only", between(1, 65536));
  o("quorum", &quorum, "share of the clients asked whose replies must be usable, or the run stops", share());
  o("memory", &memory, "GB that the replies kept until the end of an ask may take", above(0));
  o("gram", &gram, "GB of inner products of clients' rows kept from round to round; changes no bit",
    at_least(0));
}

std::unique_ptr<Fleet> make_fleet(const Engine& engine, const Algorithm& algorithm,
                                  const FleetOptions& options, unsigned threads, const std::string& folder) {
  if (options.kind == "scramble") return make_scramble_fleet(engine, algorithm, options, folder);
  return make_threads_fleet(engine, algorithm, options, threads, folder);
}

}  // namespace coterie
