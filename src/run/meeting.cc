#include "run/meeting.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "base/option_readers.h"
#include "base/text.h"
#include "data/fingerprint.h"
#include "fleet/elsewhere.h"

namespace coterie {
namespace {

constexpr const char* kLifeFile = "checkpoint/life";
constexpr const char* kClientsFile = "checkpoint/clients";
constexpr const char* kOwnFile = "own";  // stands for the file of each client
constexpr const char* kFileOptions[] = {"file", "folder", "path"};

}  // namespace

std::string reading_text(const Config& config) {
  const Table resolved = config.resolved();
  Table out;
  const std::int64_t seed = config.federation.data.seed.value_or(config.seed);
  out.set("seed", {seed, {}});
  out.set("precision", text_value(config.precision_name));
  if (const Value* data = resolved.find("data")) {
    Table own = std::get<Table>(data->data);
    for (const char* name : kFileOptions) own.erase(name);
    own.erase("writers");  // idx: a file too
    out.set("data", {std::move(own), {}});
  }
  if (const Value* parts = find_path(resolved, "clients.parts")) {
    Table clients;
    clients.set("parts", *parts);
    out.set("clients", {std::move(clients), {}});
  }
  return write_toml(out);
}

void leave_files_to_clients(Table& table) {
  const Value* source = find_path(table, "data.source");
  const auto* kind = source != nullptr ? std::get_if<std::string>(&source->data) : nullptr;
  const std::vector<std::string> known = Registry<Source>::instance().names();
  if (kind == nullptr || std::find(known.begin(), known.end(), *kind) == known.end()) return;
  OptionLister lister;
  Registry<Source>::instance().make(*kind)->options(lister);
  for (const OptionDoc& doc : lister.docs) {
    const bool file = std::any_of(std::begin(kFileOptions), std::end(kFileOptions),
                                  [&](const char* name) { return doc.name == name; });
    if (file && find_path(table, "data." + doc.name) == nullptr)
      set_path(table, "data." + doc.name, text_value(kOwnFile));
  }
}

std::uint64_t Life::name() const { return mix(run, number); }

Life drawn_life() {
  std::random_device chance;
  return {(static_cast<std::uint64_t>(chance()) << 32) | chance(), 0};
}

Life next_life(const RunFolder& folder, bool resume) {
  Life life;
  if (resume && is_there(folder.file(kLifeFile))) {
    std::istringstream text(read_file(folder.file(kLifeFile)));
    if (!(text >> life.run >> life.number))
      throw Error(folder.file(kLifeFile) + " is damaged; restore it, or start again with --force");
  } else {
    life = drawn_life();
  }
  ++life.number;
  return life;
}

void write_life(const RunFolder& folder, const Life& life) {
  make_folders(folder.file("checkpoint"));
  write_atomically(folder.file(kLifeFile), fmt::format("{} {}\n", life.run, life.number));
}

std::optional<ElsewhereRun> meet(const Config& config, Elsewhere& clients, const RunFolder& folder,
                                 bool resume) {
  const std::string file = folder.file(kClientsFile);
  auto run =
      meet(config, clients, resume ? JoinedRoster::read(read_file(file), file) : std::vector<Introduction>());
  if (run && resume) run->agreed = read_file(folder.file("agreement.toml"));
  return run;
}

std::optional<ElsewhereRun> meet(const Config& config, Elsewhere& clients, std::vector<Introduction> before) {
  Invitation invitation;
  invitation.names = config.federation.clients.names;
  const std::optional<std::int64_t>& count = config.federation.clients.count;
  invitation.count = count ? static_cast<std::size_t>(*count) : invitation.names.size();
  if (invitation.count == 0) throw Error("clients.count or clients.names must say for whom the run waits");
  if (!invitation.names.empty() && invitation.count > invitation.names.size()) {
    throw Error(fmt::format("clients.count = {}, but clients.names has {}", invitation.count,
                            counted(invitation.names.size(), "name")));
  }
  invitation.reading = reading_text(config);
  ElsewhereRun run;
  run.clients = &clients;
  invitation.before = std::move(before);
  std::vector<Introduction> told = clients.gather(invitation);
  if (told.empty()) return std::nullopt;
  const Table resolved = config.resolved();
  const Value* most = find_path(resolved, "fleet.most");  // an option of the fleet
  const auto* bound = most != nullptr ? std::get_if<std::int64_t>(&most->data) : nullptr;
  run.roster = std::make_shared<JoinedRoster>(std::move(told),
                                              bound != nullptr ? static_cast<std::uint32_t>(*bound) : 0);
  if (run.roster->shape().task == Task::classification && run.roster->shape().classes < 2)
    throw Error("the clients have rows of one class alone: there is nothing to tell apart");
  return run;
}

void write_clients_met(const RunFolder& folder, const JoinedRoster& roster) {
  make_folders(folder.file("checkpoint"));
  write_atomically(folder.file(kClientsFile), roster.text());
}

}  // namespace coterie
