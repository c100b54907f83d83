#include "fuzz/small_world.h"

#include <zlib.h>

#include <algorithm>

#include "base/option_readers.h"
#include "coterie/registry.h"

namespace coterie::fuzz {
namespace {

class HandedFleet : public WireFleet {
 public:
  HandedFleet(const FleetContext& context, Carry carry)
      : WireFleet(context.ledger()),
        program_(std::make_shared<const ClientProgram>(context.program_text, context.agreement_text)),
        host_(program_, context.shards),
        carry_(std::move(carry)) {}

  void save(Archive& a) override {
    ledger().save(a);
    for (ClientId i = 0; i < clients(); ++i) {
      Bytes state = host_.state(i, version(i));
      a(state);
    }
  }
  void load(Archive& a) override {
    ledger().load(a);
    for (ClientId i = 0; i < clients(); ++i) {
      Bytes state;
      a(state);
      host_.restore(i, version(i), std::move(state));
    }
  }

 protected:
  void exchange(WireAsk& ask) override {
    host_.forget_items();
    for (const SealedItem& item : ask.items()) {
      if (item.name != 0) host_.take_item(item.name, item.bytes);
    }
    for (const ClientId client : ask.waiting()) {
      if (ask.arrived(client, carry_(host_, ask, client)) != WireAsk::Arrival::done) {
        ask.give_up(client, "no reply that can be used");
      }
    }
  }

 private:
  std::uint32_t version(ClientId client) { return ledger().header("", client, {}, false).version; }

  std::shared_ptr<const ClientProgram> program_;
  ClientHost host_;
  Carry carry_;
};

class HandedKind : public FleetKind {
 public:
  explicit HandedKind(Carry carry) : carry_(std::move(carry)) {}
  std::unique_ptr<Fleet> make(const FleetContext& context) const override {
    return std::make_unique<HandedFleet>(context, carry_);
  }

 private:
  Carry carry_;
};

// What makes a method do in two rounds what it is there for.
std::string options_of(const std::string& algorithm) {
  if (algorithm == "federated-clustering") return "quantile = 0.5\n";
  if (algorithm == "cfl" || algorithm == "hcfl") return "eps1 = 10\neps2 = 0.001\nmost = 3\n";
  if (algorithm == "icfl") return "alpha = 0.05\nmost = 3\n";
  if (algorithm == "hcfl-plus") return "rho = 0.01\nmost = 3\n";
  if (algorithm == "stocfl") return "tau = 0.6\n";
  OptionLister lister;
  Registry<Algorithm>::instance().make(algorithm)->options(lister);
  for (const OptionDoc& doc : lister.docs) {
    if (doc.name == "iterations") return "iterations = 2\n";
  }
  return "";
}

}  // namespace

Config small_config(const std::string& algorithm) {
  const std::vector<std::string> known = Registry<Algorithm>::instance().names();
  if (std::find(known.begin(), known.end(), algorithm) == known.end()) {
    throw Error("algorithm " + unknown_name(algorithm, known));
  }
  const std::string text =
      "seed = 3\n[data]\nsource = \"blobs\"\nreach = 2.0\nclasses = 2\ntest_samples = 4\n"
      "[clients]\ncount = 4\nsamples = 6\n[model]\nkind = \"mlp\"\nhidden = [2]\n"
      "[local]\nsolver = \"sgd\"\nbatch = 4\nrate = 0.1\n[clusters]\ncount = 2\ninit = "
      "\"random\"\n[rounds]\ncount = 2\n"
      "[fleet]\nquorum = 0\n[algorithm]\nkind = \"" +
      algorithm + "\"\n[algorithm." + algorithm + "]\n" + options_of(algorithm);
  Problems problems;
  Config config = read_config(parse_toml(text, "small.toml"), "small.toml", problems);
  problems.raise_if_any();
  return config;
}

std::shared_ptr<const Federation> small_federation() {
  static const std::shared_ptr<const Federation> kData = [] {
    const Config config = small_config("fedavg");
    return std::shared_ptr<const Federation>(build_federation(config.federation, {}, 3));
  }();
  return kData;
}

WiredRun::WiredRun(const std::string& algorithm, Carry carry) : config_(small_config(algorithm)) {
  config_.fleet_kind = std::make_unique<HandedKind>(std::move(carry));
  session_ = std::make_unique<Session>(config_, "", 1, "", small_federation());
}

Bytes with_checksum(std::span<const std::byte> body) {
  const auto sum = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(body.data()), body.size()));
  Bytes bytes(body.begin(), body.end());
  const auto* begin = reinterpret_cast<const std::byte*>(&sum);
  bytes.insert(bytes.end(), begin, begin + sizeof sum);
  return bytes;
}

}  // namespace coterie::fuzz
