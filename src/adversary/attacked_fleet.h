// A fleet some of whose clients lie: wraps another fleet, for simulation only. The fleet inside, its errands
// and its clients know nothing of it.
#pragma once

#include <memory>

#include "adversary/liars.h"
#include "coterie/fleet.h"

namespace coterie {

class AttackedFleet : public Fleet {
 public:
  AttackedFleet(std::unique_ptr<Fleet> inner, std::unique_ptr<Liars> liars);

  const Liars& liars() const { return *liars_; }
  void spread(std::size_t count, const std::function<void(std::size_t)>& work) override;
  void edit(Bytes what) override;
  void save(Archive& a) override;
  void load(Archive& a) override;

 protected:
  std::vector<Desk> carry(Errand& errand, std::span<const ClientId> cohort, AskKind kind,
                          const AskName& ask) override;
  void forget() override;

 private:
  std::unique_ptr<Fleet> inner_;
  std::unique_ptr<Liars> liars_;
};

}  // namespace coterie
