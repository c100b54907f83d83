// What the program is made of: the preset's parts, those of the config in their place, and combinations
// without meaning.
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/tiers/heads_model.h"
#include "algorithms/tiers/program.h"
#include "base/option_readers.h"
#include "base/text.h"

namespace coterie {

Tiered::Tiered(std::string name, TierChoice choice, TierOptions options)
    : options_(std::move(options)), name_(std::move(name)), preset_(std::move(choice)), defaults_(options_) {
  given_.refuse = [this] {
    resolve();
    return nonsense();
  };
  given_.text = [this] { return parts_text(); };
}
Tiered::~Tiered() = default;

// The config's parts take the place of the preset's.
void Tiered::resolve() {
  choice_ = preset_;
  choose_parts();
  choice_.objective = given_.objective.value_or(choice_.objective);
  choice_.weights = given_.weights.value_or(choice_.weights);
  choice_.adapt = given_.adapt.value_or(choice_.adapt);
  options_.gap = options_.by_gap(choice_.adapt);
  if (options_.gap && choice_.adapt == "merge" && !given_.adapt) choice_.adapt = "group";
  if (!options_.gap && choice_.adapt == "divide" && !given_.adapt) choice_.adapt = "fixed";
  if (choice_.adapt == "merge") options_.gap = false;
  objective_ = Registry<TierObjective>::instance().make(choice_.objective);
  weights_ = Registry<TierWeights>::instance().make(choice_.weights);
  adapt_ = Registry<TierAdapt>::instance().make(choice_.adapt);
  if (adapt_->distance() == "none" || choice_.distance == "none") choice_.distance = adapt_->distance();
  if (options_.gap && choice_.adapt.starts_with("split-")) choice_.distance = "local-change";
  choice_.distance = given_.distance.value_or(choice_.distance);
  distance_ = Registry<TierDistance>::instance().make(choice_.distance);
}

// Why a combination of parts and options has no meaning; "" when it has.
std::string Tiered::nonsense() const {
  std::string why = adapt_->refuse(*weights_, *distance_);
  const bool needs = adapt_->distance() != "none";
  if (needs && choice_.distance == "none") {
    why = fmt::format("{} needs a distance, for instance \"{}\"", choice_.adapt, adapt_->distance());
  } else if (!needs && choice_.distance != "none") {
    why = fmt::format("{} looks at no distance; leave tiers.distance out", choice_.adapt);
  } else if (objective_->soft_only() && !weights_->mixes()) {
    why = fmt::format(
        "{} is about responsibilities for samples, which {} does not have; use weights = \"em\" or "
        "\"sample-soft\"",
        choice_.objective, choice_.weights);
  } else if (options_.extractor && weights_->rule == TierWeights::Rule::loss_counts) {
    why =
        "loss-counts keeps a whole model at each client, so that no extractor is shared; use extractor = "
        "false";
  } else if (options_.prox_to == "all" && weights_->rule == TierWeights::Rule::loss_counts) {
    why =
        "loss-counts pulls a client's own model towards the clusters' by its weights, so that prox_to = "
        "\"all\" does nothing; use prox_to = \"own\"";
  } else if (options_.extractor && half().pulls_to_all()) {
    why = "prox_to = \"all\" is about whole models; use prox_to = \"own\" with an extractor";
  }
  return why.empty() ? why : parts_text() + ": " + why;
}

// What the data or the solver rule out.
void Tiered::refuse_setting() const {
  if (weights_->rule == TierWeights::Rule::sample_soft && options_.mu > 0 && setting_->redealt) {
    throw Error(parts_text() +
                ": sample-soft keeps weights for each sample, but clients are dealt other samples "
                "(data.redeal); use mu = 0.0");
  }
}

std::string Tiered::parts_text() const {
  return fmt::format(
      "algorithm.kind = \"{}\" with tiers.objective = \"{}\", weights = \"{}\", adapt = \"{}\", distance = "
      "\"{}\"",
      name_, choice_.objective, choice_.weights, choice_.adapt, choice_.distance);
}

void Tiered::prepare(const Setting& setting) {
  Algorithm::prepare(setting);
  resolve();
  if (const std::string why = nonsense(); !why.empty()) throw Error(why);
  refuse_setting();
  objective_->prepare(options_, setting);
  distance_->prepare(options_, setting);
  adapt_->prepare(options_, setting, *weights_);
  sharing_ = Sharing();
  if (options_.extractor && HeadsModel::can_share(setting.model)) {
    std::vector<std::string> names;
    for (const Layer& layer : setting.model.layers()) {
      if (layer.offset < setting.model.head()) names.push_back(layer.name);
    }
    sharing_ = Sharing(setting.model, names, "algorithm." + name_ + ".extractor");
  }
  clusters_.hard = weights_->hard();
  clusters_.by_shares = weights_->rule == TierWeights::Rule::loss_counts;
  clusters_.own_features = distance_->source() == TierDistance::Source::told && !sharing_.any() &&
                           (setting.model.head() > 0 || distance_->at_own_model());
  clusters_.parts = ClusterEdit::Parts::halves;
  if (weights_->hard() || options_.split_way() == "hard") {
    clusters_.parts = ClusterEdit::Parts::whole;
  } else if (options_.split_way() == "reset") {
    clusters_.parts = ClusterEdit::Parts::reset;
  }
  clusters_.edited = [this](const ClusterEdit& edit) { objective_->edited(edit); };
  TierReply empty;
  empty.chosen = weights_->rule == TierWeights::Rule::lowest_loss;
  job_ = std::make_unique<const Job<TierNote, TierReply>>(
      "tiers",
      [this](const Shelf& shelf, const TierNote& note, ClientView& view) {
        return std::move(half().work({&shelf, 1}, {&note, 1}, {&view, 1})[0]);
      },
      [this](const std::vector<Shelf>& shelves, const std::vector<TierNote>& notes,
             std::vector<ClientView>& views) { return half().work(shelves, notes, views); },
      empty);
  trace_job_ = std::make_unique<const Job<TraceNote, TraceReply>>(
      "tiers-trace", [this](const Shelf& shelf, const TraceNote&, ClientView& view) {
        return TraceReply{distance_->trace(shelf[0], view)};
      });
}

bool Tiered::trains() const { return choice_.weights != "loss-counts"; }

// Options with a value of their own that no part of this run reads.
std::vector<std::string> Tiered::unread() const {
  OptionLister before, now;
  TierOptions defaults = defaults_, options = options_;
  defaults.options(before);
  options.options(now);
  std::vector<std::string> texts;
  for (std::size_t j = 0; j < now.docs.size(); ++j) {
    const auto reader = options.readers.find(now.docs[j].name);
    if (reader == options.readers.end() || now.docs[j].fallback == before.docs[j].fallback) continue;
    const auto here = [&](const std::string& part) {
      return part == choice_.objective || part == choice_.weights || part == choice_.adapt ||
             part == choice_.distance || (part == "extractor = true" && options_.extractor);
    };
    if (std::any_of(reader->second.begin(), reader->second.end(), here)) continue;
    texts.push_back(fmt::format("algorithm.{}.{} does nothing here: it is for {}", name_, reader->first,
                                either(reader->second)));
  }
  return texts;
}

std::vector<std::string> Tiered::warnings(const Fleet&) const {
  std::vector<std::string> all = objective_->warnings();
  for (std::string& text : unread()) all.push_back(std::move(text));
  if (weights_->rule == TierWeights::Rule::loss_counts && half().prox() == 0) {
    all.push_back(
        fmt::format("algorithm.{}.prox = 0 with weights = \"loss-counts\": nothing pulls clients to the "
                    "clusters' models, "
                    "so that every client trains alone",
                    name_));
  }
  if (options_.extractor && !sharing_.any()) {
    all.push_back(
        "the model has no layer before its last, so that clusters have whole models: there is no extractor "
        "to share");
  }
  return all;
}

std::size_t Tiered::start_models() const { return adapt_->starts(setting_->clusters); }

std::vector<const AnyJob*> Tiered::jobs() const {
  if (job_ == nullptr) return {};  // not prepared yet
  return {job_.get(), trace_job_.get()};
}

std::unique_ptr<Algorithm> make_tiered(std::string name, TierChoice choice, TierOptions options) {
  return std::make_unique<Tiered>(std::move(name), std::move(choice), std::move(options));
}

}  // namespace coterie
