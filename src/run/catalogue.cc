#include "run/catalogue.h"

#include <set>

#include "base/add_ons.h"
#include "base/option_readers.h"
#include "coterie/methods/slots.h"
#include "coterie/methods/tiers.h"
#include "coterie/metric.h"
#include "run/config.h"

namespace coterie {
namespace {

template <class T>
std::vector<OptionDoc> docs_of(T& declared) {
  if constexpr (requires(Options & o) { declared.options(o); }) {
    OptionLister lister;
    declared.options(lister);
    return lister.docs;
  } else {
    return {};
  }
}

template <class Interface>
CatalogueKind kind_of(const std::string& name, const std::string& section, bool own_table = false) {
  CatalogueKind kind{name, section, own_table, {}};
  const auto& registry = Registry<Interface>::instance();
  for (const std::string& one : registry.names()) {
    auto plugin = registry.make(one);
    kind.entries.push_back({one, registry.find(one)->sentence, docs_of(*plugin)});
  }
  for (const AddOn& add_on : add_ons()) {
    for (const AddOnNames& one : add_on.brings) {
      if (one.kind != name || registry.find(one.name) != nullptr) continue;
      kind.entries.push_back({one.name, one.sentence + " (not built: make " + add_on.name + ")", {}});
    }
  }
  return kind;
}

// Parts of tiers have their options in the table of the method that they are part of.
template <class Part>
CatalogueKind tier_of(const std::string& key) {
  CatalogueKind kind{"tiers", "[tiers] " + key, false, {}};
  const auto& registry = Registry<Part>::instance();
  for (const std::string& one : registry.names()) {
    kind.entries.push_back({one, registry.find(one)->sentence, {}});
  }
  return kind;
}

template <class T>
CatalogueEntry section_of(const std::string& name, const std::string& sentence) {
  T section;
  return {name, sentence, docs_of(section)};
}

}  // namespace

std::vector<CatalogueKind> catalogue() {
  return {kind_of<Source>("datasets", "[data] source"),
          kind_of<Shift>("shifts", "[[shift]] kind"),
          kind_of<Partition>("partitions", "[clients] partition"),
          kind_of<Model>("models", "[model] kind"),
          kind_of<Init>("inits", "[clusters] init", true),
          kind_of<Algorithm>("algorithms", "[algorithm] kind", true),
          tier_of<TierObjective>("objective"),
          tier_of<TierWeights>("weights"),
          tier_of<TierAdapt>("adapt"),
          tier_of<TierDistance>("distance"),
          kind_of<Solver>("solvers", "[local] solver"),
          kind_of<Aggregator>("aggregators", "[aggregate] kind"),
          kind_of<Attack>("attacks", "[attack] kind"),
          kind_of<Metric>("metrics", "[evaluate] metrics"),
          kind_of<FleetKind>("fleets", "[fleet] kind")};
}

const std::vector<std::string>& config_keys() {
  static const std::vector<std::string> all = [] {
    std::set<std::string> keys;
    auto add = [&](const std::string& section, const CatalogueEntry& entry) {
      for (const OptionDoc& doc : entry.options) keys.insert(section + "." + doc.name);
    };
    for (const CatalogueEntry& section : config_sections()) add(section.name, section);
    for (const CatalogueKind& kind : catalogue()) {
      if (kind.own_table) continue;
      // "[model] kind" -> "model"; a list of tables ("[[shift]] kind") has no one place
      const std::size_t end = kind.section.find(']');
      if (end == std::string::npos || kind.section.starts_with("[[")) continue;
      for (const CatalogueEntry& entry : kind.entries) add(kind.section.substr(1, end - 1), entry);
    }
    return std::vector<std::string>(keys.begin(), keys.end());
  }();
  return all;
}

std::vector<CatalogueEntry> config_sections() {
  return {section_of<DataOptions>("data", "besides the source's own options"),
          section_of<ClientsOptions>("clients", "besides the partition's own options"),
          section_of<UnseenOptions>("unseen", "clients that never train: they choose a model and are scored"),
          section_of<AugmentOptions>("augment",
                                     "what a model sees of an image, in training and when it is judged"),
          section_of<ClustersOptions>("clusters", "the models and their start"),
          section_of<Tiers>("tiers", "parts that replace the method's own"),
          section_of<AggregateOptions>("aggregate", "how the vectors of a cluster are combined"),
          section_of<AttackOptions>("attack", "clients that lie"),
          section_of<RoundsOptions>("rounds", "how long, and who takes part"),
          section_of<EvaluateOptions>("evaluate", "what is evaluated, and how often"),
          section_of<FleetOptions>("fleet", "where the clients are"),
          section_of<CheckpointOptions>("checkpoint", "how often the state is saved")};
}

}  // namespace coterie
