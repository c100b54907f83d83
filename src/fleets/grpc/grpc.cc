// The fleet `grpc`: clients are processes elsewhere that hold their own data and dial in. `coterie serve` and
// `coterie join` are its two ends. Named in the config of an ordinary run, it is a trial: the run listens on
// this machine, and its clients are threads that dial in over loopback.
#include <fmt/format.h>

#include <thread>

#include "coterie/run.h"
#include "fleet/fleets.h"
#include "fleets/grpc/client.h"
#include "fleets/grpc/hub.h"

namespace coterie {
namespace {

using net::Clock;
using net::Hub;

struct GrpcOptions {
  double deadline = 600;
  double absent = 60;
  std::string below = "wait";
  net::Rules rules;
  std::int64_t inbox = 32;
  std::int64_t most = 0;

  void options(Options& o) {
    o("deadline", &deadline, "seconds that an ask waits for answers; who is later is left out of it",
      above(0));
    o("absent", &absent, "seconds that an ask waits for a client that is not connected", at_least(0));
    o.choice("below", below, {"wait", "repeat", "stop"},
             "what happens when too few answered in time (fleet.quorum). wait: the run waits for more; "
             "repeat: those "
             "that have not answered are asked again, and have as much time again; stop: the run ends, to be "
             "resumed");
    o("inbox", &inbox, "replies that the server holds at once; others wait at their clients",
      between(1, 1e6));
    o("most", &most,
      "training samples that a client counts for at most in averages, whatever it tells; 0: no bound",
      between(0, 4e9));
    o("stall", &rules.stall, "seconds that a reply under way may make no progress", above(0));
    o("largest", &rules.largest, "GB that one reply may have", above(0));
  }
};

class GrpcFleet : public WireFleet {
 public:
  GrpcFleet(const FleetContext& context, const GrpcOptions& options, Hub* hub)
      : WireFleet(context.ledger()), options_(options), quorum_(context.options.quorum) {
    options_.rules.inbox = static_cast<std::size_t>(options.inbox);
    if (hub == nullptr) trial_ = std::make_unique<net::Trial>(context);
    hub_ = hub != nullptr ? hub : &trial_->hub();
    net::Setup setup;
    setup.set_run(context.program->run());
    setup.set_life(context.life);
    setup.set_program(context.program_text);
    setup.set_agreement(context.agreement_text);
    setup.set_draft(context.roster.table() != nullptr && context.roster.table()->draft);
    for (const std::string& one : context.classes) setup.add_classes(one);
    std::vector<std::string> names;
    for (ClientId i = 0; i < context.roster.size(); ++i) {
      names.push_back(trial_ ? net::Trial::name_of(i) : context.roster.name(i));
    }
    hub_->begin(setup, names, options_.rules);
  }
  ~GrpcFleet() override { hub_->end(); }

  // Clients keep their states themselves, as far back as the last checkpoint but one: the newest may not have
  // got to the disk.
  void save(Archive& a) override {
    ledger().save(a);
    saved_before_ = std::exchange(saved_, versions());
    if (saved_before_.empty()) saved_before_ = saved_;
  }
  void load(Archive& a) override {
    ledger().load(a);
    saved_ = saved_before_ = versions();
  }

 protected:
  void exchange(WireAsk& ask) override {
    const std::vector<ClientId> all = ask.waiting();
    if (all.empty()) return;
    hub_->new_ask(ask);
    Hub::Shelved shelf;
    Clock::time_point until = after(options_.deadline);
    hub_->watch().ask_begins(ask.job(), round(), all.size(), until);
    std::map<ClientId, int> damaged;
    for (const ClientId client : all) hub_->send(client, ask, shelf, keep_from(client));
    std::size_t left = all.size();
    Clock::time_point look = after(0.5);
    while (left > 0) {
      std::optional<Hub::Event> event = hub_->next(std::min(look, until));
      if (event && event->kind == Hub::Event::Kind::reply) {
        left -= take(ask, shelf, *event, damaged) ? 1 : 0;
        hub_->release();
        hub_->watch().answered(all.size() - left);
      }
      // Who has come, or was behind, may not have this order yet.
      if (event && event->kind != Hub::Event::Kind::left && ask.waits_for(event->client))
        hub_->send(event->client, ask, shelf, keep_from(event->client));
      if (Clock::now() >= look) {
        look = after(0.5);
        left = give_up_absent(ask, all.size());
      }
      if (left > 0 && Clock::now() >= until) {
        left = too_late(ask, shelf, all.size());
        until = after(options_.deadline);
      }
    }
    hub_->watch().ask_ends();
  }

 private:
  static Clock::time_point after(double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  std::vector<std::uint32_t> versions() {
    std::vector<std::uint32_t> all;
    for (ClientId i = 0; i < clients(); ++i) all.push_back(ledger().header("", i, {}, false).version);
    return all;
  }
  std::uint32_t keep_from(ClientId client) const {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    return client < saved_before_.size() ? saved_before_[client] : kNone;
  }

  // Whether the client is dealt with.
  bool take(WireAsk& ask, Hub::Shelved& shelf, const Hub::Event& event, std::map<ClientId, int>& damaged) {
    constexpr int kMost = 3;
    switch (ask.arrived(event.client, event.reply)) {
      case WireAsk::Arrival::done:
        return true;
      case WireAsk::Arrival::ignored:
        return false;
      case WireAsk::Arrival::damaged:
        if (++damaged[event.client] >= kMost) {
          drop(ask, event.client, fmt::format("its reply came damaged {} times", kMost));
          return true;
        }
        [[fallthrough]];
      case WireAsk::Arrival::anew:
        hub_->send(event.client, ask, shelf, keep_from(event.client), true);
    }
    return false;
  }

  std::size_t needed(std::size_t asked) const {
    return static_cast<std::size_t>(std::ceil(quorum_ * static_cast<double>(asked) - 1e-9));
  }
  void drop(WireAsk& ask, ClientId client, const std::string& why) {
    hub_->watch().dropped();
    hub_->watch().event("dropped", ledger().roster().name(client), why);
    ask.give_up(client, why);
  }

  // Nobody waits long for those that are not there, as long as there are enough others. Returns who is left.
  std::size_t give_up_absent(WireAsk& ask, std::size_t asked) {
    std::vector<ClientId> waiting = ask.waiting();
    std::size_t left = waiting.size();
    for (const ClientId client : waiting) {
      const auto since = hub_->absent(client);
      const bool enough = ask.accepted() + left - 1 >= needed(asked);
      if (!since || !enough || *since > after(-options_.absent)) continue;
      drop(ask, client, fmt::format("it has not been connected for {} s", options_.absent));
      --left;
    }
    return left;
  }

  // The deadline has come. Returns who is left to wait for.
  std::size_t too_late(WireAsk& ask, Hub::Shelved& shelf, std::size_t asked) {
    const std::vector<ClientId> waiting = ask.waiting();
    const bool enough = ask.accepted() >= needed(asked);
    if (enough || options_.below == "stop" || stop_requested()) {
      for (const ClientId client : waiting)
        drop(ask, client, fmt::format("no answer within {} s (fleet.deadline)", options_.deadline));
      return 0;
    }
    hub_->say(fmt::format("round {}: {} of {} have answered within {} s, and {} must (fleet.quorum): {}",
                          round(), ask.accepted(), asked, options_.deadline, needed(asked),
                          options_.below == "repeat" ? "asking the others again" : "waiting for more"));
    if (options_.below == "repeat") {
      for (const ClientId client : waiting) hub_->send(client, ask, shelf, keep_from(client), true);
    }
    return waiting.size();
  }

  std::unique_ptr<net::Trial> trial_;
  Hub* hub_;
  GrpcOptions options_;
  double quorum_;
  std::vector<std::uint32_t> saved_, saved_before_;  // versions at the last two checkpoints
};

class GrpcKind : public FleetKind {
 public:
  void options(Options& o) override { options_.options(o); }
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<GrpcFleet>(context, options_, hub_);
  }
  bool outlives() const override { return true; }
  void reach(Elsewhere& clients) override { hub_ = &dynamic_cast<Hub&>(clients); }

 private:
  GrpcOptions options_;
  Hub* hub_ = nullptr;
};

const Registration<FleetKind> kGrpc{"grpc",
                                    "clients in processes elsewhere, which hold their own data and dial in",
                                    [] { return std::make_unique<GrpcKind>(); }};

}  // namespace
}  // namespace coterie
