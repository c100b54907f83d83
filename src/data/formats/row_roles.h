// What some columns say about rows rather than of them: the client a row belongs to, its true cluster, its
// part, its weight. Each format reads its own columns; this turns them into a pool's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "coterie/source.h"
#include "data/formats/columns.h"

namespace coterie {

class RowRoles {
 public:
  // Throws an Error about a row and one of its columns.
  using Fail = std::function<void(std::size_t row, const std::string& column, const std::string& what)>;

  // `keep`: by row, whether it is used. Both are borrowed.
  RowRoles(const std::string& file, const std::vector<std::uint8_t>& keep, Fail fail)
      : file_(file), keep_(keep), fail_(std::move(fail)) {}

  // Owners are those that have a row, in the order of the column's names.
  void set_owners(Pool& pool, const CategoryColumn& clients, const std::string& column) const;
  // One true cluster for each owner; rows where it is missing say nothing. Needs the owners.
  void set_truth(Pool& pool, const CategoryColumn& truth, const std::string& column) const;
  // train; validation, valid, val, dev; test; in any case of letters.
  void set_parts(Pool& pool, const CategoryColumn& split, const std::string& column) const;
  // Finite numbers that are not negative; a row that is missing its weight is an error.
  void set_weights(Pool& pool, const NumberColumn& weights, const std::string& column) const;
  // The category of each row that is kept, by number; a row where it is missing is an error.
  std::vector<std::uint32_t> codes(const CategoryColumn& categories, const std::string& column) const;
  // Rows counted from 1.
  void set_numbers(Pool& pool) const;

 private:
  const std::string& file_;
  const std::vector<std::uint8_t>& keep_;
  Fail fail_;
};

}  // namespace coterie
