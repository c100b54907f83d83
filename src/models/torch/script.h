// A scripted module as a function of its parameters: its forward method with every call written out, whose
// tensors are inputs instead of attributes. So one copy serves all threads, and parameters are borrowed from
// flat vectors.
//
// Dropout draws from the client's stream. Other operators that draw random numbers are refused by name, and
// so is what would give other results from call to call: attributes that are changed, packed weights, inputs
// and parameters that are written to.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "coterie/random.h"

namespace coterie::torch_models {

// What libtorch says, without where in its own code.
std::string first_line(const std::exception& error);

class Script {
 public:
  // A tensor that the module holds.
  struct Held {
    std::string name;  // "layer1.weight"
    at::Tensor value;
    bool buffer;
  };

  // `path` is for messages. `head`: the name of the dense layer that gives the scores, "" for none.
  Script(torch::jit::Module module, const std::string& path, const std::string& head);

  // Parameters and buffers that are numbers with fractions: those of the head come last, buffers after them.
  const std::vector<Held>& held() const { return held_; }
  bool has_head() const { return has_head_; }

  struct Result {
    at::Tensor scores;
    at::Tensor features;  // undefined without a head
  };
  // `values` as in held(), of one precision. With a stream as in training, which may write into buffers;
  // without as in evaluation, which writes into nothing. Throws Error where forward fails, as batch-norm does
  // on a batch of one row.
  Result run(const at::Tensor& x, const std::vector<at::Tensor>& values, Stream* stream) const;

 private:
  // The forward method in one mode.
  struct Mode {
    std::unique_ptr<torch::jit::Code> code;
    std::vector<at::Tensor> inputs;   // of the graph, after x
    std::vector<std::size_t> places;  // of each in held(); kOther: neither parameter nor buffer
    bool features = false;
  };
  static constexpr std::size_t kOther = static_cast<std::size_t>(-1);

  Mode lower(bool training) const;

  torch::jit::Module module_;  // libtorch's messages about errors look into it
  std::string path_;
  std::string head_;
  std::vector<Held> held_;
  bool has_head_ = false;
  Mode training_, judging_;
};

}  // namespace coterie::torch_models
