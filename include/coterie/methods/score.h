// Evaluation and delivery as jobs: a client settles on what it was offered, predicts its own rows, and
// reports what it was asked to.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coterie/algorithm.h"

namespace coterie {

// Numbers that travel exactly, whatever the run's precision.
struct Exact {
  double value = 0;
  void fields(Archive& a) { a(value); }
};

struct ScoreNote {
  Items items;
  Part part = Part::test;            // the rows that are scored
  std::vector<std::string> reports;  // what is to be told of them: report_names()
  bool weights = true;               // whether the client's weights over the models are told too
  bool lowest = false;               // serve it by the model of lowest loss, whatever the method does
  Packing packing;                   // how the offer was packed
  std::optional<ClientId> test_set;  // in a simulation: score its model on this shared test set as well
  std::vector<Exact> truth;          // in a simulation: the parameters that generated its data

  void fields(Archive& a) {
    a(items);
    a.overhead([&] { a(part, reports, weights, lowest, packing, test_set, truth); });
  }
};

// What is told of the rows of one part.
struct Score {
  // One report: a sum, counts by class, a histogram.
  struct Told {
    std::uint32_t numbers = 0;  // of the values
    bool finite = true;         // a model may have diverged, or a figure does not apply; no numbers then
    void fields(Archive& a) {
      a.overhead([&] { a(numbers); });
      a(finite);
    }
  };
  double samples = 0;
  std::vector<Told> told;     // in the order of the note's reports
  std::vector<Exact> values;  // of all reports, one after the other

  void add(const Vec& numbers);
  // The numbers of a report.
  Vec of(std::size_t report) const;
  // Of a report that is a single number; 0 when that is not finite.
  double number(std::size_t report) const;
  void fields(Archive& a) { a(samples, told, values); }
};

struct ScoreReply {
  Vec weights;
  Score own;
  std::optional<Score> test;

  void fields(Archive& a) { a.about_sender(weights, own, test); }
};

// What clients can report of scored rows:
//   loss              the mean of their losses
//   right             how many have the largest output at their label
//   parameter_error   |w - theta|^2 / |theta|^2 for the client's model w and the truth theta of the note,
//                     intercepts aside; not finite when it has no single model
// of a classification:
//   class_counts      three numbers for each class: rows of it, rows predicted to be of it, rows of it that
//                     are predicted right. All first numbers, then all second, then all third
//   log_loss          sum of -log(probability of the true class), at least 2^-52
//   brier             sum over rows and classes of (probability - 1 where the class is the true one)^2
//   auc               the client's own, exact; not finite where it has rows of one class only
//   score_histogram   for the pooled AUC: (bin, rows of other classes, rows of the class) for each bin that
//                     has rows, ascending. Two classes: bins of the second one's score. More: each class has
//                     its own range of bins
// of a regression, in the units of the samples' targets:
//   errors            sum of |error|, sum of error^2
//   target_spread     mean of the targets, sum of squared distances to it
const std::vector<std::string>& report_names();
// How many numbers a client with so many rows reports at most; 0 when it is not for this task.
std::size_t report_size(const std::string& name, const Shape& shape, std::size_t rows);

// The histogram of the scores of a class: bins of equal width in log(p / (1 - p)) from -20 to 20, with more
// probable or less probable rows in the last ones.
std::size_t score_bins(const Shape& shape);  // of one class
std::size_t score_classes(const Shape& shape);
std::size_t score_bin(double probability, std::size_t bins);

// Why a reply makes no sense; "" when it does. Reports that are lists by class need the shape.
std::string refuse_score(const ScoreNote& note, const ScoreReply& reply, std::size_t models,
                         const Shape& shape = {});

// `method` must outlive the job. A server needs no more than its name and types: score_job().
std::unique_ptr<const AnyJob> make_score_job(const Algorithm& method);
const Job<ScoreNote, ScoreReply>& score_job();

// What a client may tell of its data: how many training samples of each class it has.
struct LabelsNote {
  Items items = Items::none();
  void fields(Archive& a) { a(items); }
};
struct LabelsReply {
  std::vector<std::uint32_t> counts;  // empty for a regression
  void fields(Archive& a) { a(counts); }
};
const Job<LabelsNote, LabelsReply>& labels_job();

// What tells whether a client's data is the same as before: a number that depends on every value of all its
// parts, as they were dealt first. The server adds up those of all clients.
struct FingerprintNote {
  Items items = Items::none();
  void fields(Archive& a) { a(items); }
};
struct FingerprintReply {
  std::uint64_t fingerprint = 0;
  std::uint64_t samples = 0;
  void fields(Archive& a) { a(fingerprint, samples); }
};
const Job<FingerprintNote, FingerprintReply>& fingerprint_job();

// The final delivery: what is offered is all that counts.
struct DeliveryNote {
  Items items;
  void fields(Archive& a) { a(items); }
};
struct DeliveryReply {
  void fields(Archive&) {}
};
const Job<DeliveryNote, DeliveryReply>& deliver_job();

}  // namespace coterie
