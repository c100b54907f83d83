#include "fleet/joined_roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/checksum.h"
#include "base/excerpt.h"
#include "base/text.h"
#include "data/formats/sheet.h"

namespace coterie {
namespace {

// The kinds of a table's columns, in its order: the values of a column of text, nothing of one of numbers.
struct Column {
  std::string name;
  bool text = false;
  std::vector<std::string> values;
};

std::vector<Column> columns_of(const TableSchema& table) {
  std::vector<Column> columns;
  for (const TableSchema::Feature& feature : table.features) {
    if (columns.empty() || columns.back().name != feature.column)
      columns.push_back({feature.column, feature.value.has_value(), {}});
    if (feature.value) columns.back().values.push_back(*feature.value);
  }
  return columns;
}

std::string who(const Introduction& client) { return "client " + in_quotes(client.name); }

void fields_of(Archive& a, TableSchema& table) {
  std::uint64_t count = table.features.size();
  a(table.target, table.classes, table.scaling, table.impute, table.scales_target, table.draft, count);
  // Each feature takes bytes, so a count that is made up ends with the bytes at hand.
  for (std::uint64_t j = 0; j < count; ++j) {
    if (a.reading()) table.features.emplace_back();
    a(table.features[j].column, table.features[j].value);
  }
}

// Where each feature of the agreed table comes from among a client's own; `none` for a value that it does not
// have.
std::vector<std::size_t> sources_of(const TableSchema& agreed, const TableSchema& own, std::size_t none) {
  struct Own {
    std::vector<std::string> values;
    std::vector<std::size_t> places;
    std::optional<std::size_t> number;
  };
  std::map<std::string, Own> columns;
  for (std::size_t i = 0; i < own.features.size(); ++i) {
    Own& column = columns[own.features[i].column];
    if (own.features[i].value) {
      column.values.push_back(*own.features[i].value);
      column.places.push_back(i);
    } else {
      column.number = i;
    }
  }
  std::map<std::string, NamePlaces> names;
  for (const auto& [name, column] : columns) names.emplace(name, NamePlaces(column.values));
  std::vector<std::size_t> sources;
  for (const TableSchema::Feature& wanted : agreed.features) {
    const auto found = columns.find(wanted.column);
    std::size_t source = none;
    if (found != columns.end() && wanted.value) {
      const auto place = names.at(wanted.column)(*wanted.value);
      if (place) source = found->second.places[*place];
    } else if (found != columns.end() && found->second.number) {
      source = *found->second.number;
    }
    if (source == none && !wanted.value)
      throw Error("it has no column of numbers " + in_quotes(wanted.column));
    sources.push_back(source);
  }
  return sources;
}

}  // namespace

void Introduction::fields(Archive& a) {
  a(name, shape.task, shape.width, shape.classes, shape.height, shape.columns, shape.channels, train,
    validation, test, fingerprint, classes);
  bool tabular = table.has_value();
  a(tabular);
  if (a.reading() && tabular) table.emplace();
  if (tabular) fields_of(a, *table);
}

std::vector<std::string> merged_names(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  const bool missing = std::erase(all, std::string()) > 0;
  const bool numbers =
      std::all_of(all.begin(), all.end(), [](const std::string& one) { return to_number(one).has_value(); });
  const auto key = [&](const std::string& one) { return numbers ? *to_number(one) : 0.0; };
  std::sort(all.begin(), all.end(), [&](const std::string& a, const std::string& b) {
    return key(a) != key(b) ? key(a) < key(b) : a < b;
  });
  all.erase(std::unique(all.begin(), all.end(),
                        [&](const std::string& a, const std::string& b) {
                          return numbers ? key(a) == key(b) : a == b;
                        }),
            all.end());
  if (missing) all.emplace_back();
  return all;
}

NamePlaces::NamePlaces(const std::vector<std::string>& names) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    texts_.emplace(names[k], k);
    if (const auto number = to_number(names[k])) numbers_.emplace(*number, k);
  }
}

std::optional<std::size_t> NamePlaces::operator()(const std::string& name) const {
  if (const auto found = texts_.find(name); found != texts_.end()) return found->second;
  const auto number = to_number(name);
  const auto found = number ? numbers_.find(*number) : numbers_.end();
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

JoinedRoster::JoinedRoster(std::vector<Introduction> clients, std::uint32_t most)
    : clients_(std::move(clients)), most_(most), truth_{1, {"all"}, {std::nullopt}} {
  if (clients_.empty()) throw Error("nobody has joined");
  std::sort(clients_.begin(), clients_.end(),
            [](const Introduction& a, const Introduction& b) { return a.name < b.name; });
  const Introduction& first = clients_.front();
  shape_ = first.shape;
  for (const Introduction& one : clients_) {
    const bool table = one.table.has_value(), images = one.shape.is_image();
    const bool pixels = one.shape.height == shape_.height && one.shape.columns == shape_.columns &&
                        one.shape.channels == shape_.channels;
    if (one.shape.task != shape_.task) {
      throw Error(fmt::format("{} has {}, but {} has {}; set data.task", who(first),
                              shape_.task == Task::regression ? "numbers to predict" : "classes", who(one),
                              one.shape.task == Task::regression ? "numbers to predict" : "classes"));
    }
    if (table != first.table.has_value() || images != shape_.is_image() || !pixels ||
        (!table && one.shape.width != shape_.width)) {
      throw Error(fmt::format("{} has samples of {} features, {} of {}; all must have the same form",
                              who(first), shape_.width, who(one), one.shape.width));
    }
    constexpr double kMost = 1 << 28;
    const Shape& s = one.shape;
    const auto pixels_of =
        static_cast<double>(s.height) * static_cast<double>(s.columns) * static_cast<double>(s.channels);
    const bool whole = !images || pixels_of == static_cast<double>(s.width);
    if (s.width == 0 || static_cast<double>(s.width) > kMost || static_cast<double>(s.classes) > kMost ||
        !whole)
      throw Error(who(one) + " tells of samples of an impossible form");
    if (one.train == 0) throw Error(who(one) + " has no sample to train on");
  }
  merge_classes();
  if (first.table) merge_tables();
}

void JoinedRoster::merge_classes() {
  if (shape_.task != Task::classification) return;
  std::vector<std::vector<std::string>> lists;
  for (const Introduction& one : clients_) {
    lists.push_back(one.table ? one.table->classes : one.classes);
    shape_.classes = std::max(shape_.classes, one.shape.classes);
  }
  const auto unnamed = static_cast<std::size_t>(
      std::count_if(lists.begin(), lists.end(), [](const auto& list) { return list.empty(); }));
  if (unnamed == lists.size()) return;
  if (unnamed > 0) throw Error("some clients name their classes, and others do not");
  // Classes that the data does not name have an order of their own (data.threshold).
  const auto same = [&](const std::vector<std::string>& one) { return one == lists.front(); };
  classes_ = std::all_of(lists.begin(), lists.end(), same) ? lists.front() : merged_names(lists);
  shape_.classes = classes_.size();
}

void JoinedRoster::expect_same_columns(const Introduction& other) const {
  const Introduction& first = clients_.front();
  const std::vector<Column> here = columns_of(*first.table), there = columns_of(*other.table);
  std::set<std::string> seen;
  for (const Column& one : there) {
    if (!seen.insert(one.name).second)
      throw Error(who(other) + " tells of the column " + in_quotes(one.name) + " in two places");
  }
  const auto expect = [&](const std::vector<Column>& wanted, const Introduction& whose,
                          const std::vector<Column>& in, const Introduction& lacking) {
    std::map<std::string, bool> kinds;  // whether it is text
    for (const Column& one : in) kinds[one.name] = one.text;
    for (const Column& one : wanted) {
      const auto found = kinds.find(one.name);
      if (found == kinds.end()) {
        throw Error(
            fmt::format("{} has the column {}, but {} has no such feature; list it in data.drop, or in "
                        "data.keep where it was taken for an identifier",
                        who(whose), in_quotes(one.name), who(lacking)));
      }
      if (found->second != one.text) {
        throw Error(
            fmt::format("the column {} is {} at {} and {} at {}; list it in data.categorical, or mend the "
                        "data",
                        in_quotes(one.name), one.text ? "text" : "numbers", who(whose),
                        found->second ? "text" : "numbers", who(lacking)));
      }
    }
  };
  expect(here, first, there, other);
  expect(there, other, here, first);
  if (first.table->target != other.table->target || first.table->scaling != other.table->scaling ||
      first.table->impute != other.table->impute) {
    throw Error(who(other) + " reads its table in another way than " + who(first));
  }
}

void JoinedRoster::merge_tables() {
  for (const Introduction& one : clients_) expect_same_columns(one);
  TableSchema merged = *clients_.front().table;
  merged.features.clear();
  merged.classes = classes_;
  merged.draft = true;
  std::map<std::string, std::vector<std::vector<std::string>>> values;
  for (const Introduction& one : clients_) {
    for (Column& column : columns_of(*one.table)) values[column.name].push_back(std::move(column.values));
  }
  for (const Column& column : columns_of(*clients_.front().table)) {
    if (!column.text) {
      merged.features.push_back({.column = column.name, .value = std::nullopt});
      continue;
    }
    for (const std::string& value : merged_names(values[column.name]))
      merged.features.push_back({.column = column.name, .value = value});
  }
  shape_.width = merged.features.size();
  table_ = std::move(merged);
}

ClientInfo JoinedRoster::info(ClientId client) const {
  const Introduction& one = clients_.at(client);
  const std::uint32_t train = most_ == 0 ? one.train : std::min(one.train, most_);
  return {.train = train, .validation = one.validation, .test = one.test, .truth = 0, .role = Role::train};
}

JoinedRoster JoinedRoster::cut(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& sizes) const {
  JoinedRoster made = *this;
  for (std::size_t i = 0; i < made.clients_.size(); ++i) {
    made.clients_[i].train = sizes.at(i).first;
    made.clients_[i].validation = 0;
    made.clients_[i].test = sizes.at(i).second;
  }
  return made;
}

std::string JoinedRoster::text() const {
  std::vector<Introduction> copy = clients_;
  Bytes bytes = encode(copy, Precision::f64);
  std::uint32_t sum = checksum(bytes);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return text;
}

std::vector<Introduction> JoinedRoster::read(const std::string& text, const std::string& file) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  std::uint32_t sum = 0;
  try {
    if (bytes.size() < sizeof sum) throw MalformedMessage("it is too short");
    std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
    const auto body = bytes.first(bytes.size() - sizeof sum);
    if (checksum(body) != sum) throw MalformedMessage("its checksum does not match");
    return decode<std::vector<Introduction>>(body, Precision::f64);
  } catch (const MalformedMessage&) {
    throw Error(file + " is damaged; restore it, or start again with --force");
  }
}

Samples brought_to(const Shape& shape, const TableSchema* table, const std::vector<std::string>& classes,
                   const Introduction& own, const Samples& raw) {
  Samples out = raw;
  const std::vector<std::string>& own_classes = own.table ? own.table->classes : own.classes;
  if (!classes.empty() && !own_classes.empty()) {
    const NamePlaces places(classes);
    std::vector<double> codes;
    for (const std::string& name : own_classes) {
      const auto place = places(name);
      if (!place) throw Error("its class " + in_quotes(name) + " is none of those that were agreed on");
      codes.push_back(static_cast<double>(*place));
    }
    for (double& target : out.targets) target = codes.at(static_cast<std::size_t>(target));
  }
  if (table != nullptr) {
    if (!own.table) throw Error("the run reads a table, and its data is none");
    const std::vector<TableSchema::Feature>& from = own.table->features;
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> sources = sources_of(*table, *own.table, kNone);
    const auto& values = std::get<std::vector<double>>(raw.features);
    std::vector<double> brought(raw.size() * sources.size(), 0.0);
    for (std::size_t row = 0; row < raw.size(); ++row) {
      for (std::size_t j = 0; j < sources.size(); ++j) {
        if (sources[j] != kNone) brought[row * sources.size() + j] = values[row * from.size() + sources[j]];
      }
    }
    out.features = std::move(brought);
  }
  out.shape = shape;
  return out;
}

}  // namespace coterie
