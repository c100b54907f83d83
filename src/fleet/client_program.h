// The program of a client: model, solver, a prepared and never started instance of the method and of the
// start, and every job by its name. Made from the program text and the agreement, and from nothing else: two
// programs that are made from the same bytes are the same program, so nothing of a server can be reached from
// a client by accident.
#pragma once

#include <map>
#include <string>

#include "coterie/methods/score.h"
#include "coterie/methods/slots.h"
#include "fleet/agreement.h"
#include "fleet/program.h"

namespace coterie {

class GramCache;

class ClientProgram {
 public:
  // Throws BadConfig or Error when the text makes no program, or one that does not fit the agreement.
  ClientProgram(const std::string& program, const std::string& agreement, std::uint64_t life = 0);
  ClientProgram(const ClientProgram&) = delete;
  ClientProgram& operator=(const ClientProgram&) = delete;

  std::uint64_t run() const { return run_; }
  Precision precision() const { return program_.precision(); }
  const Agreement& agreement() const { return agreement_; }
  const Model& model() const { return *program_.model; }
  // The client half of the method.
  const Algorithm& method() const { return *program_.algorithm; }
  // A job by its name; throws Error when there is none.
  const AnyJob& job(const std::string& name) const;
  // Makes another job known, which must live until it is removed; for tests of methods.
  void add(const AnyJob& job);
  void remove(const std::string& name) { jobs_.erase(name); }
  // What views of clients work with. `shards` and `grams` must outlive it.
  Engine engine(const Shards& shards, GramCache* grams = nullptr) const;

 private:
  std::uint64_t run_;
  Agreement agreement_;
  Program program_;
  AggregateOptions aggregate_;  // as a method wants to be told; only servers aggregate
  std::unique_ptr<Setting> setting_;
  std::unique_ptr<const AnyJob> score_;
  std::vector<std::unique_ptr<const AnyJob>> use_;
  std::unique_ptr<const AnyJob> columns_;
  std::unique_ptr<const AnyJob> means_;
  std::unique_ptr<const AnyJob> holdings_;
  std::map<std::string, const AnyJob*> jobs_;
};

}  // namespace coterie
