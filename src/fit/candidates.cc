#include "fit/candidates.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace coterie {
namespace {

// A network is tried where there are so many training rows for each of its parameters.
constexpr std::size_t kRowsPerParameter = 5;
constexpr double kRidge = 0.003;  // of likelihoods: model.l2
constexpr std::int64_t kHidden = 16;
constexpr std::int64_t kNetworkRounds = 30;

Value text(std::string value) { return {std::move(value), {}}; }
Value number(std::int64_t value) { return {value, {}}; }

class Lister {
 public:
  Lister(const Table& base, const FitOptions& options, const Contestants& who)
      : base_(base), options_(options), who_(who) {}

  std::vector<Candidate> list() {
    const std::string first = options_.model == "auto" ? who_.plain_model : options_.model;
    const bool plain = first == "linear" || first == "logistic" || first == "softmax";
    plain ? of_plain_model(first) : of_network(first, "", counts());
    if (options_.model == "auto" && rows_allow_network()) of_network("mlp", "mlp-", network_counts());
    // Until its session says what models it makes, a method is taken to make groups.
    for (const std::string& method : options_.methods) {
      const bool alone = method == "local" || method == "local-erm";
      add_method(method, "method-" + method, "method " + method, alone ? Answer::local : Answer::clusters,
                 first, alone ? 1 : std::max<std::size_t>(2, who_.groups_found));
      all_.back().named = true;
    }
    return std::move(all_);
  }

 private:
  // A group needs clients: no more groups than half of them.
  std::vector<std::size_t> counts() const {
    std::vector<std::size_t> counts = options_.counts();
    std::erase_if(counts, [&](std::size_t k) { return 2 * k > who_.clients; });
    return counts;
  }
  // Networks take long: only as many groups as the test of the plain model found.
  std::vector<std::size_t> network_counts() const {
    std::vector<std::size_t> few = counts();
    std::erase_if(few, [&](std::size_t k) { return k != std::max<std::size_t>(2, who_.groups_found); });
    return few;
  }
  bool rows_allow_network() const {
    const std::size_t outputs = std::max<std::size_t>(1, who_.shape.classes);
    const std::size_t parameters = kHidden * (who_.shape.width + 1) + outputs * (kHidden + 1);
    return who_.rows >= kRowsPerParameter * parameters && who_.rows >= 1000;
  }

  void of_plain_model(const std::string& model) {
    const bool classes = who_.shape.task == Task::classification;
    Candidate& none = add("baseline", classes ? "shares of classes, no column" : "the mean, no column",
                          Answer::baseline, model, 1, "full");
    none.blank = true;
    add("one-model", "one model for all", Answer::one_model, model, 1, "full");
    Candidate& own = add("own-intercept", "one model, own intercepts", Answer::shrink, model, 1, "validated");
    set_path(own.config, "algorithm.shrink.own", text("intercept"));
    add("shrink", "own models, pulled together", Answer::shrink, model, 1, "validated");
    for (const std::size_t k : counts())
      add(fmt::format("clusters-{}", k), counted(k, "group"), Answer::clusters, model, k, "full");
    for (const std::size_t k : counts()) {
      add(fmt::format("clusters-{}-shrink", k), counted(k, "group") + ", own models inside",
          Answer::clusters_shrink, model, k, "validated");
    }
    add("local", "every client alone", Answer::local, model, 1, "none");
  }

  // Models that are trained in rounds. Their groups are found by training (ifca), not by estimates.
  void of_network(const std::string& model, const std::string& prefix,
                  const std::vector<std::size_t>& group_counts) {
    const std::string with = " (" + model + ")";
    add(prefix + "one-model", "one model for all" + with, Answer::one_model, model, 1, "full");
    add(prefix + "shrink", "own models, pulled together" + with, Answer::shrink, model, 1, "validated");
    for (const std::size_t k : group_counts)
      add_method("ifca", fmt::format("{}clusters-{}", prefix, k), counted(k, "group") + with,
                 Answer::clusters, model, k);
    add_method("local", prefix + "local", "every client alone" + with, Answer::local, model, 1);
  }

  Candidate& add(std::string name, std::string words, Answer answer, const std::string& model,
                 std::size_t clusters, const std::string& pull) {
    Candidate& one = all_.emplace_back();
    one.name = std::move(name);
    one.words = std::move(words);
    one.answer = answer;
    one.method = "shrink";
    one.model = model;
    one.clusters = clusters;
    one.config = of_kind("shrink", model, clusters);
    set_path(one.config, "algorithm.shrink.pull", text(pull));
    return one;
  }

  void add_method(const std::string& method, std::string name, std::string words, Answer answer,
                  const std::string& model, std::size_t clusters) {
    Candidate& one = all_.emplace_back();
    one.name = std::move(name);
    one.words = std::move(words);
    one.answer = answer;
    one.method = method;
    one.model = model;
    one.clusters = clusters;
    one.config = of_kind(method, model, clusters);
  }

  Table of_kind(const std::string& method, const std::string& model, std::size_t clusters) const {
    Table config = base_;
    set_path(config, "model.kind", text(model));
    // Without it a client whose classes a line tells apart is infinitely sure of them.
    if (model == "softmax" || model == "logistic") set_path(config, "model.l2", {kRidge, {}});
    if (model == "mlp") set_path(config, "model.hidden", {Array{number(kHidden)}, {}});
    set_path(config, "clusters.count", number(static_cast<std::int64_t>(clusters)));
    set_path(config, "algorithm.kind", text(method));
    if (clusters > 1 && method == "shrink") set_path(config, "clusters.init", text("mixture"));
    if (base_.find("rounds") == nullptr)
      set_path(config, "rounds.count", number(model == "mlp" ? kNetworkRounds : 50));
    return config;
  }

  const Table& base_;
  const FitOptions& options_;
  const Contestants& who_;
  std::vector<Candidate> all_;
};

}  // namespace

std::string answer_name(Answer answer) {
  switch (answer) {
    case Answer::baseline:
      return "baseline";
    case Answer::one_model:
      return "one-model";
    case Answer::shrink:
      return "shrink";
    case Answer::clusters:
      return "clusters";
    case Answer::clusters_shrink:
      return "clusters-shrink";
    case Answer::local:
      return "local";
  }
  return "";
}

std::vector<Candidate> list_candidates(const Table& base, const FitOptions& options, const Contestants& who) {
  return Lister(base, options, who).list();
}

}  // namespace coterie
