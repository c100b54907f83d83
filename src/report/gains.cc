#include "report/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/value.h"
#include "report/number_text.h"
#include "run/identity.h"

namespace coterie {
namespace {

// What makes runs comparable, from their configs.
struct Setup {
  std::string data;  // equal: the same clients with the same samples
  std::string rest;  // equal: they differ in the method and its clusters only
};

Setup setup_of(const RunRecord& run) {
  Table config = parse_toml(run.config, run.folder + "/config.toml");
  Setup setup{data_bits_of(config), ""};
  for (const char* key : {"name", "algorithm", "clusters", "tiers", "sweep", "fleet", "checkpoint"}) {
    config.erase(key);
  }
  setup.rest = write_toml(config);
  return setup;
}

// The run of a method that another is to be compared with: the one whose config is otherwise the same, or the
// only one on the same data with the same seed.
std::optional<std::size_t> reference(const std::vector<RunRecord>& runs, const std::vector<Setup>& setups,
                                     std::size_t of, const std::string& method) {
  std::vector<std::size_t> candidates;
  if (runs[of].summary.algorithm == method || runs[of].config.empty()) return std::nullopt;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool same = setups[i].data == setups[of].data && runs[i].summary.seed == runs[of].summary.seed;
    if (!same || runs[i].summary.algorithm != method) continue;
    if (setups[i].rest == setups[of].rest) return i;
    candidates.push_back(i);
  }
  return candidates.size() == 1 ? std::optional(candidates.front()) : std::nullopt;
}

double ClientRow::*figure_of(const std::string& name) {
  if (name == "rmse") return &ClientRow::rmse;
  return name == "auc" ? &ClientRow::auc : &ClientRow::accuracy;
}

// Training clients of a run that have the figure, by id.
using Values = std::map<std::uint32_t, double>;

class Reader {
 public:
  Reader(const std::vector<RunRecord>& runs, const std::string& figure) : runs_(runs), figure_(figure) {}

  const Values& of(std::size_t run) {
    auto [it, is_new] = known_.try_emplace(run);
    if (!is_new) return it->second;
    for (const ClientRow& client : read_clients(runs_[run].folder)) {
      const double value = client.*figure_of(figure_);
      if (client.role != "train" || !std::isfinite(value)) continue;
      it->second[client.id] = value;
      if (!client.name.empty()) names_[{run, client.id}] = client.name;
    }
    return it->second;
  }
  std::string name(std::size_t run, std::uint32_t client) const {
    auto it = names_.find({run, client});
    return it == names_.end() ? "" : it->second;
  }

 private:
  const std::vector<RunRecord>& runs_;
  std::string figure_;
  std::map<std::size_t, Values> known_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::string> names_;
};

// The gain of each client over its mean of several runs.
class OverClients {
 public:
  void add(std::uint32_t client, double gain) {
    if (std::isfinite(gain)) gains_[client].push_back(gain);
  }
  std::optional<Gain> gain() const {
    if (gains_.empty()) return std::nullopt;
    Gain out;
    std::vector<double> means;
    for (const auto& [client, several] : gains_) {
      means.push_back(spread_of(several).mean);
      out.better += means.back() > 0 ? 1 : 0;
      out.worse += means.back() < 0 ? 1 : 0;
    }
    const SampleSpread spread = spread_of(means);
    out.mean = spread.mean;
    out.clients = spread.count;
    if (spread.count > 1) out.error = spread.deviation / std::sqrt(static_cast<double>(spread.count));
    return out;
  }

 private:
  std::map<std::uint32_t, std::vector<double>> gains_;
};

// "+0.18 ± 0.03": two digits of the error, and as many of the mean. Points of accuracy always have two.
std::string gain_text(const Gain& gain, bool percent) {
  constexpr int kMostDigits = 8;
  const double factor = percent ? 100 : 1;
  if (!std::isfinite(gain.error)) {
    return (gain.mean >= 0 ? "+" : "") + (percent ? percent_text(gain.mean) : number_text(gain.mean));
  }
  int digits = percent || gain.error == 0 ? 2 : 1 - static_cast<int>(std::floor(std::log10(gain.error)));
  digits = std::max(digits, 0);
  if (digits > kMostDigits) return fmt::format("{:+.3g} ± {:.2g}", gain.mean, gain.error);
  return fmt::format("{:+.{}f} ± {:.{}f}", factor * gain.mean, digits, factor * gain.error, digits);
}

std::string csv_cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

}  // namespace

bool Gains::any() const {
  return std::any_of(groups.begin(), groups.end(),
                     [](const GroupGain& g) { return g.over_fedavg || g.over_local; });
}

std::string Gains::title() const {
  if (figure == "rmse") return "Gain by client: rmse lower by (mean ± standard error over clients)";
  if (figure == "auc") return "Gain by client: auc higher by (mean ± standard error over clients)";
  return "Gain by client: accuracy higher by, in points (mean ± standard error over clients)";
}

TextTable Gains::table(const RunGroups& all) const {
  TextTable out;
  if (!any()) return out;
  for (const std::string& key : all.keys) out.column(key);
  std::vector<std::size_t> shown;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].over_fedavg && !groups[g].over_local) continue;
    shown.push_back(g);
    std::vector<Cell> cells;
    for (const std::string& value : all.groups[g].values) cells.emplace_back(shortened(value, 40));
    out.row(std::move(cells));
  }
  auto add = [&](const char* over, std::optional<Gain> GroupGain::*which) {
    if (std::none_of(groups.begin(), groups.end(), [&](const GroupGain& g) { return g.*which; })) return;
    out.column(over, Align::right);
    out.column("better", Align::right);
    out.column("worse", Align::right);
    for (std::size_t r = 0; r < shown.size(); ++r) {
      const std::optional<Gain>& gain = groups[shown[r]].*which;
      if (!gain) {
        for (int i = 0; i < 3; ++i) out.rows[r].emplace_back("–");
        continue;
      }
      out.rows[r].emplace_back(gain_text(*gain, figure == "accuracy"));
      out.rows[r].emplace_back(std::to_string(gain->better));
      out.rows[r].emplace_back(std::to_string(gain->worse));
    }
  };
  add("over fedavg", &GroupGain::over_fedavg);
  add("over local", &GroupGain::over_local);
  return out;
}

std::string Gains::remark() const {
  std::size_t compared = 0;
  for (const GroupGain& group : groups) {
    if (!group.over_local) continue;
    if (group.over_local->mean > 0) return "";
    ++compared;
  }
  return compared == 0 ? "" : "No method is better for these clients than training alone (local).";
}

std::string Gains::csv(const std::vector<RunRecord>& runs) const {
  std::string text = "folder,seed,algorithm,id,name," + figure + ",over_fedavg,over_local\n";
  for (const ClientGain& one : clients) {
    const RunRecord& run = runs[one.run];
    text += fmt::format("{},{},{},{},{},{},{},{}\n", csv_field(run.folder), run.summary.seed,
                        run.summary.algorithm, one.client, csv_field(one.name), csv_cell(one.value),
                        csv_cell(one.over_fedavg), csv_cell(one.over_local));
  }
  return text;
}

Gains gains_of(const std::vector<RunRecord>& runs, const RunGroups& groups) {
  Gains out;
  out.figure = "accuracy";
  std::vector<Setup> setups;
  for (const RunRecord& run : runs) {
    setups.push_back(setup_of(run));
    if (run.summary.one_sided()) out.figure = "auc";
    if (std::isfinite(run.summary.rmse)) out.figure = "rmse";
  }
  const double better = out.figure == "rmse" ? -1 : 1;
  Reader reader(runs, out.figure);
  for (const RunGroup& group : groups.groups) {
    OverClients fedavg;
    OverClients local;
    for (const std::size_t run : group.runs) {
      const auto to_fedavg = reference(runs, setups, run, "fedavg");
      const auto to_local = reference(runs, setups, run, "local");
      if (!to_fedavg && !to_local) continue;
      auto gain = [&](std::optional<std::size_t> other, std::uint32_t client, double value) {
        if (!other) return kAbsent;
        const Values& theirs = reader.of(*other);
        const auto it = theirs.find(client);
        return it == theirs.end() ? kAbsent : better * (value - it->second);
      };
      for (const auto& [client, value] : reader.of(run)) {
        const ClientGain one{run,
                             client,
                             reader.name(run, client),
                             value,
                             gain(to_fedavg, client, value),
                             gain(to_local, client, value)};
        fedavg.add(client, one.over_fedavg);
        local.add(client, one.over_local);
        out.clients.push_back(one);
      }
    }
    out.groups.push_back({fedavg.gain(), local.gain()});
  }
  return out;
}

}  // namespace coterie
