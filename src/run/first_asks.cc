#include "run/first_asks.h"

#include "fleet/client_program.h"
#include "fleet/columns.h"

namespace coterie {
namespace {

std::unique_ptr<Fleet> fleet_of(const Config& config, const ElsewhereRun& run, const RowCut* cut) {
  // The clients' data is not in this process.
  class NoShards : public Shards {
    std::shared_ptr<const Samples> samples(ClientId, Part, std::uint32_t) const override {
      throw Error("the clients hold their data elsewhere");
    }
  };
  static const NoShards kNone;
  Agreement agreement = Agreement::of(*run.roster, false);
  if (cut != nullptr) agreement.cut = *cut;
  const std::string program = config.text(), agreed = agreement.text();
  config.fleet_kind->reach(*run.clients);
  return config.fleet_kind->make({*run.roster, kNone,
                                  std::make_shared<ClientProgram>(program, agreed, run.life), program, agreed,
                                  config.fleet, 1, "", run.life, run.roster->classes()});
}

}  // namespace

FirstAnswers ask_first(const Config& config, const ElsewhereRun& run) {
  const JoinedRoster& roster = *run.roster;
  check(roster.table() != nullptr && roster.table()->draft, "there are no columns to agree on");
  const std::unique_ptr<Fleet> fleet = fleet_of(config, run, nullptr);
  FirstAnswers answers;
  answers.holdings = ask_holdings(*fleet, roster);
  answers.labels.resize(roster.training());
  if (roster.shape().task == Task::classification) answers.labels = ask_labels(*fleet, roster);
  answers.table = agree_on_columns(*fleet, *roster.table(), roster.shape().task);
  return answers;
}

CutSizes ask_sizes(const Config& config, const ElsewhereRun& run, const RowCut& cut) {
  const std::unique_ptr<Fleet> fleet = fleet_of(config, run, &cut);
  CutSizes sizes;
  const auto told = ask_cut_sizes(*fleet, *run.roster);
  for (ClientId i = 0; i < told.size(); ++i) {
    sizes.push_back(told[i] ? std::pair(told[i]->train, told[i]->held_out)
                            : std::pair(run.roster->clients().at(i).train, std::uint32_t{0}));
  }
  return sizes;
}

}  // namespace coterie
