// "What I read": clients, rows, columns, gaps, and who holds what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "run/config.h"

namespace coterie {

struct Reading {
  struct Client {
    std::string name;
    std::size_t train = 0;
    std::size_t test = 0;
    std::vector<double> classes;  // training rows of each class
    double mean = 0;              // of the training targets of a regression, in their units
    double deviation = 0;
    bool told_target = true;  // false: a client elsewhere does not tell the two
  };
  struct Gap {
    std::string column;
    std::size_t cells = 0;                // that are missing
    std::vector<std::string> everywhere;  // clients that have no value at all
  };
  // A column of many values that is the same in all rows of some clients: often how they write "missing".
  struct Constant {
    std::string column;
    std::string value;
    std::vector<std::string> clients;  // all with this value
  };
  struct Dropped {
    std::string column;
    std::string why;
  };
  // A column that describes clients: one value for each, "" where it is missing.
  struct Description {
    std::string column;
    std::vector<std::string> values;  // by client
  };

  std::string file;
  bool told = false;  // by clients that hold the table (told_reading.h)
  std::size_t rows = 0;
  std::size_t rows_left_out = 0;  // without a target, mostly; not known where clients told
  Task task = Task::classification;
  std::string target;
  std::vector<std::string> classes;
  std::vector<std::string> columns;  // that became features
  std::size_t features = 0;
  std::vector<Gap> gaps;
  std::vector<Constant> constants;
  std::vector<Dropped> dropped;
  std::vector<std::string> notes;
  std::vector<Client> clients;
  std::vector<Description> descriptions;

  std::size_t train_rows() const;
  std::size_t test_rows() const;
  // Rows of a client, train and test: "least", "median" and "most".
  std::vector<double> rows_of_clients() const;  // ascending
  // The share of the most frequent class among training rows.
  double largest_class() const;
};

// Reads the table once more, as text; the federation was made from it. A describing column that changes
// inside a client is an Error.
Reading read_table(const Config& config, const Federation& federation, const std::string& data_folder,
                   const std::vector<std::string>& describe);

// Bars of rows, and class shares or means, in lines of text: client by client, or where there are many, how
// many clients have so many rows.
std::string holdings_picture(const Reading& reading, std::size_t most_clients = 30);

}  // namespace coterie
