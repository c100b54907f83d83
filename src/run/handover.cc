#include "run/handover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.h"
#include "data/formats/safetensors.h"
#include "fleet/client_program.h"
#include "fleet/use_jobs.h"
#include "math/kernels.h"
#include "run/model_files.h"
#include "run/posterior.h"

namespace coterie {
namespace {

using Json = nlohmann::ordered_json;

class Gatherer {
 public:
  Gatherer(Session& session, const Evaluation& evaluation)
      : session_(session), method_(session.algorithm()), evaluation_(evaluation) {}

  Handover gather() {
    const Offer offer = method_.offer();
    if (!method_.personal()) {
      made_.models = offer.models;
      made_.extras = offer.extras;
    }
    const Traffic before = session_.fleet().traffic();
    if (method_.keeps() == Algorithm::Keeps::model) gather_models(offer);
    if (session_.roster().table() != nullptr) {
      place_clients();
      if (made_.models.size() > 1) fit();
      if (method_.keeps() == Algorithm::Keeps::samples) remember(offer);
      if (session_.roster().table()->scaling == "each") keep_scales();
    }
    session_.fleet().traffic() = before;
    return std::move(made_);
  }

 private:
  void note(const std::string& text) { session_.fleet().report({0, "note", {}, text, {}}); }

  std::vector<ClientId> honest() const {
    std::vector<ClientId> all;
    for (const ClientId i : session_.fleet().everyone()) {
      if (!std::binary_search(session_.liars().begin(), session_.liars().end(), i)) all.push_back(i);
    }
    return all;
  }

  void gather_models(const Offer& offer) {
    const std::vector<ClientId> asked = honest();
    const double each = session_.fleet().precision() == Precision::f32 ? sizeof(float) : sizeof(double);
    const double bytes = each * static_cast<double>(session_.config().model->size() * asked.size());
    if (asked.size() > Handover::kMostModels || bytes > Handover::kMostBytes) {
      note(
          fmt::format("the models of {} are not written to files: at most {} and {} are; they stay in "
                      "checkpoint/",
                      counted(asked.size(), "client"), Handover::kMostModels,
                      human_bytes(static_cast<std::uint64_t>(Handover::kMostBytes))));
      return;
    }
    Collect<OwnModelReply, Numbers> told(
        [](OwnModelReply& reply) { return std::move(reply.model); },
        [size = session_.config().model->size()](ClientId, const OwnModelReply& reply) -> std::string {
          const std::size_t got = reply.model.size();
          return got == 0 || got == size ? "" : "its model has another size";
        });
    const auto note_of = [&](ClientId i) {
      return OwnModelNote{offer.travelling(method_.offer_items(i)), offer.packing()};
    };
    session_.fleet().ask_eval(own_model_job(), asked, Shelf(offer.items(), session_.fleet().precision()),
                              note_of, {&told});
    for (auto& [client, model] : told.items) {
      if (model.size() > 0) made_.of_client[client] = std::move(model);
    }
  }

  // Clusters, sizes and weights, and the means of clusters of models.
  void place_clients() {
    const Roster& roster = session_.roster();
    const bool clusters = evaluation_.has_clusters();
    if (evaluation_.clustered) average_found();
    made_.sizes.assign(made_.models.size(), 0.0);
    for (const ClientScore& score : evaluation_.scores) {
      if (score.role != Role::train) continue;
      Vec weights = score.weights;
      if (method_.personal()) {
        weights.assign(made_.models.size(), 0.0);
        if (score.cluster < weights.size()) weights[score.cluster] = 1;
      }
      made_.soft = made_.soft || (!weights.empty() && *std::max_element(weights.begin(), weights.end()) < 1 &&
                                  !method_.personal());
      for (std::size_t k = 0; k < weights.size() && k < made_.sizes.size(); ++k) made_.sizes[k] += weights[k];
      if (const std::string name = roster.name(score.client); !name.empty()) {
        made_.clients.push_back({score.client, name, clusters ? score.cluster : score.client, weights});
      }
    }
  }

  void average_found() {
    const std::vector<std::uint32_t> groups = method_.found_clusters();
    std::size_t count = 0;
    for (const auto& [client, model] : made_.of_client)
      count = std::max<std::size_t>(count, groups[client] + 1);
    if (count == 0) return;
    if (count > Handover::kMostFound) {
      note(fmt::format("{} clusters were found: too many to assign new clients to (at most {})", count,
                       Handover::kMostFound));
      return;
    }
    std::vector<double> members(count, 0.0);
    made_.models.assign(count, Vec(session_.config().model->size(), 0.0));
    for (const auto& [client, model] : made_.of_client) {
      add_scaled(1.0, Vec(model), std::span(made_.models[groups[client]]));
      members[groups[client]] += 1;
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (members[k] > 0) scale(1 / members[k], std::span(made_.models[k]));
    }
    made_.means = true;
  }

  // The temperature, from what clients held out. A thousand of them say enough.
  void fit() {
    constexpr std::size_t kMost = 1000;
    std::vector<ClientId> asked;
    std::map<ClientId, std::uint32_t> cluster_of;
    for (const ClientScore& score : evaluation_.scores) {
      if (score.role != Role::train || score.cluster >= made_.models.size()) continue;
      if (cluster_of.emplace(score.client, score.cluster).second) asked.push_back(score.client);
    }
    const std::size_t step = (asked.size() + kMost - 1) / kMost;
    for (std::size_t i = 0; step > 1 && i * step < asked.size(); ++i) asked[i] = asked[i * step];
    if (step > 1) asked.resize((asked.size() + step - 1) / step);

    Offer offer = method_.personal() ? Offer{made_.models} : method_.offer();
    Collect<CostsReply, CostsReply> told(
        [](CostsReply& reply) { return std::move(reply); },
        [&](ClientId, const CostsReply& reply) -> std::string {
          return reply.costs.size() == made_.models.size() ? "" : "it tells of other clusters than there are";
        });
    const CostsNote note{Items::all(), Part::test, offer.packing(), method_.personal()};
    session_.fleet().ask_eval(costs_job(), asked, Shelf(offer.items(), session_.fleet().precision()),
                              [&](ClientId) { return note; }, {&told});
    std::vector<HeldOut> clients;
    for (const auto& [client, reply] : told.items) {
      if (!(reply.samples > 0)) continue;
      HeldOut one{cluster_of[client], reply.samples, {}};
      for (const CostsReply::Cost& cost : reply.costs)
        one.costs.push_back(cost.finite ? cost.value : std::nan(""));
      clients.push_back(std::move(one));
    }
    const double natural = natural_temperature(session_.roster().shape().task, clients);
    made_.temperature = fit_temperature(clients, made_.sizes, natural);
    made_.fitted_on = clients.size();
  }

  // Samples never travel: only where clients' data is in this process can a run keep what they remember.
  void remember(const Offer& offer) {
    if (!session_.at_hand()) return;
    const ClientProgram program(session_.program_text(), session_.agreement_text());
    const Engine engine = program.engine(session_.federation());
    const Shelf shelf(offer.items(), engine.precision);
    double bytes = 0;
    for (const Handover::Known& one : made_.clients) {
      ClientView view(engine, one.id, {Purpose::evaluate, session_.fleet().round(), 0}, {});
      program.method().settle(offer.packing().unpack(shelf, engine.precision), view);
      Bytes state = view.final_state();
      bytes += static_cast<double>(state.size());
      if (bytes > Handover::kMostBytes) {
        note(
            "what clients remember is too much for the run folder: as new clients they remember their rows "
            "with a target");
        made_.memories.clear();
        return;
      }
      made_.memories[one.id] = std::move(state);
    }
  }

  // From the rows themselves, as what clients remember: no server is told how a client scales its numbers.
  void keep_scales() {
    if (!session_.at_hand()) return;
    constexpr double kNumber = 60;  // bytes of a fill, a mean and a deviation as text
    const double columns = static_cast<double>(session_.roster().table()->features.size());
    if (kNumber * columns * static_cast<double>(made_.clients.size()) > Handover::kMostBytes) {
      note(
          "how each client scales its numbers is too much for the run folder: predict takes all clients as "
          "new ones");
      return;
    }
    for (const Handover::Known& one : made_.clients) {
      if (auto own = session_.federation().own_table(one.id)) made_.scales.clients[one.id] = std::move(*own);
    }
  }

  Session& session_;
  Algorithm& method_;
  const Evaluation& evaluation_;
  Handover made_;
};

Json assign_json(const Handover& made, const Session& session) {
  Json j;
  j["format"] = "1";
  j["run"] = fmt::format("{:016x}", run_name(session.program_text(), session.agreement_text()));
  j["clusters"] = made.models.size();
  j["means_of_clients"] = made.means;
  j["soft"] = made.soft;
  j["sizes"] = made.sizes;
  j["temperature"] = made.temperature;
  j["fitted_on"] = made.fitted_on;
  j["extras"] = Json::array();
  for (const Vec& extra : made.extras) j["extras"].push_back(extra.size());
  j["clients"] = Json::array();
  for (const Handover::Known& one : made.clients) {
    j["clients"].push_back({{"id", one.id},
                            {"name", one.name},
                            {"cluster", one.cluster},
                            {"weights", one.weights},
                            {"model", made.of_client.contains(one.id)}});
  }
  return j;
}

}  // namespace

Handover Handover::of(Session& session, const Evaluation& evaluation) {
  return Gatherer(session, evaluation).gather();
}

std::vector<std::string> Handover::files() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < models.size(); ++k) names.push_back(cluster_model_file(k));
  for (const auto& [client, model] : of_client) names.push_back(client_model_file(client));
  if (!extras.empty()) names.emplace_back(kExtrasFile);
  if (!memories.empty()) names.emplace_back(kMemoriesFile);
  if (!scales.clients.empty()) names.emplace_back(kScalesFile);
  return names;
}

void Handover::write(const RunFolder& folder, Session& session) const {
  if (!folder.keeps()) return;
  if (!files().empty()) make_folders(folder.file("models"));
  const Config& config = session.config();
  const Precision precision = session.fleet().precision();
  const std::vector<Layer>& layers = config.model->layers();
  const auto about = [&](const char* key, std::size_t number) {
    return std::vector<std::pair<std::string, std::string>>{{"algorithm", config.algorithm_kind},
                                                            {"model", config.model_in_use()},
                                                            {key, std::to_string(number)}};
  };
  for (std::size_t k = 0; k < models.size(); ++k) {
    write_safetensors(folder.file(cluster_model_file(k)), layers, models[k], precision, about("cluster", k));
  }
  for (const auto& [client, model] : of_client) {
    write_safetensors(folder.file(client_model_file(client)), layers, Vec(model), precision,
                      about("client", client));
  }
  if (!extras.empty()) {
    Vec all;
    std::vector<std::size_t> lengths;
    for (const Vec& extra : extras) {
      all.insert(all.end(), extra.begin(), extra.end());
      lengths.push_back(extra.size());
    }
    write_safetensors(folder.file(kExtrasFile), extra_layers(lengths), all, precision,
                      {{"algorithm", config.algorithm_kind}});
  }
  if (!memories.empty()) {
    Memories{{memories.begin(), memories.end()}}.write(folder.file(kMemoriesFile));
  }
  if (!scales.clients.empty()) scales.write(folder.file(kScalesFile));
  if (session.roster().table() == nullptr) return;
  const std::string text =
      assign_json(*this, session).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  write_atomically(folder.file("assign.json"), text);
}

}  // namespace coterie
