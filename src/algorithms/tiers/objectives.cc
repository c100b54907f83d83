// Tier 1: what the models of a cluster maximise.
//
//   conditional   L_k = P_k(y given x)
//   correlation   L_k = P_k(y given x) / P_k(y)     (FedRC: P(x, y) / (P(x) P(y)))
//
// P_k(y = c) is the share of class c among the samples of cluster k, F_kc / sum_c' F_kc', where F_kc = sum_i
// F_ikc and F_ikc = sum_j [y_ij = c] gamma_ijk comes from client i's last reply (Algorithm 3); the P of a
// round is that of the rounds before, and uniform at first. A class that a cluster has none of counts 1e-8,
// not 0. By a constant P the gradient does not change: only weights do. The objective is not monotone in P:
// the update of the counts minimises the term that they enter.
//
// Differs from public code: new clients and test clients are given P too; there they find weights as in
// FedEM.
#include <algorithm>
#include <cmath>

#include "algorithms/tiers/parts.h"
#include "algorithms/tiers/rows.h"

namespace coterie {
namespace {

Vec minus(const std::vector<Vec>& losses) {
  const std::size_t clusters = losses.size(), rows = losses[0].size();
  Vec logs(rows * clusters);
  for (std::size_t k = 0; k < clusters; ++k) {
    for (std::size_t j = 0; j < rows; ++j) logs[j * clusters + k] = -losses[k][j];
  }
  return logs;
}

class Conditional : public TierObjective {
 public:
  Vec log_likelihoods(const std::vector<Vec>& losses, std::span<const Shared>, ClientView&) const override {
    return minus(losses);
  }
};

class Correlation : public TierObjective {
 public:
  bool soft_only() const override { return true; }
  void prepare(const TierOptions& options, const Setting& setting) override {
    hold_after_ = options.hold_after;
    const bool classes = setting.model.loss_kind() == LossKind::cross_entropy;
    // A binary model has one output.
    const bool binary = setting.model.loss_kind() == LossKind::logistic;
    classes_ = binary ? 2 : classes ? setting.model.outputs() : 1;
  }
  std::vector<std::string> warnings() const override {
    if (classes_ > 1) return {};
    return {
        "objective = \"correlation\" divides by the shares of classes, but there are none: it is "
        "\"conditional\""};
  }

  std::size_t figure_count() const override { return 1; }
  Vec log_likelihoods(const std::vector<Vec>& losses, std::span<const Shared> figures,
                      ClientView& view) const override {
    Vec logs = minus(losses);
    const std::size_t clusters = losses.size();
    Vec log_shares;
    if (figures[0].size() != clusters * classes_) throw Error("it was sent figures of another size");
    for (const double share : figures[0].values()) log_shares.push_back(std::log(share));
    const Samples& samples = view.samples(Part::train);
    for (std::size_t j = 0; j < logs.size(); ++j) {
      logs[j] -= log_shares[(j % clusters) * classes_ + class_of(samples, j / clusters)];
    }
    return logs;
  }
  std::size_t told_size(std::size_t clusters) const override { return clusters * classes_; }
  Vec tell(std::span<const double> gamma, std::size_t clusters, ClientView& view) const override {
    Vec counts(clusters * classes_, 0.0);
    const Samples& samples = view.samples(Part::train);
    for (std::size_t j = 0; j < gamma.size(); ++j) {
      counts[(j % clusters) * classes_ + class_of(samples, j / clusters)] += gamma[j];
    }
    return counts;
  }

  void start(Fleet& fleet, std::size_t clusters) override {
    counts_.assign(fleet.clients(), {});
    rounds_ = 0;
    shares_.assign(clusters * classes_, 1 / static_cast<double>(classes_));
  }
  std::vector<Vec> figures() const override { return {shares_}; }
  std::string refuse(const Vec& told) const override {
    const bool good = told.size() == shares_.size() &&
                      std::all_of(told.begin(), told.end(), [](double count) { return count >= 0; });
    return good ? "" : "its counts of classes cannot be";
  }
  void hear(ClientId client, Vec told) override { counts_[client] = std::move(told); }
  void learn() override {
    ++rounds_;
    if (!hold_after_ || rounds_ <= static_cast<std::uint32_t>(*hold_after_)) {
      for (std::size_t k = 0; k * classes_ < shares_.size(); ++k) count(k);
    }
  }
  // Server side of Algorithms 4 and 5: a new cluster has the counts of the one that it came from. After a
  // merger the sum of both has a P, held or not; those of the others stay.
  void edited(const ClusterEdit& edit) override {
    for (Vec& one : counts_) edit_rows(edit, one, classes_);
    edit_rows(edit, shares_, classes_);
    if (edit.kind == ClusterEdit::Kind::merge) count(edit.cluster - (edit.other < edit.cluster ? 1 : 0));
  }
  void fields(Archive& a) override { a(counts_, shares_, rounds_); }

 private:
  // P of a cluster from the counts.
  void count(std::size_t cluster) {
    const std::size_t begin = cluster * classes_;
    Vec sums(classes_, 0.0);
    for (const Vec& one : counts_) {
      for (std::size_t c = 0; c < classes_ && !one.empty(); ++c) sums[c] += one[begin + c];
    }
    double total = 0;
    for (double& sum : sums) total += sum = std::max(sum, 1e-8);
    for (std::size_t c = 0; c < classes_; ++c) shares_[begin + c] = sums[c] / total;
  }
  std::size_t class_of(const Samples& samples, std::size_t row) const {
    return classes_ == 1 ? 0 : std::min<std::size_t>(samples.label(row), classes_ - 1);
  }
  std::size_t classes_ = 1;
  std::optional<std::int64_t> hold_after_;
  std::uint32_t rounds_ = 0;
  std::vector<Vec> counts_;  // F of every client's last reply: clusters x classes; empty: not heard of
  Vec shares_;               // P_k(y), clusters x classes
};

const Registration<TierObjective> kConditional{
    "conditional",
    "P(y given x): clusters differ in how labels follow from inputs (FedEM, IFCA, most others)",
    [] { return std::make_unique<Conditional>(); }};
const Registration<TierObjective> kCorrelation{
    "correlation", "P(y given x) / P(y): clusters differ in concepts, whatever the mix of labels (FedRC)",
    [] { return std::make_unique<Correlation>(); }};

}  // namespace
}  // namespace coterie
