// Every ask goes through here, whatever the fleet: it gets its number, is checked against the budget, is
// carried, and its books are closed.
#include "coterie/fleet.h"

#include <numeric>

#include "fleet/errand.h"
#include "fleet/ledger.h"

namespace coterie {

Fleet::Fleet(std::shared_ptr<Ledger> ledger) : ledger_(std::move(ledger)) {}
Fleet::~Fleet() = default;

std::size_t Fleet::clients() const { return ledger_->roster().training(); }
std::size_t Fleet::samples(ClientId client) const { return ledger_->roster().info(client).train; }
Precision Fleet::precision() const { return ledger_->precision(); }
double Fleet::memory() const { return ledger_->limits().memory; }
std::uint32_t Fleet::round() const { return ledger_->round(); }

std::vector<ClientId> Fleet::everyone() const {
  std::vector<ClientId> all(clients());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

std::vector<ClientId> Fleet::ask_any(AskKind kind, const AnyJob& job, std::span<const ClientId> cohort,
                                     const Shelf& shelf, const std::function<Letter(ClientId)>& letter_to,
                                     std::vector<AnyFold*> folds) {
  Errand errand(job, shelf, letter_to, std::move(folds));
  const bool training = kind == AskKind::work;
  const AskName ask = training ? ledger_->next_ask() : ledger_->evaluation();
  ledger_->check_budget(errand.bytes_each(), cohort.size());
  std::vector<Desk> desks = carry(errand, cohort, kind, ask);
  errand.close();
  return ledger_->close_ask(desks, cohort.size(), training, ask.ask);
}

std::vector<Desk> Fleet::carry_by(Fleet& inner, Errand& errand, std::span<const ClientId> cohort,
                                  AskKind kind, const AskName& ask) {
  return inner.carry(errand, cohort, kind, ask);
}

void Fleet::in_turns(std::size_t turns, const std::function<void(std::size_t)>& work) {
  ledger_->in_turns(turns, work);
}

void Fleet::before_rounds(const std::function<void(const Begin&)>& work) {
  const Begin begin = [this](std::uint32_t round, std::uint16_t first_ask) {
    ledger_->begin_round(round, Purpose::restart, first_ask);
  };
  try {
    work(begin);
  } catch (...) {
    forget();
    throw;
  }
  forget();
}

void Fleet::spread(std::size_t count, const std::function<void(std::size_t)>& work) {
  for (std::size_t i = 0; i < count; ++i) work(i);
}

void Fleet::edit(Bytes what) { ledger_->edit(std::move(what)); }
void Fleet::forget() { ledger_->forget(); }
void Fleet::report(Event event) { ledger_->report(std::move(event)); }
void Fleet::begin_round(std::uint32_t round) { ledger_->begin_round(round, Purpose::work, 0); }
Traffic& Fleet::traffic() { return ledger_->traffic(); }
std::vector<Event> Fleet::take_events() { return ledger_->take_events(); }

}  // namespace coterie
