#include "run/own_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/excerpt.h"
#include "base/text.h"
#include "data/federation/parts.h"
#include "data/fingerprint.h"
#include "data/table_scaling.h"
#include "data/whole_order.h"
#include "fleet/joined_roster.h"
#include "run/config.h"

namespace coterie {
namespace {

class OwnPool : public OwnData {
 public:
  OwnPool(const Config& config, const SourceContext& context, const OwnFile& file)
      : options_(config.federation.clients),
        floats_(config.federation.floats),
        seed_(context.seed),
        population_(config.federation.source->open(context)) {
    const Pool* pool = population_->pool();
    if (pool == nullptr)
      throw Error("data.source = \"" + config.federation.source_name +
                  "\" makes samples up; clients that join have their own");
    rows_ = rows_of(*pool, file);
    told_.shape = pool->train.shape;
    told_.classes = pool->classes;
    told_.table = pool->table;
    // A file that says which part a row is in has its rows in the order in which they are used.
    marked_ = !pool->parts.empty();
    deal(0);
    told_.train = static_cast<std::uint32_t>(cut_.train);
    told_.validation = static_cast<std::uint32_t>(cut_.validation);
    told_.test = static_cast<std::uint32_t>(cut_.test);
    if (cut_.train == 0) throw Error("there is no sample to train on");
    // Whatever order they are dealt in later.
    std::vector<std::uint32_t> ordered = rows_;
    std::sort(ordered.begin(), ordered.end());
    told_.fingerprint = fingerprint(pool->train.rows(ordered));
  }

  Introduction told() const override { return told_; }

  void agree(ClientId self, const Agreement& agreement, const std::vector<std::string>& classes) override {
    deal(self);
    const Pool& pool = *population_->pool();
    const TableSchema* table = agreement.table ? &*agreement.table : nullptr;
    for (const Part part : {Part::train, Part::validation, Part::test}) {
      const auto begin = dealt_.begin() + static_cast<std::ptrdiff_t>(cut_.begin(part));
      const std::vector<std::uint32_t> rows(begin, begin + static_cast<std::ptrdiff_t>(cut_.count(part)));
      parts_[static_cast<std::size_t>(part)] =
          brought_to(agreement.shape, table, classes, told_, pool.train.rows(rows));
    }
    if (table != nullptr && !table->draft) {
      const Samples& train = parts_[0];
      const TableSchema how = table->scaling == "each" ? own_schema(*table, train) : *table;
      const bool floats = table->scaling != "each" && floats_;
      for (Samples& part : parts_) apply_schema(how, part, floats);
    }
    if (table == nullptr || !table->draft) {
      for (Samples& part : parts_) {
        if (floats_) part.narrow();
      }
    }
    if (agreement.cut) leave_fold(self, *agreement.cut);
  }

  std::shared_ptr<const Samples> samples(ClientId, Part part, std::uint32_t) const override {
    return {std::shared_ptr<void>(), &parts_[static_cast<std::size_t>(part)]};
  }

 private:
  std::vector<std::uint32_t> rows_of(const Pool& pool, const OwnFile& file) const {
    std::vector<std::uint32_t> rows;
    std::optional<std::uint32_t> owner;
    if (file.client) {
      const auto found = std::find(pool.owner_names.begin(), pool.owner_names.end(), *file.client);
      if (found == pool.owner_names.end()) {
        throw Error(pool.owner_names.empty()
                        ? "data.client is not set, so no row is anybody's; leave --client out"
                        : "--client " + unknown_name(*file.client, pool.owner_names));
      }
      owner = static_cast<std::uint32_t>(found - pool.owner_names.begin());
    } else if (pool.owner_names.size() > 1) {
      throw Error(fmt::format("the file has rows of {}, the first {}; say whose you bring with --client",
                              counted(pool.owner_names.size(), "client"),
                              in_quotes(pool.owner_names.front())));
    }
    for (std::uint32_t row = 0; row < pool.train.size(); ++row) {
      if (!owner || pool.owners[row] == *owner) rows.push_back(row);
    }
    return rows;
  }

  // As a federation in one process deals and cuts them (data/federation/deal.cc), so that the same rows give
  // the same run there.
  void deal(ClientId self) {
    const Pool& pool = *population_->pool();
    dealt_ = rows_;
    if (marked_) {
      std::stable_sort(dealt_.begin(), dealt_.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return pool.parts[a] < pool.parts[b]; });
      const auto count = [&](Part part) {
        return static_cast<std::size_t>(std::count_if(
            dealt_.begin(), dealt_.end(), [&](std::uint32_t row) { return pool.parts[row] == part; }));
      };
      cut_ = {count(Part::train), count(Part::validation), count(Part::test)};
      return;
    }
    // What is told before the client has a number must not depend on it.
    const bool lots = !pool.train.kin.empty() || !pool.times.empty();
    Stream stream(seed_, {.purpose = Purpose::parts, .client = lots ? 0 : self});
    stream.shuffle(std::span(dealt_));
    cut_ =
        lots ? cut_whole(dealt_, pool.train.kin, pool.times, options_) : cut_parts(dealt_.size(), options_);
  }

  // Training rows are cut once more: some are left to train on, and others are what it is scored on.
  void leave_fold(ClientId self, const RowCut& cut) {
    const Pool& pool = *population_->pool();
    std::vector<std::uint32_t> times;
    for (std::size_t i = 0; i < cut_.train && !pool.times.empty(); ++i)
      times.push_back(pool.times[dealt_[i]]);
    Samples& train = parts_[static_cast<std::size_t>(Part::train)];
    CutSamples made = cut_samples(train, times, self, cut);
    parts_[static_cast<std::size_t>(Part::validation)] = train.empty_like();
    train = std::move(made.train);
    parts_[static_cast<std::size_t>(Part::test)] = std::move(made.held_out);
  }

  const ClientsOptions options_;
  const bool floats_;
  const std::uint64_t seed_;
  std::unique_ptr<Population> population_;
  std::vector<std::uint32_t> rows_;   // of the pool that are this client's, in the order of its file
  std::vector<std::uint32_t> dealt_;  // in the order of the parts
  Cut cut_;
  bool marked_ = false;
  Introduction told_;
  Samples parts_[3];
};

}  // namespace

std::unique_ptr<OwnData> open_own_data(const std::string& reading, const OwnFile& file) {
  Table table = parse_toml(reading, "what the server says of the data");
  for (const char* name : {"file", "folder", "path"}) {
    const Value* source = find_path(table, "data.source");
    const auto* kind = source != nullptr ? std::get_if<std::string>(&source->data) : nullptr;
    const std::vector<std::string> known = Registry<Source>::instance().names();
    if (kind == nullptr || std::find(known.begin(), known.end(), *kind) == known.end()) break;
    OptionLister lister;
    Registry<Source>::instance().make(*kind)->options(lister);
    for (const OptionDoc& doc : lister.docs) {
      if (doc.name == name) set_path(table, std::string("data.") + name, text_value(file.path));
    }
  }
  if (find_path(table, "data.writers") != nullptr)
    throw Error("the server names a file of this machine (data.writers), which no run may");
  Problems problems;
  const Config config = read_config(table, "what the server says of the data", problems);
  problems.raise_if_any();
  const SourceContext context{"", static_cast<std::uint64_t>(config.seed), ".", config.fleet.memory,
                              config.federation.floats};
  return std::make_unique<OwnPool>(config, context, file);
}

}  // namespace coterie
