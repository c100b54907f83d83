#include "data/formats/row_roles.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace coterie {
namespace {

constexpr std::uint32_t kUnused = CategoryColumn::kMissing;

std::optional<Part> part_of(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text == "train" || text == "training") return Part::train;
  for (const char* name : {"validation", "valid", "val", "dev"}) {
    if (text == name) return Part::validation;
  }
  if (text == "test") return Part::test;
  return std::nullopt;
}

}  // namespace

void RowRoles::set_owners(Pool& pool, const CategoryColumn& clients, const std::string& column) const {
  std::vector<std::uint32_t> place(clients.names.size(), kUnused);
  for (std::size_t row = 0; row < keep_.size(); ++row) {
    if (clients.codes[row] == CategoryColumn::kMissing)
      fail_(row, column, "is missing: a row must name its client");
    if (keep_[row]) place[clients.codes[row]] = 0;
  }
  std::vector<std::string> absent;
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (place[k] == kUnused) {
      absent.push_back(clients.names[k]);
      continue;
    }
    place[k] = static_cast<std::uint32_t>(pool.owner_names.size());
    pool.owner_names.push_back(clients.names[k]);
  }
  if (!absent.empty()) {
    pool.notes.push_back(
        fmt::format("{} of the clients in {} have no usable row and take no part, the first: {}",
                    absent.size(), file_, in_quotes(absent.front())));
  }
  for (std::size_t row = 0; row < keep_.size(); ++row) {
    if (keep_[row]) pool.owners.push_back(place[clients.codes[row]]);
  }
}

void RowRoles::set_truth(Pool& pool, const CategoryColumn& truth, const std::string& column) const {
  std::vector<std::uint32_t> of_owner(pool.owner_names.size(), kUnused);
  std::vector<std::size_t> first_row(of_owner.size(), 0);
  std::size_t kept = 0;
  for (std::size_t row = 0; row < keep_.size(); ++row) {
    if (!keep_[row]) continue;
    const std::uint32_t owner = pool.owners[kept++], own = truth.codes[row];
    if (of_owner[owner] == kUnused) first_row[owner] = row;
    if (own == kUnused || own == of_owner[owner]) continue;
    if (of_owner[owner] != kUnused) {
      fail_(row, column,
            fmt::format("client {} is in cluster {} here and in {} before; a client has one true cluster",
                        in_quotes(pool.owner_names[owner]), in_quotes(truth.names[own]),
                        in_quotes(truth.names[of_owner[owner]])));
    }
    of_owner[owner] = own;
  }
  std::vector<std::uint32_t> place(truth.names.size(), kUnused);
  for (std::size_t owner = 0; owner < of_owner.size(); ++owner) {
    if (of_owner[owner] == kUnused) {
      fail_(first_row[owner], column,
            fmt::format("is missing in every row of client {}", in_quotes(pool.owner_names[owner])));
    }
    place[of_owner[owner]] = 0;
  }
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (place[k] == kUnused) continue;
    place[k] = static_cast<std::uint32_t>(pool.truth_names.size());
    pool.truth_names.push_back(truth.names[k]);
  }
  for (std::uint32_t own : of_owner) pool.owner_truth.push_back(place[own]);
}

void RowRoles::set_parts(Pool& pool, const CategoryColumn& split, const std::string& column) const {
  std::vector<std::optional<Part>> parts;
  for (const std::string& name : split.names) parts.push_back(part_of(name));
  for (std::size_t row = 0; row < keep_.size(); ++row) {
    if (!keep_[row]) continue;
    const std::uint32_t code = split.codes[row];
    if (code == kUnused || !parts[code]) {
      fail_(row, column,
            (code == kUnused ? "is missing" : in_quotes(split.names[code]) + " is no part of the data") +
                std::string("; a row must say train, validation (valid, val, dev) or test"));
    }
    pool.parts.push_back(*parts[code]);
  }
}

void RowRoles::set_weights(Pool& pool, const NumberColumn& weights, const std::string& column) const {
  for (std::size_t row = 0; row < keep_.size(); ++row) {
    if (!keep_[row]) continue;
    const double weight = weights.values[row];
    if (!(weight >= 0) || !std::isfinite(weight)) {
      fail_(row, column,
            std::isnan(weight) ? "must be a number, the weight of the row"
                               : fmt::format("a weight of {:g}; weights must not be negative", weight));
    }
    pool.train.weights.push_back(weight);
  }
}

std::vector<std::uint32_t> RowRoles::codes(const CategoryColumn& categories,
                                           const std::string& column) const {
  std::vector<std::uint32_t> codes;
  for (std::size_t row = 0; row < keep_.size(); ++row) {
    if (!keep_[row]) continue;
    if (categories.codes[row] == CategoryColumn::kMissing)
      fail_(row, column, "is missing: rows are kept together or in order by it");
    codes.push_back(categories.codes[row]);
  }
  return codes;
}

void RowRoles::set_numbers(Pool& pool) const {
  for (std::size_t row = 0; row < keep_.size(); ++row) {
    if (keep_[row]) pool.numbers.push_back(static_cast<std::uint32_t>(row + 1));
  }
  pool.train.places = pool.numbers;
}

}  // namespace coterie
