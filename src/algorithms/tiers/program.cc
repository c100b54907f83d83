#include "algorithms/tiers/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "coterie/methods/slots.h"
#include "coterie/methods/train.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// A reply as the server reads it.
struct Heard {
  Told told;
  Vec figures;
  double loss = 0;
  void fields(Archive& a) { a(told, figures, loss); }
};

}  // namespace

// Adds what a client trained to the clusters it belongs to, and its extractor to the shared one.
class Tiered::IntoClusters : public Fold<TierReply> {
 public:
  using Fold::add;
  using Fold::add_block;
  using Fold::refuse;
  IntoClusters(const Tiered& program, const Fleet& fleet, Slots& own, Slots& common)
      : program_(program), fleet_(fleet), own_(own), common_(common) {}

  std::uint64_t bytes_each() const override {
    return own_.bytes_each() * own_.count() + common_.bytes_each();
  }
  void open(unsigned workers) override {
    own_.open(workers);
    common_.open(workers);
  }
  std::string refuse(ClientId client, const TierReply& reply) const override {
    std::string reason = program_.refuse(client, reply);
    if (!reason.empty()) return reason;
    for (const Slots::Piece& one : pieces(client, reply)) {
      reason = own_.refuse(one.slot, one.weight, *one.values);
      if (!reason.empty()) return reason;
    }
    return common_.refuse(0, weight(client), reply.common);
  }
  void add(unsigned worker, ClientId client, TierReply& reply) override {
    const std::pair<ClientId, TierReply*> one{client, &reply};
    add_block(worker, {&one, 1});
  }
  void add_block(unsigned worker, std::span<const std::pair<ClientId, TierReply*>> replies) override {
    std::vector<Slots::Piece> own, common;
    for (const auto& [client, reply] : replies) {
      const std::vector<Slots::Piece> some = pieces(client, *reply);
      own.insert(own.end(), some.begin(), some.end());
      common.push_back({client, 0, weight(client), &reply->common});
    }
    own_.add_block(worker, own);
    common_.add_block(worker, common);
  }
  void merge(Peers& peers) override {
    own_.merge(peers);
    common_.merge(peers);
  }
  void close() override {
    own_.close();
    common_.close();
  }

 private:
  double weight(ClientId client) const { return client_weight(*program_.setting_, fleet_, client); }
  std::vector<Slots::Piece> pieces(ClientId client, const TierReply& reply) const {
    std::vector<Slots::Piece> some;
    if (program_.weights_->hard()) {
      some.push_back({client, program_.home(reply), weight(client), &reply.own[0]});
      return some;
    }
    const bool mixes = program_.weights_->mixes();
    const bool whole = mixes && !program_.options_.by_responsibility();
    for (std::size_t k = 0; k < program_.clusters_.count(); ++k) {
      const double share = whole ? 1 : std::min(1.0, reply.weights[k]);
      if (mixes && share == 0) continue;  // it has nothing to do with the cluster
      some.push_back({client, k, weight(client) * share, &reply.own[mixes ? k : 0]});
    }
    return some;
  }

  const Tiered& program_;
  const Fleet& fleet_;
  Slots& own_;
  Slots& common_;
};

void Tiered::start(Fleet& fleet, Start start) {
  anchor_ = start.models[0];
  said_.clear();
  std::vector<Vec> own;
  Vec common;
  bool differ = false;
  for (std::size_t k = 0; k < start.models.size(); ++k) {
    auto [shared, rest] = sharing_.split(start.models[k]);
    if (k == 0) {
      common = std::move(shared);
    } else {
      differ = differ || shared != common;
    }
    own.push_back(std::move(rest));
  }
  if (differ && start.models != random_models(*setting_, start.models.size(), 0)) {
    fleet.report(
        {0,
         "warning",
         {},
         "the models of the start have different extractors, of which the first is kept: the other heads "
         "were made for others",
         {}});
  }
  clusters_.start(std::move(own), std::move(common), fleet.clients());
  // Clients of soft rules begin with equal weights: a start says nothing of what theirs are.
  for (std::size_t i = 0; weights_->hard() && i < start.memberships.size(); ++i) {
    if (start.memberships[i] < clusters_.count()) {
      clusters_.put(static_cast<ClientId>(i), start.memberships[i]);
    }
  }
  objective_->start(fleet, clusters_.count());
}

TierNote Tiered::note_for(ClientId client) const {
  TierNote note;
  note.slots = clusters_.slots;
  note.home = clusters_.home(client);
  note.decided =
      weights_->hard() && weights_->rule != TierWeights::Rule::lowest_loss && note.home != kUnknownCluster;
  note.trace = looking_ && distance_->source() == TierDistance::Source::told;
  std::vector<std::uint32_t> items;
  for (std::uint32_t k = 0; k < clusters_.count(); ++k) {
    if (!note.decided || k == note.home) items.push_back(k);
  }
  auto next = static_cast<std::uint32_t>(clusters_.count());
  if (sharing_.any()) items.push_back(next++);
  for (std::size_t f = 0; f < objective_->figure_count(); ++f) items.push_back(next++);
  if (half().pulls_to_all()) items.push_back(next);
  if (note.decided) note.items = Items::only(std::move(items));
  return note;
}

// Where a hard rule puts a client: where it says it is, or at the model nearest to what it trained.
std::uint32_t Tiered::home(const TierReply& reply) const {
  if (weights_->rule != TierWeights::Rule::nearest_parameters) return reply.home;
  const Vec trained = reply.own[0];
  Vec distances;
  const std::size_t count = std::min(trained.size(), setting_->model.trainable());
  for (const Vec& model : clusters_.sent) {
    distances.push_back(squared_distance(std::span(trained).first(count), std::span(model).first(count)));
  }
  return static_cast<std::uint32_t>(lowest(distances));
}

// Why a reply cannot be honest; "" when it can.
std::string Tiered::refuse(ClientId client, const TierReply& reply) const {
  const std::size_t count = clusters_.count();
  const TierNote note = note_for(client);
  if (reply.home >= count) return fmt::format("it chose model {} of {}", reply.home, count);
  if (weights_->hard() && !note.items.has(reply.home)) {
    return fmt::format("it chose model {}, which it was not sent", reply.home);
  }
  if (reply.own.size() != (weights_->mixes() ? count : 1))
    return "it trained another number of models than asked";
  for (const Numbers& own : reply.own) {
    if (own.size() != clusters_.models[0].size()) return "it trained a model of another size";
  }
  if (reply.weights.size() != (weights_->hard() ? 0 : count)) return "its weights do not fit the clusters";
  const double sum = std::accumulate(reply.weights.begin(), reply.weights.end(), 0.0);
  const bool negative =
      std::any_of(reply.weights.begin(), reply.weights.end(), [](double w) { return w < 0; });
  if (!weights_->hard() && (negative || std::fabs(sum - 1) > 1e-3)) {
    return fmt::format("its weights are not shares: they sum to {:g}", sum);
  }
  if (reply.trace.size() != (note.trace ? distance_->trace_size() : 0)) {
    return "what it tells of itself has another size than asked";
  }
  return objective_->refuse(reply.told);
}

// Asks those of a cohort whom the distance wants to hear of once, and were not heard yet, at the anchor;
// returns those who were heard.
std::vector<ClientId> Tiered::heard_of(Fleet& fleet, std::span<const ClientId> cohort) {
  std::vector<ClientId> known, others;
  for (const ClientId i : cohort) (clusters_.traces[i].empty() ? others : known).push_back(i);
  if (others.empty()) return known;
  const std::size_t size = distance_->trace_size();
  Collect<TraceReply, Vec> traces(
      [](TraceReply& reply) { return std::move(reply.trace); },
      [&](ClientId, const TraceReply& reply) {
        return reply.trace.size() == size ? "" : "its trace has another size than asked";
      },
      size * sizeof(double));
  try {
    fleet.ask(*trace_job_, others, Shelf({anchor_}, fleet.precision()), [](ClientId) { return TraceNote{}; },
              {&traces});
  } catch (const BelowQuorum&) {
    if (known.empty()) throw;
    return known;  // a few newcomers' faults do not end the round: they are asked again at their next turn
  }
  for (auto& [client, trace] : traces.items) {
    clusters_.traces[client] = std::move(trace);
    known.push_back(client);
  }
  std::sort(known.begin(), known.end());
  return known;
}

void Tiered::round(Fleet& fleet, const Round& round) {
  const bool once = distance_->source() == TierDistance::Source::told_once;
  looking_ = adapt_->looks(round);
  if (once && adapt_->renews(round)) {
    anchor_ = sharing_.any() ? sharing_.join(clusters_.common, clusters_.models[0]) : clusters_.models[0];
    clusters_.traces.assign(clusters_.traces.size(), {});
  }
  const std::vector<ClientId> cohort = once && looking_ ? heard_of(fleet, round.cohort) : round.cohort;
  adapt_->enter(clusters_, cohort, fleet, round);
  clusters_.sent = clusters_.models;
  std::vector<Vec> items = clusters_.models;
  if (sharing_.any()) items.push_back(clusters_.common);
  for (Vec& figure : objective_->figures()) items.push_back(std::move(figure));
  if (half().pulls_to_all()) items.push_back(clusters_.global);

  const double total = total_weight(*setting_, fleet, cohort);
  auto own = setting_->aggregate.slots(clusters_.count(), clusters_.models[0].size(), total);
  auto common = setting_->aggregate.slots(1, clusters_.common.size(), total);
  IntoClusters means(*this, fleet, *own, *common);
  const bool keeps = adapt_->keeps_models() || distance_->source() == TierDistance::Source::trained;
  Collect<TierReply, Heard> replies([&](TierReply& reply) { return heard<Heard>(reply, keeps); }, nullptr,
                                    kept_bytes(keeps));
  auto note = [&](ClientId i) { return note_for(i); };
  fleet.ask(*job_, cohort, Shelf(items, fleet.precision()), note, {&means, &replies});

  for (std::size_t k = 0; k < clusters_.count(); ++k) {
    clusters_.models[k] = own->mean_or(k, clusters_.models[k]);
  }
  learn_global(*own);
  clusters_.common = common->mean_or(0, clusters_.common);
  std::vector<Told> told;
  said_.clear();
  for (auto& [client, reply] : replies.items) {
    reply.told.client = client;
    reply.told.weight = client_weight(*setting_, fleet, client);
    said_.push_back({client, static_cast<double>(fleet.samples(client)), reply.loss});
    clusters_.weights[client] = reply.told.weights;
    objective_->hear(client, std::move(reply.figures));
    if (once) reply.told.trace = clusters_.traces[client];
    told.push_back(std::move(reply.told));
  }
  objective_->learn();
  adapt_->adapt(clusters_, told, *distance_, fleet, round);
}

// The mean of what everybody trained: of the clusters' means, each by the weight of its clients. Another rule
// combines them as it does the vectors of a cluster, else a lie in a small cluster would reach everybody.
void Tiered::learn_global(const Slots& own) {
  if (setting_->aggregate.kind != "mean") {
    std::vector<Contribution> trained;
    for (std::uint32_t k = 0; k < clusters_.count(); ++k) {
      if (own.weight(k) > 0) trained.push_back({k, own.weight(k), clusters_.models[k]});
    }
    if (!trained.empty()) clusters_.global = setting_->aggregate.aggregator->combine(trained);
    return;
  }
  Vec mean(clusters_.global.size(), 0.0);
  double total = 0;
  for (std::size_t k = 0; k < clusters_.count(); ++k) {
    if (own.weight(k) > 0) add_scaled(own.weight(k), clusters_.models[k], mean);
    total += own.weight(k);
  }
  if (!(total > 0)) return;
  scale(1 / total, mean);
  clusters_.global = std::move(mean);
}

// What the server keeps of a reply until the round is over.
template <class Kept>
Kept Tiered::heard(TierReply& reply, bool keeps) const {
  Kept out;
  const std::size_t count = clusters_.count();
  Told& told = out.told;
  told.began = reply.home;
  told.home = weights_->hard() ? home(reply) : reply.home;
  told.weights = std::move(reply.weights);
  if (weights_->hard()) {
    told.weights.assign(count, 0.0);
    told.weights[told.home] = 1;
  }
  if (keeps) {
    told.trained.resize(count);
    told.trainable = setting_->model.trainable();
    told.trained[told.home] = reply.own[weights_->mixes() ? told.home : 0];
  }
  told.trace = std::move(reply.trace);
  out.figures = std::move(reply.told);
  out.loss = reply.loss;
  return out;
}

std::uint64_t Tiered::kept_bytes(bool keeps) const {
  const std::size_t models = keeps ? 1 : 0;
  const std::size_t own = models * clusters_.models[0].size(), weights = clusters_.count();
  return sizeof(double) * (own + weights + objective_->told_size(weights) + distance_->trace_size());
}

void Tiered::fields(Archive& a) {
  a(clusters_, anchor_, said_);
  objective_->fields(a);
  adapt_->fields(a);
}

}  // namespace coterie
