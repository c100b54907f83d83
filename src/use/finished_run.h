// A finished run as those who use it meet it: its client program, its models, and the clients that it knows.
// All of it comes from the run folder, or, without the clients, from the server of the run; no data is read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "fleet/client_program.h"
#include "use/welcome.h"

namespace coterie {

class FinishedRun {
 public:
  // Throws BadConfig when the folder holds no finished run of a table, and Error when a file of it is
  // damaged.
  explicit FinishedRun(const std::string& folder);
  // As a server sent it. Throws Error when it does not fit together.
  explicit FinishedRun(Welcome welcome);
  Welcome welcome() const;

  const std::string& folder() const { return folder_; }
  const ClientProgram& program() const { return *program_; }
  const Algorithm& method() const { return program_->method(); }
  const std::string& method_name() const { return method_name_; }
  const TableSchema& table() const { return *program_->agreement().table; }
  const Shape& shape() const { return program_->agreement().shape; }

  // How the table was read, besides what the agreement says.
  struct Reading {
    std::optional<std::string> client;  // the column that names the client
    std::vector<std::string> missing;
    std::optional<double> threshold;
    std::optional<std::string> weight;  // the column with the weights of rows
    char separator = ',';
    bool decimal_commas = false;
    bool dropped = false;  // rows with gaps took no part, so that no fill was agreed on
  };
  const Reading& reading() const { return reading_; }

  // Clusters that a client can be put into; 0 where every client has a model of its own and no clusters were
  // found.
  std::size_t clusters() const { return sizes_.size(); }
  const Vec& sizes() const { return sizes_; }
  double temperature() const { return temperature_; }
  bool soft() const { return soft_; }  // clients are in several clusters
  // What clients settle on: the models, then what else is offered.
  const Shelf& offer() const { return offer_; }

  // As new clients do, whatever the method does for those that have models of their own.
  Vec settle(ClientView& view) const;
  Vec costs(ClientView& view) const;
  // How likely each cluster is, given what the client's training part costs.
  Vec likely(const Vec& costs) const;
  // The mixture for a client of which nothing is known: clusters by their sizes.
  Vec by_size() const;
  Predictions predict(const Vec& weights, ClientView& view, Part part) const;

  // A client of the run.
  struct Known {
    ClientId id = 0;
    std::uint32_t cluster = 0;
    Vec weights;
    bool model = false;  // it has one of its own
  };
  const Known* find(const std::string& name) const;
  // How the numbers of a known client are scaled.
  const TableSchema& table_of(const Known& known) const;
  // What the client remembers, as its state; empty where the method remembers nothing.
  Bytes state_of(const Known& known) const;
  Predictions predict(const Known& known, ClientView& view, Part part) const;

 private:
  void read_config(const std::string& text);
  void read_data_section(const Table& config);
  void read_assign(const std::string& path);
  void read_offer(const std::vector<std::size_t>& extras, std::size_t models);

  std::string folder_;
  std::string method_name_;
  std::string program_text_;
  std::string agreement_text_;
  std::string reading_text_;
  std::unique_ptr<ClientProgram> program_;
  Reading reading_;
  bool means_ = false;
  bool soft_ = false;
  Vec sizes_;
  double temperature_ = 1;
  Shelf offer_;
  std::map<std::string, Known> known_;
  std::map<ClientId, Bytes> memories_;
  std::map<ClientId, TableSchema> scales_;  // where each client has its own
};

}  // namespace coterie
