// The server half of methods whose clients keep a model of their own and take steps that the server chooses
// for them: who has a model, where the others start, and how a client is served.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/personal/client.h"
#include "coterie/algorithm.h"
#include "coterie/methods/slots.h"
#include "math/points.h"

namespace coterie {

class PersonalMethod : public Algorithm {
 public:
  bool personal() const override { return true; }
  std::vector<std::string> warnings(const Fleet&) const override;
  std::optional<std::size_t> steps_on_gradients() const override { return batch(); }

  Vec settle(const Shelf&, ClientView&) const override { return {1.0}; }
  Shared model_of(const Shelf& offer, const Vec&, ClientView& view) const override;
  Predictions predict(const Shelf& offer, const Vec&, ClientView& view, Part part) const override;
  Offer offer() const override { return {starts_}; }
  Items offer_items(ClientId client) const override;

 protected:
  // Whether threshold clustering combines vectors, in place of [aggregate] kind.
  virtual bool by_threshold() const { return false; }

  // Whether clients also train by [local] and combine by [aggregate] kind, beside the steps of their models.
  virtual bool trains_beside() const { return false; }

  // B_i of the paper's algorithms: over how many samples a client takes its gradients in a round; 0: over
  // all.
  void batch_option(Options& o);
  std::uint32_t batch() const { return static_cast<std::uint32_t>(batch_); }

  void begin(const Fleet& fleet, Start start);
  // Which of the start's models a client begins with: its cluster's if the start knows it, else the first.
  std::uint32_t start_of(ClientId client) const;
  bool has_model(ClientId client) const { return has_model_[client] != 0; }
  const Vec& start_model(ClientId client) const { return starts_[start_of(client)]; }

  // Groups by number, where a client that had no turn yet (kUnknownCluster) is alone: in a group of its own
  // after the first `count`.
  static std::vector<std::uint32_t> with_singles(std::vector<std::uint32_t> group_of, std::size_t count);

  // Sends each of these clients one of the vectors as its step.
  void take_steps(Fleet& fleet, std::span<const ClientId> clients, std::vector<Vec> vectors,
                  const std::function<std::uint32_t(ClientId)>& which, double momentum);

  // The gradients of a cohort at their own models, or their running means, by client; for grouping.
  struct Gathered {
    std::vector<ClientId> clients;
    Vec values;
    Points points() const { return {values, clients.size(), values.size() / clients.size()}; }
  };
  Gathered gather_vectors(Fleet& fleet, std::span<const ClientId> cohort, double alpha) const;

  // What must hold of a vector that a client sends: of the model's size, finite, within aggregate.limit.
  std::unique_ptr<Slots> form() const { return setting_->aggregate.slots(1, setting_->model.size(), 1); }

  void personal_fields(Archive& a) { a(starts_, memberships_, has_model_); }

 private:
  std::int64_t batch_ = 0;
  std::vector<Vec> starts_;
  std::vector<std::uint32_t> memberships_;  // of the start; may be empty
  std::vector<std::uint8_t> has_model_;
};

}  // namespace coterie
