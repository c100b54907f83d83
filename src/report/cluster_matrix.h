// Who was put where: the training clients by found and by true cluster. The picture newcomers ask for first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/run_folder.h"

namespace coterie {

// A group of clients with its means by samples; NaN where none has the figure.
struct GroupScore {
  std::string name;
  double clients = 0;
  double samples = 0;
  double accuracy = kAbsent;
  double loss = kAbsent;
  double test_accuracy = kAbsent;  // of unseen clients, or else the shared test set
};

struct ClusterMatrix {
  std::vector<GroupScore> found;
  std::vector<GroupScore> truth;
  std::vector<std::uint32_t> found_ids;     // of `found`, as clients.csv numbers them
  std::vector<std::vector<double>> counts;  // found x truth: training clients

  // Whether there are clusters to recover: found ones, and more than one true one.
  bool has_truth() const { return !found.empty() && truth.size() > 1; }
  // Whether there are clusters to tell of: several models, and clients that have one of them.
  bool has_found() const { return found.size() > 1 && filled() > 0; }
  // How many found clusters have clients, and the largest of them: "12, 5 and 3 clients".
  std::size_t filled() const;
  std::string sizes_text() const;
  // With at most so many rows and columns: the smallest are joined into "N others", the last one.
  ClusterMatrix shortened(std::size_t most_found, std::size_t most_truth) const;
};

// Found clusters stand in the order of the true clusters that match them best, one to one, so that a good
// result has its counts on the diagonal; the rest follow by number. Offered models that nobody chose are rows
// of zeros. Without found clusters (every client has its own model) `found` and `counts` are empty.
ClusterMatrix cluster_matrix(const RunRecord& run, const std::vector<ClientRow>& clients);

}  // namespace coterie
