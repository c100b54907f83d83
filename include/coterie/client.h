// The client's side of an exchange: what it was sent (shelf items) and what it can see (its own data, its own
// state, its own random stream; nothing else).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "coterie/detail/archive.h"
#include "coterie/model.h"
#include "coterie/solver.h"
#include "coterie/source.h"

namespace coterie {

// Which items of the shelf a client is sent.
class Items {
 public:
  static Items all() { return Items(); }
  static Items none() { return Items(std::vector<std::uint32_t>{}); }
  static Items only(std::vector<std::uint32_t> which) { return Items(std::move(which)); }
  Items() = default;

  bool has(std::size_t item) const;
  void fields(Archive& a) {
    a.overhead([&] { a(all_, which_); });
  }

 private:
  explicit Items(std::vector<std::uint32_t> which) : all_(false), which_(std::move(which)) {}
  bool all_ = true;
  std::vector<std::uint32_t> which_;
};

// Vectors that many clients read: sent once to a process, never copied inside one. A client's shelf has holes
// where an item was not for it. Copies are cheap: they hold the same list until an item is added to one.
class Shelf {
 public:
  Shelf() = default;
  Shelf(const std::vector<Vec>& items, Precision precision);

  void add(Shared item);
  std::size_t size() const { return items_ ? items_->size() : 0; }
  bool has(std::size_t item) const { return item < size() && static_cast<bool>((*items_)[item]); }
  const Shared& operator[](std::size_t item) const;
  // What one client gets of it.
  Shelf only(const Items& items) const;
  void fields(Archive& a);

 private:
  using List = std::vector<Shared>;
  std::shared_ptr<List> items_;  // none when empty
};

class GramCache;

// What is the same for every client of a process: where samples are, and what a client program says.
struct Engine {
  const Shards& shards;
  const Model& model;
  const Solver& solver;
  Precision precision = Precision::f32;
  std::uint64_t seed = 1;
  GramCache* grams = nullptr;  // where inner products are kept from round to round, if anywhere
};

// What a client knows about the ask it answers.
struct AskName {
  Purpose purpose = Purpose::work;
  std::uint32_t round = 1;
  std::uint16_t ask = 0;

  bool operator==(const AskName&) const = default;
};

// How `train` departs from plain training by the config's solver.
struct Training {
  double prox = 0;                  // strength of  prox/2 |w - centre|^2
  const Shared* centre = nullptr;   // default: the start itself
  std::span<const double> weights;  // of the training rows, besides those that the data gives them
  std::uint32_t slot = 0;           // which of several models this is: each has its own surviving momentum
  Vec* momentum = nullptr;          // where the caller keeps surviving momentum itself, instead of a slot
  double rate = 0;                  // if above 0: the step size, instead of the solver's own
};

class ClientView {
 public:
  // `state` is what the client kept after its last accepted reply; empty for a client that never took part.
  ClientView(const Engine& engine, ClientId id, const AskName& ask, Bytes state);
  ~ClientView();
  ClientView(ClientView&&) noexcept;
  ClientView& operator=(ClientView&&) noexcept;

  ClientId id() const { return id_; }
  std::uint32_t round() const { return ask_.round; }
  Precision precision() const { return engine_->precision; }
  const Model& model() const { return engine_->model; }
  const Solver& solver() const { return engine_->solver; }
  // This client's random numbers for this ask.
  Stream& stream() { return stream_; }

  const Samples& samples(Part part);
  // From now on the training part is one of `slices` disjoint, equal slices of its rows, which were put in a
  // random order once for the whole run.
  void use_slice(std::size_t slice, std::size_t slices);
  // From now on the training part is `rows` of its rows, drawn without replacement from this client's stream,
  // in their order; all of them when there are no more. 0 draws nothing and leaves the part as it is.
  void use_batch(std::size_t rows);
  // From now on the training part is this one.
  void use_part(Part part);
  std::size_t count(Part part) { return samples(part).size(); }
  // All rows of a part as a matrix at the run's precision; valid until the view dies.
  template <class Real>
  Batch<Real> batch(Part part);
  // How much each row of a part counts, with a mean of 1; empty when all count the same. Batches have them
  // too.
  std::span<const double> row_weights(Part part);
  Shared to_shared(Vec values) const { return Shared(std::move(values), engine_->precision); }

  // Throws Error unless these are as many numbers as the model has parameters. Whatever works on a model that
  // was sent asks this first; so do the functions below.
  void expect_model(const Shared& w) const;

  // --- arithmetic on this client's own data, at the run's precision -------------------------------------
  // The loss of each row, and their mean by the rows' weights (0 for an empty part), without the L2 term.
  Vec losses(const Shared& w, Part part = Part::train);
  double mean_loss(const Shared& w, Part part = Part::train);
  // Gradient of the mean loss over the training part, L2 term included.
  Numbers gradient(const Shared& w);
  // Trains a copy of `start` by the config's solver.
  Numbers train(const Shared& start, const Training& how = {});
  // What each of the models predicts of a part (rows x outputs), some rows at a time, so that one pass over
  // the rows serves all of them and the rows need not be whole in memory. A single model's losses come with
  // them.
  using TakePredictions =
      std::function<void(std::size_t model, std::size_t first_row, std::span<const double> outputs,
                         std::span<const double> losses)>;
  void predict(std::span<const Shared> models, Part part, const TakePredictions& take);

  // For models with a first layer: the sums of the training rows under its weights (rows x outputs), and the
  // inner products of their inputs (rows x rows); valid until the view dies. The sums of one model are kept,
  // so that an evaluation is also the first half of the first local step.
  template <class Real>
  std::span<const Real> first_sums(const Shared& w);
  bool knows_first_sums(const Shared& w) const;
  template <class Real>
  void keep_first_sums(const Shared& w, Room<Real> sums);
  template <class Real>
  std::span<const Real> gram();
  // Owns the rows that batch<Real>(Part::train) points to, also after the view's end.
  template <class Real>
  std::shared_ptr<const void> training_rows();

  // --- what this client keeps between rounds -------------------------------------------------------------
  // The method's own state, T{} at first. Changes count only once the server has accepted the reply. Vec
  // fields are kept at the run's precision, plain doubles exactly.
  template <class T>
  T& state() {
    if (!own_) {
      auto value = std::make_shared<T>();
      if (!own_bytes_.empty()) *value = decode<T>(own_bytes_, engine_->precision);
      own_ = value;
      encode_own_ = [value, p = engine_->precision] { return encode(*value, p); };
    }
    return *static_cast<T*>(own_.get());
  }
  // Another client's data under this client's state: how a personal model does on a shared test set. For
  // evaluation in a simulation only.
  ClientView on_data_of(ClientId other);
  // The client's whole state (the method's own, and surviving momentum) as it is after the work.
  Bytes final_state();

 private:
  struct Buffers;
  void use_rows(const Samples& whole, std::span<const std::uint32_t> which);

  const Engine* engine_;
  ClientId id_;
  AskName ask_;
  Stream stream_;
  std::unique_ptr<Buffers> buffers_;
  std::vector<Numbers> momentum_;
  Bytes own_bytes_;
  std::shared_ptr<void> own_;
  std::function<Bytes()> encode_own_;
};

// The sums of rows, whose inputs to the first layer are given, under that layer of a shared model; row by row
// the same bits however many rows there are.
template <class Real>
void sums_under(const Model& model, const Shared& w, const Batch<Real>& rows, const Real* inputs, Real* sums);

// Row-wise mean of the losses, summed in row order.
double mean(std::span<const double> values);

}  // namespace coterie
