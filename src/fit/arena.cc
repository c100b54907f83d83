#include "fit/arena.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "run/meeting.h"

namespace coterie {
namespace {

constexpr double kCacheGigabytes = 0.5;  // of the copies of all folds of the contest

using CutName = std::pair<std::size_t, std::uint64_t>;  // folds and seed
CutName name_of(const RowCut& cut) { return {cut.folds, cut.seed}; }

class AtHand : public Arena {
 public:
  AtHand(std::shared_ptr<const Federation> base, unsigned threads)
      : base_(std::move(base)), threads_(threads) {}

  const Roster& roster() const override { return *base_; }

  Folding cut(std::size_t folds, std::uint64_t seed) override {
    const bool first = plans_.empty();
    auto& plan = plans_[{folds, seed}];
    plan = std::make_shared<const FoldPlan>(make_folds(*base_, folds, seed));
    for (std::size_t f = 0; f < folds && first; ++f)
      contest_.push_back(std::make_shared<FoldedFederation>(base_, plan, f, kCacheGigabytes / folds));
    if (first) contest_name_ = {folds, seed};
    return {folds, seed, plan->in_time, plan->unjudged, plan->judged_rows()};
  }

  std::unique_ptr<Session> session(const Config& config, const std::optional<RowCut>& cut) override {
    return std::make_unique<Session>(config, "", threads_, "", cut ? folded(*cut) : base_);
  }

 private:
  std::shared_ptr<const Federation> folded(const RowCut& cut) const {
    if (name_of(cut) == contest_name_ && !cut.blank) return contest_.at(cut.fold);
    return std::make_shared<FoldedFederation>(base_, plans_.at(name_of(cut)), cut.fold, 0.0, cut.blank);
  }

  std::shared_ptr<const Federation> base_;
  unsigned threads_;
  std::map<CutName, std::shared_ptr<const FoldPlan>> plans_;
  CutName contest_name_;
  std::vector<std::shared_ptr<const Federation>> contest_;
};

class AtClients : public Arena {
 public:
  AtClients(const ElsewhereRun& clients, const Table& probe, unsigned threads, const KeptWork& work)
      : clients_(clients), threads_(threads), work_(work), life_(drawn_life()) {
    Problems problems;
    probe_ = read_config(probe, "the candidate", problems);
    problems.raise_if_any();
    probe_.model->bind(clients_.roster->shape(), probe_.seed_bits());
  }

  const Roster& roster() const override { return *clients_.roster; }

  // Every client cuts its rows itself, and tells what that came to.
  Folding cut(std::size_t folds, std::uint64_t seed) override {
    Folding folding{folds, seed, find_path(probe_.resolved(), "data.time") != nullptr, 0, 0};
    std::vector<std::size_t> judged(roster().training(), 0);
    auto& rosters = rosters_[{folds, seed}];
    rosters.clear();
    for (std::size_t f = 0; f < folds; ++f) {
      const CutSizes sizes = sizes_of(folding.fold(f));
      rosters.push_back(std::make_shared<JoinedRoster>(clients_.roster->cut(sizes)));
      for (std::size_t i = 0; i < sizes.size(); ++i) judged[i] += sizes[i].second;
    }
    for (const std::size_t rows : judged) {
      folding.judged_rows += rows;
      folding.unjudged += rows == 0 ? 1 : 0;
    }
    return folding;
  }

  std::unique_ptr<Session> session(const Config& config, const std::optional<RowCut>& cut) override {
    ElsewhereRun run = life(clients_);
    run.cut = cut;
    if (cut) run.roster = rosters_.at(name_of(*cut)).at(cut->fold);
    return std::make_unique<Session>(config, "", threads_, "", nullptr, run);
  }

  bool ends_below_quorum() const override {
    const Table resolved = probe_.resolved();
    const Value* below = find_path(resolved, "fleet.below");
    const auto* text = below != nullptr ? std::get_if<std::string>(&below->data) : nullptr;
    return text != nullptr && *text == "stop";
  }

 private:
  CutSizes sizes_of(const RowCut& cut) {
    const std::string name = fmt::format("cut-{}-{}-{}", cut.seed, cut.folds, cut.fold);
    if (const auto kept = work_.find(name, "")) return kept->get<CutSizes>();
    const CutSizes sizes = ask_sizes(probe_, life(clients_), cut);
    work_.keep(name, "", sizes);
    return sizes;
  }

  // Each session is a life of its own, so that no late reply to one counts in another.
  ElsewhereRun life(ElsewhereRun run) {
    ++life_.number;
    run.life = life_.name();
    return run;
  }

  ElsewhereRun clients_;
  unsigned threads_;
  const KeptWork& work_;
  Life life_;
  Config probe_;
  std::map<CutName, std::vector<std::shared_ptr<JoinedRoster>>> rosters_;
};

}  // namespace

std::unique_ptr<Arena> arena_at_hand(std::shared_ptr<const Federation> base, unsigned threads) {
  return std::make_unique<AtHand>(std::move(base), threads);
}

std::unique_ptr<Arena> arena_elsewhere(const ElsewhereRun& clients, const Table& probe, unsigned threads,
                                       const KeptWork& work) {
  return std::make_unique<AtClients>(clients, probe, threads, work);
}

}  // namespace coterie
