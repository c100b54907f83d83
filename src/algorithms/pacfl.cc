// PACFL (Vahidian et al., AAAI 2023, Algorithm 1): before a client trains for the first time, it tells the
// principal vectors of its samples. The server groups clients whose samples span nearby subspaces, and
// federated averaging goes on inside each group.
//
//   U_i    the first p left singular vectors of the samples of client i (features x samples, not centred)
//   A_ij   degrees between U_i and U_j: the smallest principal angle (rule = "smallest", eq. 2), or the sum
//          of the angles between vectors of the same place, tr(arccos(U_i' U_j)) (rule = "sum", eq. 3)
//   groups agglomerative clustering of A, cut at `threshold` degrees (beta), or else into [clusters] count
//
// Choose it when clusters differ in their inputs (rotated images, other sensors, other classes): it finds
// them before any training, for any model. Thresholds from last_join to next_join (event "grouped") give the
// same groups. The server learns more than from a model: a first vector is nearly a class's mean sample.
//
// Differs from the paper, where all clients tell at once:
// - A client is asked at its first turn, and again at its next ones until it has told; it does not train
//   before, and is served like an unseen one, by the model of lowest loss. Its row extends A (the paper's
//   PME), and all who told are grouped again. A group goes on with the model that most of its clients had;
//   one of newcomers alone begins with the initial model, as all do.
// - Signs of singular vectors mean nothing: no angle exceeds 90 degrees. The authors' code takes the smallest
//   arccos of any two vectors, signs included; here "smallest" is the angle between subspaces.
// - Each class has vectors of its own, as in the code, which strings them together. Here a class is compared
//   with the same class, of those that both have: the smallest angle, or the mean of the sums.
// - A client with fewer than p independent samples tells fewer vectors, and "sum" is p times the mean over
//   those that both have. Clients with none in common are at right angles.
// - A client whose samples are not finite is refused and never trains. Falling below fleet.quorum because of
//   newcomers ends the run only if nobody else can train.
// - One cluster (count = 1 without a threshold) is fedavg: nobody is asked. Where fewer clients than count
//   have told, each is a cluster. Vectors are told once, also where clients are dealt others (data.redeal).
//
// Tier 4 has distance = "principal-angles": "sum" with p = 1 and by_class, as a share of a right angle.
// Coordinates of a vector sum to at least 0, so that adapt = "merge" can add up what clients tell.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "algorithms/tiers/parts.h"
#include "algorithms/tiers/prototypes.h"
#include "base/text.h"
#include "clustering/agglomerative.h"
#include "clustering/relabel.h"
#include "coterie/methods/train.h"
#include "math/kernels.h"
#include "math/singular.h"

namespace coterie {
namespace {

// The first left singular vectors of samples, one after the other; zeros in place of those that the samples
// do not have, NaN where a sample is not finite.
Vec principal_vectors(const Vec& rows, std::size_t width, std::size_t count) {
  const std::size_t samples = rows.size() / width, most = std::min({count, samples, width});
  const bool finite = std::all_of(rows.begin(), rows.end(), [](double x) { return std::isfinite(x); });
  Vec vectors(count * width, finite ? 0.0 : std::nan("")), scores(samples);
  if (!finite || most == 0) return vectors;
  const Matrix<const double> data(rows.data(), samples, width);
  const Vec found = top_left_vectors(data.transposed(), most);
  constexpr double kRounding = 1e-12;  // of squared singular values, as a share of their sum
  for (std::size_t k = 0; k < most; ++k) {
    const auto vector = std::span(found).subspan(k * width, width);
    multiply(data, Matrix<const double>(vector.data(), width, 1), Matrix<double>(scores.data(), samples, 1));
    if (!(squared_norm(std::span<const double>(scores)) > kRounding * squared_norm(std::span(rows)))) break;
    const double sign = std::accumulate(vector.begin(), vector.end(), 0.0) < 0 ? -1 : 1;
    add_scaled(sign, vector, std::span(vectors).subspan(k * width, width));
  }
  return vectors;
}

// How many groups of samples have vectors of their own.
std::size_t blocks_of(const Shape& s, bool by_class) { return by_class && s.classes > 1 ? s.classes : 1; }

// The vectors of all samples of a client, or of one class after the other.
Vec vectors_of(ClientView& view, std::size_t count, bool by_class) {
  const Samples& samples = view.samples(Part::train);
  const std::size_t width = samples.shape.width;
  std::vector<Vec> blocks(blocks_of(samples.shape, by_class));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Vec& rows = blocks[blocks.size() > 1 ? samples.label(i) : 0];
    rows.resize(rows.size() + width);
    samples.copy_row(i, std::span(rows).last(width));
  }
  Vec all;
  for (const Vec& rows : blocks) {
    const Vec vectors = principal_vectors(rows, width, count);
    all.insert(all.end(), vectors.begin(), vectors.end());
  }
  return all;
}

constexpr std::uint32_t kMostDirections = 1000;

struct PacflNote {
  Items items = Items::none();
  std::uint32_t directions = 1;
  bool by_class = false;
  void fields(Archive& a) {
    a.overhead([&] { a(items, directions, by_class); });
  }
};
struct PacflReply {
  Vec vectors;
  void fields(Archive& a) { a.about_sender(vectors); }
};
const Job<PacflNote, PacflReply> kTellVectors("pacfl-vectors", [](const Shelf&, const PacflNote& note,
                                                                  ClientView& view) {
  if (note.directions > kMostDirections) throw Error("it was asked for more directions than there can be");
  return PacflReply{vectors_of(view, note.directions, note.by_class)};
});

double degrees(double cosine) { return std::acos(std::min(std::fabs(cosine), 1.0)) * 180 / std::numbers::pi; }

// How far two clients are apart by what they told, in degrees.
struct SubspaceAngle {
  std::size_t width = 1;
  std::size_t count = 1;  // p
  bool smallest = true;

  double operator()(const Vec& a, const Vec& b) const {
    double least = 90, sum = 0, pairs = 0;
    Vec cosines(count * count), image(count);
    const Matrix<double> product(cosines.data(), count, count), row(image.data(), 1, count);
    const auto there = [&](const double* vector) { return squared_norm(std::span(vector, width)) > 0; };
    for (std::size_t block = 0; block < a.size(); block += count * width) {
      const Matrix<const double> u(a.data() + block, count, width), v(b.data() + block, count, width);
      multiply(u, v.transposed(), product);
      for (std::size_t k = 0; k < count && there(u.data + k * width) && there(v.data + k * width); ++k) {
        sum += degrees(cosines[k * count + k]);
        pairs += 1;
      }
      if (!smallest) continue;
      const Vec leading = top_left_vectors(product, 1);
      multiply(Matrix<const double>(leading.data(), 1, count), product, row);
      least = std::min(least, degrees(std::sqrt(squared_norm(std::span<const double>(image)))));
    }
    return smallest ? least : static_cast<double>(count) * (pairs > 0 ? sum / pairs : 90);
  }
};

// A client that has told.
struct Known {
  ClientId client = 0;
  Vec vectors;  // U
  Vec angles;   // its row of A, up to the diagonal
  void fields(Archive& a) { a(client, vectors, angles); }
};

class Pacfl : public Algorithm {
 public:
  void options(Options& o) override {
    o("directions", &directions_, "vectors that a client tells, of each class if by_class",
      between(1, kMostDirections));
    o.choice("rule", rule_, {"smallest", "sum"},
             "the smallest principal angle, or the sum of the angles between vectors of the same place");
    o("threshold", &threshold_,
      "degrees up to which groups are joined; default: until clusters.count are left", at_least(0));
    o.choice("linkage", linkage_, {"average", "complete", "single"},
             "how far groups are apart: their clients on average, the farthest, or the nearest");
    o("by_class", &by_class_, "take the vectors of each class, not those of all samples");
  }
  std::size_t start_models() const override { return 1; }
  std::vector<std::string> warnings(const Fleet&) const override {
    if (!setting_->redealt) return {};
    return {"data.redeal: pacfl groups clients by the samples that they have at their first turn"};
  }
  std::vector<const AnyJob*> jobs() const override { return {&kTellVectors, &train_job()}; }

  void start(Fleet& fleet, Start start) override {
    initial_ = start.models[0];
    models_ = {initial_};
    clusters_.assign(fleet.clients(), !threshold_ && setting_->clusters == 1 ? 0 : kUnknownCluster);
    known_.clear();
  }
  void round(Fleet& fleet, const Round& round) override {
    const auto placed = [&](ClientId i) { return clusters_[i] != kUnknownCluster; };
    std::vector<ClientId> newcomers, cohort;
    std::remove_copy_if(round.cohort.begin(), round.cohort.end(), std::back_inserter(newcomers), placed);
    if (!newcomers.empty()) hear(fleet, newcomers, newcomers.size() < round.cohort.size());
    std::copy_if(round.cohort.begin(), round.cohort.end(), std::back_inserter(cohort), placed);
    const auto cluster_of = [&](ClientId i) { return clusters_[i]; };
    if (!cohort.empty()) train_and_average(fleet, *setting_, cohort, cluster_of, 0, models_);
  }
  Offer offer() const override { return {models_}; }
  Items offer_items(ClientId client) const override {
    const bool known = client < clusters_.size() && clusters_[client] != kUnknownCluster;
    return known ? Items::only({clusters_[client]}) : Items::all();
  }
  void fields(Archive& a) override { a(initial_, models_, clusters_, known_); }

 private:
  // Asks clients for their vectors, extends A by those who tell, and groups all.
  void hear(Fleet& fleet, std::span<const ClientId> newcomers, bool others_train) {
    const Shape& shape = setting_->model.shape();
    const SubspaceAngle angle{shape.width, static_cast<std::size_t>(directions_), rule_ == "smallest"};
    const std::size_t size = blocks_of(shape, by_class_) * angle.count * shape.width;
    const auto refuse = [&](ClientId, const PacflReply& reply) -> std::string {
      if (reply.vectors.size() != size) return "it tells another number of principal vectors than asked";
      for (std::size_t k = 0; k < size; k += shape.width) {
        const double square = squared_norm(std::span(reply.vectors).subspan(k, shape.width));
        if (square != 0 && std::fabs(square - 1) > 1e-3) return "its principal vectors are not of length 1";
      }
      return "";
    };
    Collect<PacflReply, Vec> told([](PacflReply& reply) { return std::move(reply.vectors); }, refuse,
                                  size * sizeof(double));
    const PacflNote note{Items::none(), static_cast<std::uint32_t>(directions_), by_class_};
    try {
      fleet.ask(kTellVectors, newcomers, Shelf(), [&](ClientId) { return note; }, {&told});
    } catch (const BelowQuorum&) {
      if (!others_train) throw;
      return;
    }
    const std::size_t before = known_.size();
    for (auto& [client, vectors] : told.items)
      known_.push_back({client, std::move(vectors), Vec(known_.size())});
    fleet.spread(told.items.size(), [&](std::size_t n) {
      Known& one = known_[before + n];
      for (std::size_t j = 0; j < before + n; ++j) one.angles[j] = angle(one.vectors, known_[j].vectors);
    });
    if (!told.items.empty()) group(fleet);
  }

  void group(Fleet& fleet) {
    const std::size_t count = known_.size();
    Vec matrix;
    std::vector<std::uint32_t> before;
    for (const Known& one : known_) {
      matrix.insert(matrix.end(), one.angles.begin(), one.angles.end());
      matrix.resize(matrix.size() + count - one.angles.size());
      before.push_back(clusters_[one.client]);
    }
    const Dendrogram tree = agglomerate(matrix, count, linkage_named(linkage_));
    const std::vector<std::uint32_t> now =
        threshold_ ? tree.cut_at(*threshold_) : tree.cut_into(std::min(setting_->clusters, count));
    const std::size_t groups = *std::max_element(now.begin(), now.end()) + std::size_t{1};
    const std::vector<std::uint32_t> numbers = renumbered(before, now, groups, kUnknownCluster);
    std::vector<std::vector<std::size_t>> had(groups, std::vector<std::size_t>(models_.size(), 0));
    for (std::size_t i = 0; i < count; ++i) {
      if (before[i] != kUnknownCluster) ++had[now[i]][before[i]];
      clusters_[known_[i].client] = numbers[now[i]];
    }
    std::vector<Vec> models(groups);
    for (std::size_t g = 0; g < groups; ++g) {
      const auto most = std::max_element(had[g].begin(), had[g].end());
      models[numbers[g]] = *most == 0 ? initial_ : models_[static_cast<std::size_t>(most - had[g].begin())];
    }
    models_ = std::move(models);
    const std::size_t joins = count - groups;
    Event event{0, "grouped", {}, counted(count, "client") + " in " + counted(groups, "cluster"), {}};
    if (joins > 0) event.numbers.emplace_back("last_join", tree.joins[joins - 1].distance);
    if (groups > 1) event.numbers.emplace_back("next_join", tree.joins[joins].distance);
    fleet.report(std::move(event));
  }

  std::int64_t directions_ = 3;  // p
  std::string rule_ = "smallest";
  std::optional<double> threshold_;  // beta
  std::string linkage_ = "average";
  bool by_class_ = true;
  Vec initial_;
  std::vector<Vec> models_;
  std::vector<std::uint32_t> clusters_;  // of the training clients
  std::vector<Known> known_;             // in the order in which they came
};

const Registration<Algorithm> kPacfl{
    "pacfl", "clients whose samples span nearby subspaces are grouped, then averaged inside each group",
    [] { return std::make_unique<Pacfl>(); }};

class PrincipalAngles : public TierDistance {
 public:
  void prepare(const TierOptions& options, const Setting& setting) override {
    weighs_ = options.pair_weights;
    angle_ = {setting.model.shape().width, 1, false};
    size_ = blocks_of(setting.model.shape(), true) * angle_.width;
  }
  Source source() const override { return Source::told_once; }
  Vec trace(const Shared&, ClientView& view) const override { return vectors_of(view, 1, true); }
  std::size_t trace_size() const override { return size_; }
  Vec matrix(std::span<const Told* const> who, std::size_t cluster, std::span<const Vec>) const override {
    const std::size_t count = who.size();
    Vec distances(count * count, 0.0), weights;
    for (std::size_t i = 0; i < count; ++i) {
      weights.push_back(who[i]->weights[cluster]);
      for (std::size_t j = 0; j < i; ++j) {
        distances[i * count + j] = distances[j * count + i] = angle_(who[i]->trace, who[j]->trace) / 90;
      }
    }
    if (weighs_) weigh_pairs(distances, weights);
    return distances;
  }

 private:
  bool weighs_ = true;
  std::size_t size_ = 0;
  SubspaceAngle angle_;
};

const Registration<TierDistance> kPrincipalAngles{
    "principal-angles",
    "angles between the principal vectors of the samples of each class, told once (PACFL)",
    [] { return std::make_unique<PrincipalAngles>(); }};

}  // namespace
}  // namespace coterie
