#include "fleets/grpc/policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/disk.h"
#include "base/option_readers.h"
#include "base/text.h"
#include "coterie/methods/score.h"
#include "coterie/registry.h"
#include "fleet/columns.h"
#include "fleet/rate.h"
#include "fleet/use_jobs.h"

namespace coterie::net {
namespace {

bool allows(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

void Policy::options(Options& o) {
  o("jobs", &jobs, "names of the jobs that may be worked on; empty: all");
  o("methods", &methods, "methods (algorithm.kind) that may be run; empty: all");
  o("columns", &columns, "columns of a table that may be features; empty: all");
  o("solvers", &solvers, "ways to train (local.solver) that may be used; empty: all");
  o("labels", &labels, "whether it may be told how many training samples of each class there are");
  o("losses", &losses, "whether losses and scores on the client's own rows may be told");
  o("means", &means, "whether means and deviations of columns by cluster may be told, at the end of a run");
  o("files", &files, "whether a run may name a file of this machine that its model is read from");
  o("rounds", &rounds, "rounds that the data may be used for; 0: as many as the run has", at_least(0));
  o("samples", &samples, "training samples that there must be for the data to be used at all", at_least(0));
}

Policy Policy::read(const std::string& file) {
  Policy policy;
  if (file.empty()) return policy;
  Problems problems;
  const Table table = parse_toml(read_file(file), file);
  OptionParser parser(table, "", {file, 0}, problems);
  policy.options(parser);
  parser.finish();
  problems.raise_if_any();
  return policy;
}

std::string Policy::refuse_run(const std::string& program, const Agreement& agreement,
                               std::size_t training) const {
  const Table table = parse_toml(program, "program");
  const auto kind_of = [&](const char* path) {
    const Value* value = find_path(table, path);
    const auto* text = value != nullptr ? std::get_if<std::string>(&value->data) : nullptr;
    return text != nullptr ? *text : std::string();
  };
  const std::string method = kind_of("algorithm.kind"), solver = kind_of("local.solver");
  if (!allows(methods, method)) return "the policy does not allow the method " + in_quotes(method);
  if (!allows(solvers, solver)) return "the policy does not allow training by " + in_quotes(solver);
  for (const char* path : {"model.file", "model.weights"}) {
    if (!files && !kind_of(path).empty())
      return fmt::format(
          "the run names a file of this machine ({} = {}); a policy with files = true allows it", path,
          in_quotes(kind_of(path)));
  }
  return refuse_data(agreement.table ? &*agreement.table : nullptr, training);
}

std::string Policy::refuse_data(const TableSchema* table, std::size_t training) const {
  if (static_cast<std::int64_t>(training) < samples)
    return fmt::format("the policy asks for {} training samples, and there are {}", samples, training);
  if (table == nullptr) return "";
  for (const TableSchema::Feature& feature : table->features) {
    if (!allows(columns, feature.column))
      return "the policy does not allow the column " + in_quotes(feature.column) + " to be a feature";
  }
  return "";
}

std::string Policy::refuse_order(const MessageHeader& header) const {
  const std::string& job = header.job;
  const auto is = [&](const AnyJob& one) { return job == one.name(); };
  if (!allows(jobs, job)) return "the policy does not allow the job " + in_quotes(job);
  if (!labels && is(labels_job())) return "the policy does not allow class counts to be told";
  if (!losses && (is(score_job()) || is(costs_job()) || is(rates_job())))
    return "the policy does not allow losses to be told";
  if (!means && is(means_job())) return "the policy does not allow means of columns to be told";
  if (rounds > 0 && header.ask.round > rounds)
    return fmt::format("the policy allows {}, and this is round {}",
                       counted(static_cast<std::uint64_t>(rounds), "round"), header.ask.round);
  return "";
}

}  // namespace coterie::net
