#include "fleet/client_program.h"

#include "coterie/registry.h"
#include "fleet/columns.h"
#include "fleet/holdings.h"
#include "fleet/rate.h"
#include "fleet/use_jobs.h"

namespace coterie {
namespace {

Program read(const std::string& text) {
  Problems problems;
  const Table table = parse_toml(text, "program.toml");
  Program program = ProgramReader(table, "program.toml", problems, nullptr).read_program();
  problems.raise_if_any();
  return program;
}

}  // namespace

ClientProgram::ClientProgram(const std::string& program, const std::string& agreement, std::uint64_t life)
    : run_(run_name(program, agreement, life)),
      agreement_(Agreement::read(agreement)),
      program_(read(program)) {
  program_.model->bind(agreement_.shape, program_.seed_bits());
  if (agreement_.rate)
    program_.solver->agree_rate(*agreement_.rate, agreement_.gradient_rate.value_or(*agreement_.rate));
  aggregate_.aggregator = Registry<Aggregator>::instance().make(aggregate_.kind);
  setting_ = std::make_unique<Setting>(Setting{*program_.model,
                                               *program_.solver,
                                               aggregate_,
                                               static_cast<std::size_t>(program_.clusters.count),
                                               program_.seed_bits(),
                                               program_.precision(),
                                               {},
                                               agreement_.redealt});
  program_.algorithm->prepare(*setting_);
  score_ = make_score_job(*program_.algorithm);
  add(*score_);
  use_ = make_use_jobs(*program_.algorithm);
  for (const auto& job : use_) add(*job);
  columns_ = make_columns_job(agreement_);
  add(*columns_);
  means_ = make_means_job(agreement_);
  add(*means_);
  holdings_ = make_holdings_job(agreement_);
  add(*holdings_);
  add(cut_sizes_job());
  add(deliver_job());
  add(labels_job());
  add(fingerprint_job());
  add(curvature_job());
  add(rates_job());
  for (const AnyJob* job : program_.algorithm->jobs()) add(*job);
  for (const AnyJob* job : program_.init->jobs()) add(*job);
}

void ClientProgram::add(const AnyJob& job) {
  const auto [place, fresh] = jobs_.emplace(job.name(), &job);
  check(fresh || place->second == &job, "two jobs of a program are called " + job.name());
}

const AnyJob& ClientProgram::job(const std::string& name) const {
  const auto found = jobs_.find(name);
  if (found == jobs_.end()) {
    std::vector<std::string> names;
    for (const auto& [one, job] : jobs_) names.push_back(one);
    throw Error("its program has no such job: " + unknown_name(name, names));
  }
  return *found->second;
}

Engine ClientProgram::engine(const Shards& shards, GramCache* grams) const {
  return {shards, *program_.model, *program_.solver, program_.precision(), program_.seed_bits(), grams};
}

}  // namespace coterie
