// What competes, in a fixed order from simple to complex. Each candidate is an ordinary config.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/value.h"
#include "coterie/data.h"
#include "fit/options.h"

namespace coterie {

// The five answers to "what to use", and what is no answer.
enum class Answer { baseline, one_model, shrink, clusters, clusters_shrink, local };
std::string answer_name(Answer answer);  // "one-model" ...

struct Candidate {
  std::string name;   // "clusters-3-shrink": of its file, unique
  std::string words;  // "3 groups, with shrinkage inside"
  Answer answer = Answer::one_model;
  std::string method;  // algorithm.kind
  std::string model;   // "linear"
  std::size_t clusters = 1;
  bool blank = false;  // learns from no column at all
  bool named = false;  // a method that the user asked for: its trial says what models it makes
  Table config;        // of the run, data included
};

// What the order depends on besides the options.
struct Contestants {
  Shape shape;
  std::size_t clients = 0;
  std::size_t rows = 0;          // that train
  std::string plain_model;       // what "auto" stands for here: "linear" or "softmax"
  std::size_t groups_found = 1;  // by the test; methods that the user names are tried with so many
};

// `base`: the config without model, method and clusters.
std::vector<Candidate> list_candidates(const Table& base, const FitOptions& options, const Contestants& who);

}  // namespace coterie
