#include "coterie/methods/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/fingerprint.h"
#include "fleet/reports.h"
#include "math/kernels.h"

namespace coterie {
namespace {

// Intercepts aside, which the truth does not have.
double parameter_error(const Shared& model, const std::vector<Exact>& truth, std::size_t intercepts) {
  if (!model || truth.empty() || model.size() != truth.size() + intercepts) return std::nan("");
  Vec theta;
  for (const Exact& one : truth) theta.push_back(one.value);
  return squared_distance(std::span(model.values()).first(theta.size()), theta) / squared_norm(theta);
}

// The client's part of the job, for one note.
class Scorer {
 public:
  Scorer(const Algorithm& method, const Shelf& sent, const ScoreNote& note, ClientView& view)
      : method_(method), note_(note), view_(view), offer_(note.packing.unpack(sent, view.precision())) {}

  ScoreReply score() {
    ScoreReply reply;
    weights_ = note_.lowest ? method_.Algorithm::settle(offer_, view_) : method_.settle(offer_, view_);
    reply.own = score(view_);
    if (note_.test_set) {
      ClientView there = view_.on_data_of(*note_.test_set);
      reply.test = score(there);
    }
    if (note_.weights) reply.weights = std::move(weights_);
    return reply;
  }

 private:
  Score score(ClientView& where) {
    const Predictions predictions = note_.lowest
                                        ? method_.Algorithm::predict(offer_, weights_, where, note_.part)
                                        : method_.predict(offer_, weights_, where, note_.part);
    const Samples& samples = where.samples(note_.part);
    Score score;
    score.samples = static_cast<double>(samples.size());
    for (const std::string& name : note_.reports) {
      score.add(report(name, predictions, samples, &where == &view_));
    }
    return score;
  }
  Vec report(const std::string& name, const Predictions& predictions, const Samples& samples, bool own) {
    const Report* report = find_report(name);
    if (report == nullptr) {
      throw Error("it was asked to report \"" + name + "\": " + unknown_name(name, report_names()));
    }
    const Shape& shape = samples.shape;
    if (report->task.value_or(shape.task) != shape.task) {
      throw Error(fmt::format("it was asked to report \"{}\", which its samples do not have", name));
    }
    const bool predicts =
        predictions.outputs.size() == samples.size() * std::max<std::size_t>(shape.classes, 1);
    if (report->task && !predicts) return {std::nan("")};
    if (report->tell != nullptr) return report->tell(predictions, samples);
    if (!own) return {std::nan("")};  // a test set tells nothing of parameters
    return {parameter_error(method_.model_of(offer_, weights_, view_), note_.truth,
                            trailing_intercepts(view_.model()))};
  }

  const Algorithm& method_;
  const ScoreNote& note_;
  ClientView& view_;
  Shelf offer_;
  Vec weights_;
};

std::string refuse_report(const std::string& name, const Score& score, std::size_t r, const Shape& shape) {
  if (!score.told[r].finite) {
    return score.told[r].numbers == 0 ? "" : "it reports numbers that it says are not finite";
  }
  const Report* report = find_report(name);
  check(report != nullptr, "only reports that there are can be asked for");
  return report->refuse(score.of(r), score.samples, shape);
}

}  // namespace

void Score::add(const Vec& numbers) {
  const bool finite =
      std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); });
  told.push_back({finite ? static_cast<std::uint32_t>(numbers.size()) : 0, finite});
  for (std::size_t i = 0; finite && i < numbers.size(); ++i) values.push_back({numbers[i]});
}

Vec Score::of(std::size_t report) const {
  std::size_t begin = 0;
  for (std::size_t r = 0; r < report; ++r) begin += told[r].numbers;
  Vec numbers;
  for (std::size_t i = 0; i < told[report].numbers; ++i) numbers.push_back(values[begin + i].value);
  return numbers;
}

double Score::number(std::size_t report) const {
  const Vec numbers = of(report);
  return numbers.empty() ? 0 : numbers.front();
}

std::string refuse_score(const ScoreNote& note, const ScoreReply& reply, std::size_t models,
                         const Shape& shape) {
  if (note.weights) {
    const auto share = [](double weight) { return weight >= 0 && std::isfinite(weight); };
    const bool some = !reply.weights.empty() && reply.weights.size() <= std::max<std::size_t>(models, 1);
    if (!some || !std::all_of(reply.weights.begin(), reply.weights.end(), share)) {
      return "its weights do not fit the models that it was offered";
    }
  }
  if (reply.test.has_value() != note.test_set.has_value())
    return "it scores another part than it was asked to";
  for (const Score* score : {&reply.own, reply.test ? &*reply.test : nullptr}) {
    if (score == nullptr) continue;
    if (score->told.size() != note.reports.size() || !(score->samples >= 0)) {
      return fmt::format("it tells {} of {} reports", score->told.size(), note.reports.size());
    }
    std::size_t numbers = 0;
    for (const Score::Told& one : score->told) numbers += one.numbers;
    if (numbers != score->values.size()) {
      return fmt::format("it reports {} numbers and says that they are {}", score->values.size(), numbers);
    }
    for (std::size_t r = 0; r < note.reports.size(); ++r) {
      std::string why = refuse_report(note.reports[r], *score, r, shape);
      if (!why.empty()) return why;
    }
  }
  return "";
}

std::unique_ptr<const AnyJob> make_score_job(const Algorithm& method) {
  return std::make_unique<Job<ScoreNote, ScoreReply>>(
      score_job().name(), [&method](const Shelf& sent, const ScoreNote& note, ClientView& view) {
        return Scorer(method, sent, note, view).score();
      });
}

const Job<ScoreNote, ScoreReply>& score_job() {
  static const Job<ScoreNote, ScoreReply> job("score", nullptr);
  return job;
}

const Job<LabelsNote, LabelsReply>& labels_job() {
  static const Job<LabelsNote, LabelsReply> job("labels",
                                                [](const Shelf&, const LabelsNote&, ClientView& view) {
                                                  const Samples& samples = view.samples(Part::train);
                                                  LabelsReply reply;
                                                  if (samples.shape.task != Task::classification)
                                                    return reply;
                                                  reply.counts.assign(samples.shape.classes, 0);
                                                  for (std::size_t i = 0; i < samples.size(); ++i)
                                                    ++reply.counts[samples.label(i)];
                                                  return reply;
                                                });
  return job;
}

const Job<FingerprintNote, FingerprintReply>& fingerprint_job() {
  static const Job<FingerprintNote, FingerprintReply> job(
      "fingerprint", [](const Shelf&, const FingerprintNote&, ClientView& view) {
        FingerprintReply reply{view.id(), 0};
        for (const Part part : {Part::train, Part::validation, Part::test}) {
          reply.fingerprint = mix(reply.fingerprint, fingerprint(view.samples(part)));
          reply.samples += view.samples(part).size();
        }
        return reply;
      });
  return job;
}

const Job<DeliveryNote, DeliveryReply>& deliver_job() {
  static const Job<DeliveryNote, DeliveryReply> job(
      "deliver", [](const Shelf&, const DeliveryNote&, ClientView&) { return DeliveryReply{}; });
  return job;
}

}  // namespace coterie
