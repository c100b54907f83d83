// The roster of clients that joined over a network, made from what they told. Ids go by name, never by who
// came first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/introduction.h"

namespace coterie {

class JoinedRoster : public Roster {
 public:
  // What clients hold must go together: the same form of samples, the same columns of the same kind. Throws
  // Error that names the client and the column that do not. `most`: a client's samples count as so many at
  // most; 0: as they are.
  JoinedRoster(std::vector<Introduction> clients, std::uint32_t most);

  const Shape& shape() const override { return shape_; }
  std::size_t size() const override { return clients_.size(); }
  std::size_t training() const override { return clients_.size(); }
  ClientInfo info(ClientId client) const override;
  const Truth& truth() const override { return truth_; }
  std::string name(ClientId client) const override { return clients_.at(client).name; }
  std::vector<std::string> notes() const override { return notes_; }
  const TableSchema* table() const override { return table_ ? &*table_ : nullptr; }

  void agree(const TableSchema& table) { table_ = table; }
  // The same clients, of whose training rows so many train and so many are held out, by id (coterie fit).
  JoinedRoster cut(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& sizes) const;
  // What classes are called, in the order of their numbers; empty where the data does not say.
  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<Introduction>& clients() const { return clients_; }

  // For the run folder: a run that goes on has the same clients, also when not all of them are back.
  std::string text() const;
  static std::vector<Introduction> read(const std::string& text, const std::string& file);

 private:
  void merge_classes();
  void merge_tables();
  void expect_same_columns(const Introduction& other) const;

  std::vector<Introduction> clients_;  // by id
  std::uint32_t most_;
  Shape shape_;
  Truth truth_;
  std::vector<std::string> classes_;
  std::optional<TableSchema> table_;
  std::vector<std::string> notes_;
};

// Names of classes or categories of several clients as one list: in the order of numbers when all are
// numbers (then 1 and 1.0 are the same), else of their text; "", what is missing, comes last.
std::vector<std::string> merged_names(const std::vector<std::vector<std::string>>& lists);
// Where a name is in such a list.
class NamePlaces {
 public:
  explicit NamePlaces(const std::vector<std::string>& names);
  std::optional<std::size_t> operator()(const std::string& name) const;

 private:
  std::map<std::string, std::size_t> texts_;
  std::map<double, std::size_t> numbers_;
};

// Rows of a client, as its own draft of the table and its own classes have them, in the form that all agreed
// on. Throws Error when they have what the form has no place for.
Samples brought_to(const Shape& shape, const TableSchema* table, const std::vector<std::string>& classes,
                   const Introduction& own, const Samples& raw);

}  // namespace coterie
