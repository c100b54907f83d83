// The objects of one run, made from a config and wired together.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "adversary/poisoned_shards.h"
#include "data/row_cut.h"
#include "fleet/joined_roster.h"
#include "fleet/rate.h"
#include "run/config.h"
#include "run/evaluate.h"

namespace coterie {

// A run whose clients hold their data elsewhere.
struct ElsewhereRun {
  std::shared_ptr<JoinedRoster> roster;  // null: the clients' data is in this process
  Elsewhere* clients = nullptr;
  std::uint64_t life = 0;                  // of the run (fleet/agreement.h); also where the data is at hand
  std::optional<std::string> agreed = {};  // what a run that goes on has agreed on before
  std::optional<RowCut> cut = {};          // of their training rows; the roster has what it leaves them
};

class Session {
 public:
  // Loads the data and sets everything up, short of the first round. What does not fit together (a model for
  // another task, more clients asked than there are) is a BadConfig. `state_folder`: where client states
  // live, "" for memory.
  // A federation that was built for the same data saves loading it again.
  Session(const Config& config, const std::string& data_folder, unsigned threads,
          const std::string& state_folder, std::shared_ptr<const Federation> federation = nullptr,
          ElsewhereRun elsewhere = {});

  const Roster& roster() const { return *roster_; }
  // Whether the clients' data is in this process.
  bool at_hand() const { return federation_ != nullptr; }
  const Federation& federation() const {
    check(at_hand(), "the clients hold their data elsewhere");
    return *federation_;
  }
  std::shared_ptr<const Federation> shared_federation() const { return federation_; }
  const Config& config() const { return config_; }
  Fleet& fleet() { return *fleet_; }
  // The processes that share the run's clients.
  Ranks& ranks() const { return config_.fleet_kind->ranks(); }
  Algorithm& algorithm() { return *config_.algorithm; }
  Evaluator& evaluator() { return *evaluator_; }
  const Setting& setting() const { return *setting_; }
  // The clients that lie, ascending; none without an attack.
  const std::vector<ClientId>& liars() const { return liars_; }

  // What the user should know about how things fit together before anything is asked, as events of round 0.
  void report_notes();
  // Makes the first models; `logged` hears of every round that the start itself runs.
  void start(const std::function<void(std::uint32_t)>& logged = [](std::uint32_t) {});
  // Evaluates what the start has come to by this round, for `logged`: each client is served by the model with
  // the lowest loss on its data. Nothing when the start does not say.
  std::optional<Evaluation> evaluate_start(std::uint32_t round);
  // Runs round t and counts its seconds.
  void round(std::uint32_t t);
  // `summed`: what is evaluated finally goes into a summary, with the metrics that only a summary has.
  Evaluation evaluate(std::uint32_t t, bool final, bool summed = true);
  // Sends every training client what it was offered at the end, and counts the bytes.
  void deliver();

  // Training samples of each class of these clients (ascending), of those that tell; none for a regression.
  std::map<ClientId, std::vector<std::uint32_t>> label_counts(std::span<const ClientId> clients);
  // What the clients' data is, as they tell: clients that were asked, their samples, the sum of their
  // fingerprints, which their names are mixed into here.
  struct DataMark {
    std::uint64_t clients = 0;
    std::uint64_t samples = 0;
    std::uint64_t fingerprint = 0;
  };
  DataMark data_mark();
  // What clients work by, besides their data.
  const std::string& program_text() const { return program_text_; }
  const std::string& agreement_text() const { return agreement_text_; }

  // Everything that changes from round to round.
  void save(Archive& a);
  void load(Archive& a);

 private:
  std::vector<ClientId> cohort(std::uint32_t t) const;
  bool must_agree_on_rate() const;
  Evaluator::Choices evaluation_choices(bool clients_test, bool lowest) const;
  std::vector<std::uint32_t> true_clusters() const;  // of every id

  const Config& config_;
  std::shared_ptr<const Federation> federation_;
  ElsewhereRun elsewhere_;
  const Roster* roster_ = nullptr;  // the federation, or those who joined
  std::vector<ClientId> liars_;
  std::unique_ptr<PoisonedShards> poisoned_;  // when they lie in their data
  std::optional<AgreedRate> rate_;            // when the config leaves the rate to the run
  std::string program_text_;
  std::string agreement_text_;
  std::vector<Event> agreeing_;  // what happened while columns were agreed on
  std::unique_ptr<Setting> setting_;
  std::unique_ptr<Fleet> fleet_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<Vec> so_far_;  // models of a start under way
};

// What rounds.jsonl has of one evaluation: the basic metrics and those that [evaluate] metrics names.
Record measure(const Evaluation& evaluation);

}  // namespace coterie
