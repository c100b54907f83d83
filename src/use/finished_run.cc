#include "use/finished_run.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/disk.h"
#include "base/sealed_summary.h"
#include "base/value.h"
#include "data/formats/safetensors.h"
#include "run/config.h"
#include "run/folder.h"
#include "run/meeting.h"
#include "run/model_files.h"
#include "run/posterior.h"
#include "run/scales.h"
#include "run/sweep_folder.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& folder, const std::string& why) {
  throw BadConfig("error: " + folder + ": " + why);
}

[[noreturn]] void damaged(const std::string& path) {
  throw Error(path + " was changed or damaged after the run; restore it, or run again with --force");
}

Json read_json(const std::string& path) {
  Json json = Json::parse(read_file(path), nullptr, false);
  if (!json.is_object()) damaged(path);
  return json;
}

// An entry of [data], if it is of this type.
template <class T>
const T* entry(const Table& config, const char* path) {
  const Value* value = find_path(config, path);
  return value == nullptr ? nullptr : std::get_if<T>(&value->data);
}

}  // namespace

FinishedRun::FinishedRun(Welcome welcome)
    : folder_("the server's run"),
      method_name_(std::move(welcome.method)),
      program_text_(std::move(welcome.program)),
      agreement_text_(std::move(welcome.agreement)),
      reading_text_(std::move(welcome.reading)),
      means_(welcome.means),
      soft_(welcome.soft),
      sizes_(std::move(welcome.sizes)),
      temperature_(welcome.temperature) {
  read_data_section(parse_toml(reading_text_, "how the server's run reads its data"));
  program_ = std::make_unique<ClientProgram>(program_text_, agreement_text_);
  if (!program_->agreement().table) throw Error("its samples do not come from a table");
  const std::size_t size = program_->model().size();
  bool fits = temperature_ > 0 && std::isfinite(temperature_) && sizes_.size() <= welcome.offer.size();
  for (const double one : sizes_) fits = fits && one >= 0 && std::isfinite(one);
  for (std::size_t k = 0; k < welcome.offer.size(); ++k) {
    fits = fits && (k >= sizes_.size() || welcome.offer[k].size() == size);
    offer_.add(Shared(std::move(welcome.offer[k]), program_->precision()));
  }
  if (!fits) throw Error("the server's run does not fit together");
}

Welcome FinishedRun::welcome() const {
  Welcome all{
      method_name_, reading_text_, program_text_, agreement_text_, means_, soft_, sizes_, temperature_, {}};
  for (std::size_t k = 0; k < offer_.size(); ++k) all.offer.push_back(offer_[k].values());
  return all;
}

FinishedRun::FinishedRun(const std::string& folder) : folder_(folder) {
  const RunFolder run(folder);
  if (!is_folder(folder)) refuse(folder, "there is no such folder; give the folder of a finished run");
  if (SweepFolder(folder).holds_sweep()) refuse(folder, "holds a sweep; give the folder of one of its runs");
  if (!run.holds_run() && is_file(run.file("decision.json")))
    refuse(folder, "holds a fit; give the folder of the run that it chose, " + run.file("run"));
  if (!run.holds_run()) refuse(folder, "holds no run; give the folder that coterie run wrote (--out)");
  if (!run.finished()) refuse(folder, "its run is not finished; go on with coterie run ... --resume");
  check_summary(folder, read_summary(folder), Vouched::all);
  for (const char* name : {"config.toml", "agreement.toml"}) {
    if (!is_file(run.file(name)))
      throw Error(run.file(name) + " is missing; restore it, or run again with --force");
  }
  read_config(read_file(run.file("config.toml")));
  agreement_text_ = read_file(run.file("agreement.toml"));
  try {
    program_ = std::make_unique<ClientProgram>(program_text_, agreement_text_);
  } catch (const BadConfig&) {
    damaged(run.file("agreement.toml"));
  }
  if (!program_->agreement().table) {
    refuse(folder, "its samples do not come from a table, so that rows of a table cannot be used with it");
  }
  if (!is_file(run.file("assign.json"))) {
    refuse(folder, "has no assign.json: an older version of coterie wrote it; run again with --force");
  }
  read_assign(run.file("assign.json"));
}

void FinishedRun::read_config(const std::string& text) {
  const std::string path = folder_ + "/config.toml";
  const Table table = parse_toml(text, path);
  Problems problems;
  const Config config = coterie::read_config(table, path, problems);
  problems.raise_if_any();
  program_text_ = config.text();
  method_name_ = config.algorithm_kind;
  reading_text_ = reading_text(config);
  read_data_section(table);
}

void FinishedRun::read_data_section(const Table& table) {
  if (const auto* client = entry<std::string>(table, "data.client"); client && !client->empty())
    reading_.client = *client;
  if (const auto* weight = entry<std::string>(table, "data.weight"); weight && !weight->empty())
    reading_.weight = *weight;
  if (const auto* decimal = entry<std::string>(table, "data.decimal"))
    reading_.decimal_commas = *decimal == ",";
  if (const auto* missing = entry<Array>(table, "data.missing")) {
    for (const Value& one : *missing) {
      if (const auto* token = std::get_if<std::string>(&one.data)) reading_.missing.push_back(*token);
    }
  }
  if (const auto* threshold = entry<double>(table, "data.threshold")) reading_.threshold = *threshold;
  if (const auto* whole = entry<std::int64_t>(table, "data.threshold"))
    reading_.threshold = static_cast<double>(*whole);
  if (const auto* impute = entry<std::string>(table, "data.impute")) reading_.dropped = *impute == "drop-row";
  if (const auto* separator = entry<std::string>(table, "data.separator");
      separator && separator->size() == 1)
    reading_.separator = (*separator)[0];
}

void FinishedRun::read_assign(const std::string& path) {
  const Json json = read_json(path);
  try {
    const auto models = json.at("clusters").get<std::size_t>();
    means_ = json.at("means_of_clients").get<bool>();
    soft_ = json.at("soft").get<bool>();
    sizes_ = json.at("sizes").get<Vec>();
    temperature_ = json.at("temperature").get<double>();
    if (sizes_.size() != models || !(temperature_ > 0)) damaged(path);
    if (json.at("run") != fmt::format("{:016x}", program_->run())) damaged(folder_ + "/config.toml");
    for (const Json& one : json.at("clients")) {
      Known known;
      known.id = one.at("id").get<ClientId>();
      known.cluster = one.at("cluster").get<std::uint32_t>();
      known.weights = one.at("weights").get<Vec>();
      known.model = one.at("model").get<bool>();
      known_[one.at("name").get<std::string>()] = std::move(known);
    }
    read_offer(json.at("extras").get<std::vector<std::size_t>>(), models);
  } catch (const Json::exception&) {
    damaged(path);
  }
  if (table().scaling == "each" && is_file(folder_ + "/" + kScalesFile))
    scales_ = Scales::read(folder_ + "/" + kScalesFile, table()).clients;
  if (method().keeps() == Algorithm::Keeps::samples && is_file(folder_ + "/" + kMemoriesFile)) {
    for (auto& [client, state] : Memories::read(folder_ + "/" + kMemoriesFile).clients)
      memories_[client] = std::move(state);
  }
}

void FinishedRun::read_offer(const std::vector<std::size_t>& extras, std::size_t models) {
  const Precision precision = program_->precision();
  const auto read = [&](const std::string& name, const std::vector<Layer>& layers) {
    const std::string path = folder_ + "/" + name;
    if (!is_file(path)) throw Error(path + " is missing; restore it, or run again with --force");
    return read_safetensors(path, layers);
  };
  for (std::size_t k = 0; k < models; ++k) {
    offer_.add(Shared(read(cluster_model_file(k), program_->model().layers()), precision));
  }
  if (extras.empty()) return;
  const Vec all = read(kExtrasFile, extra_layers(extras));
  auto at = all.begin();
  for (const std::size_t size : extras) {
    offer_.add(Shared(Vec(at, at + static_cast<std::ptrdiff_t>(size)), precision));
    at += static_cast<std::ptrdiff_t>(size);
  }
}

Vec FinishedRun::settle(ClientView& view) const {
  return means_ ? method().Algorithm::settle(offer_, view) : method().settle(offer_, view);
}

Vec FinishedRun::costs(ClientView& view) const {
  return means_ ? method().Algorithm::costs(offer_, view) : method().costs(offer_, view);
}

Vec FinishedRun::likely(const Vec& costs) const { return posterior(costs, sizes_, temperature_); }

Vec FinishedRun::by_size() const {
  const double all = std::accumulate(sizes_.begin(), sizes_.end(), 0.0);
  Vec weights = sizes_;
  for (double& one : weights) one = all > 0 ? one / all : 1 / static_cast<double>(weights.size());
  return weights;
}

Predictions FinishedRun::predict(const Vec& weights, ClientView& view, Part part) const {
  return means_ ? method().Algorithm::predict(offer_, weights, view, part)
                : method().predict(offer_, weights, view, part);
}

const FinishedRun::Known* FinishedRun::find(const std::string& name) const {
  const auto found = known_.find(name);
  if (found == known_.end()) return nullptr;
  const Known& known = found->second;
  // Without its scale, its model or its memory it can only be met as a new one.
  if (table().scaling == "each" && !scales_.contains(known.id)) return nullptr;
  const bool whole = method().keeps() == Algorithm::Keeps::samples ? memories_.contains(known.id)
                     : method().personal()                         ? known.model
                                                                   : true;
  return whole ? &known : nullptr;
}

const TableSchema& FinishedRun::table_of(const Known& known) const {
  const auto found = scales_.find(known.id);
  return found == scales_.end() ? table() : found->second;
}

Bytes FinishedRun::state_of(const Known& known) const {
  const auto found = memories_.find(known.id);
  return found == memories_.end() ? Bytes() : found->second;
}

Predictions FinishedRun::predict(const Known& known, ClientView& view, Part part) const {
  if (!known.model) return method().predict(offer_, known.weights, view, part);
  const std::string path = folder_ + "/" + client_model_file(known.id);
  if (!is_file(path)) throw Error(path + " is missing; restore it, or run again with --force");
  return predict_mixture({view.to_shared(read_safetensors(path, program_->model().layers()))}, {1.0}, view,
                         part);
}

}  // namespace coterie
