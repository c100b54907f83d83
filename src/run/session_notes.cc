// What the user should know before a run begins.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "coterie/methods/tiers.h"
#include "run/session.h"

namespace coterie {

void Session::report_notes() {
  auto report = [&](const char* kind, const std::string& text) { fleet_->report({0, kind, {}, text, {}}); };
  auto note = [&](const std::string& text) { report("note", text); };
  if (const Tiers* tiers = config_.algorithm->tiers()) report("parts", tiers->text());
  for (const std::string& text : roster_->notes()) note(text);
  for (const Event& event : agreeing_) fleet_->report(event);
  if (rate_) {
    fleet_->report({0, "rate", {}, rate_->text, rate_->numbers});
    if (!rate_->warning.empty()) report("warning", rate_->warning);
  }
  if (!liars_.empty()) {
    report("liars",
           fmt::format("{} of {} lie ({}), {}; figures are about the others only; the liars: {}",
                       liars_.size(), counted(roster_->training(), "client"), config_.attack.kind,
                       config_.attack.start <= 1 ? "from the beginning"
                                                 : fmt::format("from round {} on", config_.attack.start),
                       fmt::join(liars_, ", ")));
  }
  if (liars_.empty() && config_.attack.any() && config_.attack.fraction > 0) {
    report("warning", fmt::format("attack.fraction = {} of {} is less than half a client: nobody lies",
                                  config_.attack.fraction, counted(roster_->training(), "client")));
  }
  if (!liars_.empty() && config_.attack.start > config_.rounds.count) {
    report("warning", fmt::format("attack.start = {} is after the last of {}: nobody ever lies",
                                  config_.attack.start, counted(config_.rounds.count, "round")));
  }
  if (config_.algorithm->needs_truth() && roster_->truth().clusters < 2) {
    note(fmt::format("no true clusters are known: {} treats all clients as one cluster",
                     config_.algorithm_kind));
  }
  std::size_t unseen = 0;
  for (std::size_t i = roster_->training(); i < roster_->size(); ++i) {
    unseen += roster_->info(static_cast<ClientId>(i)).role == Role::unseen ? 1 : 0;
  }
  if (unseen > 0 && config_.algorithm->personal()) {
    report("warning",
           fmt::format("{} {} not evaluated: with algorithm.kind = \"{}\" there are no models but "
                       "those of the training clients",
                       counted(unseen, "unseen client"), unseen == 1 ? "is" : "are", config_.algorithm_kind));
  }
  for (const std::string& text : config_.init->warnings(*fleet_, *setting_)) report("warning", text);
  for (const std::string& text : config_.algorithm->warnings(*fleet_)) report("warning", text);
  if (config_.algorithm->start_models() > roster_->training()) {
    note(fmt::format("clusters.count = {}: there {}, so some models stay unused",
                     config_.algorithm->start_models(), only_clients(roster_->training())));
  }
}

}  // namespace coterie
