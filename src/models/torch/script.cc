#include "models/torch/script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/ir/alias_analysis.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <functional>
#include <map>
#include <new>
#include <set>

#include "coterie/error.h"
#include "models/torch/block.h"

namespace coterie::torch_models {
namespace {

namespace jit = torch::jit;

thread_local Stream* stream_of_this_thread = nullptr;

// x with a share of its values dropped; of its channels, where `channels` says so.
void drop(jit::Stack& stack, bool channels) {
  const bool train = jit::pop(stack).toBool();
  const double share = jit::pop(stack).toDouble();
  const at::Tensor x = jit::pop(stack).toTensor();
  if (!train || share == 0 || stream_of_this_thread == nullptr) return jit::push(stack, x);
  std::vector<std::int64_t> sizes = x.sizes().vec();
  for (std::size_t d = 2; channels && d < sizes.size(); ++d) sizes[d] = 1;
  const at::Tensor like = at::empty(sizes, x.options().requires_grad(false));
  jit::push(stack, x * dropout_mask(like, share, *stream_of_this_thread));
}

// Where nothing is dropped they return x itself, and say so: what is written into it then is written into x.
const jit::RegisterOperators kDropout({
    jit::Operator(
        "coterie::dropout(Tensor(a) x, float share, bool train) -> Tensor(a)",
        [](jit::Stack& stack) { drop(stack, false); }, c10::AliasAnalysisKind::FROM_SCHEMA),
    jit::Operator(
        "coterie::feature_dropout(Tensor(a) x, float share, bool train) -> Tensor(a)",
        [](jit::Stack& stack) { drop(stack, true); }, c10::AliasAnalysisKind::FROM_SCHEMA),
});

template <class Visit>
void for_each_node(jit::Block* block, const Visit& visit) {
  for (auto node = block->nodes().begin(); node != block->nodes().end();) {
    jit::Node* one = *node++;  // a visit may destroy it
    for (jit::Block* inner : one->blocks()) for_each_node(inner, visit);
    visit(one);
  }
}

// Whether an operator draws random numbers: it can be given a generator, or is known to.
bool is_random(const jit::Node* node) {
  static const std::set<std::string> kKnown = {
      "aten::alpha_dropout",  "aten::alpha_dropout_", "aten::feature_alpha_dropout",
      "aten::native_dropout", "aten::rrelu",          "aten::feature_alpha_dropout_"};
  if (kKnown.count(node->kind().toQualString()) > 0 || node->isNondeterministic()) return true;
  const c10::FunctionSchema* schema = node->maybeSchema();
  if (schema == nullptr) return false;
  if (schema->name().find("rand") != std::string::npos) return true;
  return std::any_of(schema->arguments().begin(), schema->arguments().end(),
                     [](const c10::Argument& argument) { return argument.name() == "generator"; });
}

void replace_dropout(jit::Graph& graph) {
  static const std::map<std::string, std::string> kOurs = {
      {"aten::dropout", "coterie::dropout"},
      {"aten::dropout_", "coterie::dropout"},
      {"aten::feature_dropout", "coterie::feature_dropout"},
      {"aten::feature_dropout_", "coterie::feature_dropout"}};
  for_each_node(graph.block(), [&](jit::Node* node) {
    const auto ours = kOurs.find(node->kind().toQualString());
    if (ours == kOurs.end()) return;
    jit::Node* with = graph.create(c10::Symbol::fromQualString(ours->second), node->inputs(), 1);
    with->insertBefore(node);
    node->output()->replaceAllUsesWith(with->output());
    node->destroy();
  });
}

// Whether each of the graph's inputs is written to, or a view of it. The analysis takes all inputs of a graph
// for one piece of memory, so here it sees copies of them.
std::vector<bool> written_inputs(jit::Graph& graph) {
  const std::shared_ptr<jit::Graph> apart = graph.copy();
  const jit::WithInsertPoint front(*apart->nodes().begin());
  std::vector<const jit::Value*> copies;
  for (jit::Value* input : apart->inputs()) {
    jit::Value* copy = apart->insert(jit::aten::clone, {input});
    input->replaceAllUsesAfterNodeWith(copy->node(), copy);
    copies.push_back(copy);
  }
  const jit::AliasDb aliases(apart);
  std::vector<bool> written;
  for (const jit::Value* copy : copies) written.push_back(aliases.hasWriters(copy));
  return written;
}

bool is_one_of(const std::string& name, const std::string& layer) {
  return name.size() > layer.size() && name.starts_with(layer) && name[layer.size()] == '.';
}

}  // namespace

std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  const std::size_t begin = text.find("Error: ");
  const std::string line = begin == std::string::npos ? text : text.substr(begin + 7);
  return line.substr(0, line.find('\n'));
}

Script::Script(jit::Module module, const std::string& path, const std::string& head)
    : module_(std::move(module)), path_(path), head_(head) {
  const auto fractions = [](const at::Tensor& value) { return value.is_floating_point(); };
  std::vector<Held> last;
  for (const auto& one : module_.named_parameters()) {
    if (!fractions(one.value)) continue;
    (is_one_of(one.name, head) ? last : held_).push_back({one.name, one.value.detach(), false});
  }
  held_.insert(held_.end(), last.begin(), last.end());
  for (const auto& one : module_.named_buffers()) {
    if (fractions(one.value)) held_.push_back({one.name, one.value.detach(), true});
  }
  judging_ = lower(false);
  training_ = lower(true);
  has_head_ = judging_.features;
}

Script::Mode Script::lower(bool training) const {
  jit::Module module = module_;  // the same object, whose mode is set
  training ? module.train() : module.eval();
  std::shared_ptr<jit::Graph> graph = module.get_method("forward").graph()->copy();
  jit::Inline(*graph);
  if (graph->inputs().size() != 2 || graph->outputs().size() != 1 ||
      graph->outputs()[0]->type()->kind() != c10::TypeKind::TensorType) {
    throw Error(path_ + ": forward must take one tensor, a batch, and return one, the scores");
  }

  Mode mode;
  std::map<const jit::Value*, c10::IValue> objects = {{graph->inputs()[0], module._ivalue()}};
  std::map<const void*, jit::Value*> lowered;
  const jit::Value* head_weight = nullptr;
  const auto input_for = [&](const at::Tensor& value) {
    jit::Value*& input = lowered[value.unsafeGetTensorImpl()];
    if (input != nullptr) return input;
    input = graph->addInput();
    input->setType(c10::TensorType::get());
    const auto place = std::find_if(held_.begin(), held_.end(),
                                    [&](const Held& one) { return one.value.is_alias_of(value); });
    mode.inputs.push_back(value.detach());
    mode.places.push_back(place == held_.end() ? kOther : static_cast<std::size_t>(place - held_.begin()));
    if (place != held_.end() && place->name == head_ + ".weight") head_weight = input;
    return input;
  };
  std::vector<jit::Node*> done;
  // Attributes are read before they are used, so one walk from top to bottom meets objects first.
  const std::function<void(jit::Block*)> walk = [&](jit::Block* block) {
    for (jit::Node* node : block->nodes()) {
      for (jit::Block* inner : node->blocks()) walk(inner);
      if (node->kind() == jit::prim::SetAttr) {
        if (node->s(jit::attr::name) != "num_batches_tracked") {
          throw Error(path_ + ": forward changes the attribute \"" + node->s(jit::attr::name) +
                      "\"; only buffers may change, in place");
        }
        done.push_back(node);
      }
      if (node->kind() != jit::prim::GetAttr) continue;
      const auto object = objects.find(node->input());
      if (object == objects.end()) throw Error(path_ + ": forward reads an attribute of what is no module");
      const c10::IValue value = object->second.toObject()->getAttr(node->s(jit::attr::name));
      done.push_back(node);
      if (value.isModule()) {
        objects[node->output()] = value;
      } else if (value.isTensor()) {
        node->output()->replaceAllUsesWith(input_for(value.toTensor()));
      } else if (value.isObject()) {
        throw Error(path_ + ": \"" + node->s(jit::attr::name) +
                    "\" is packed or of a class of its own; export the module with plain parameters");
      } else {
        const jit::WithInsertPoint here(node);
        node->output()->replaceAllUsesWith(graph->insertConstant(value));
      }
    }
  };
  walk(graph->block());
  for (auto node = done.rbegin(); node != done.rend(); ++node) (*node)->destroy();
  if (!graph->inputs()[0]->uses().empty())
    throw Error(path_ + ": forward uses the module itself, other than for its parameters and submodules");
  graph->eraseInput(0);

  replace_dropout(*graph);
  jit::ConstantPropagation(graph);
  jit::EliminateDeadCode(graph);
  for_each_node(graph->block(), [&](const jit::Node* node) {
    if (is_random(node)) {
      throw Error(path_ + ": forward draws random numbers with " + node->kind().toQualString() +
                  ", which would not repeat; of random operators only dropout is allowed");
    }
  });
  const std::vector<bool> written = written_inputs(*graph);
  if (written[0]) {
    throw Error(path_ +
                ": forward changes its input in place, which is the client's data; let it work on a copy "
                "(x = x - 0.5 instead of x.sub_(0.5))");
  }
  for (std::size_t i = 0; i < mode.places.size(); ++i) {
    if (!written[i + 1] || mode.places[i] == kOther || held_[mode.places[i]].buffer) continue;
    throw Error(path_ + ": forward changes the parameter \"" + held_[mode.places[i]].name +
                "\" in place; only buffers may change");
  }
  if (!training && head_weight != nullptr) {
    for (jit::Node* node : graph->block()->nodes()) {
      if (node->kind() != jit::aten::linear || node->input(1) != head_weight) continue;
      if (graph->outputs()[0] != node->output()) continue;
      graph->registerOutput(node->input(0));
      mode.features = true;
      break;
    }
  }
  mode.code = std::make_unique<jit::Code>(graph, "forward");
  return mode;
}

Script::Result Script::run(const at::Tensor& x, const std::vector<at::Tensor>& values, Stream* stream) const {
  const Mode& mode = stream != nullptr ? training_ : judging_;
  jit::Stack stack = {x};
  for (std::size_t i = 0; i < mode.inputs.size(); ++i) {
    const at::Tensor& own = mode.inputs[i];
    if (mode.places[i] != kOther) {
      // Outside of training all clients read the same values, and a row's loss must not depend on the rows
      // before it: what forward writes into a buffer is forgotten.
      const at::Tensor& value = values[mode.places[i]];
      stack.emplace_back(stream == nullptr && held_[mode.places[i]].buffer ? value.clone() : value);
    } else {
      // A copy, since batches that were tracked are counted in place.
      stack.emplace_back(own.is_floating_point() ? own.to(x.scalar_type(), false, /*copy=*/true)
                                                 : own.clone());
    }
  }
  stream_of_this_thread = stream;
  try {
    jit::InterpreterState(*mode.code).run(stack);
  } catch (const std::bad_alloc&) {
    stream_of_this_thread = nullptr;
    throw;
  } catch (const std::exception& error) {
    stream_of_this_thread = nullptr;
    throw Error(fmt::format("{} cannot take a batch of [{}]: {}", path_, fmt::join(x.sizes(), ", "),
                            first_line(error)));
  }
  stream_of_this_thread = nullptr;
  Result result{stack[0].toTensor(), {}};
  if (mode.features) result.features = stack[1].toTensor();
  return result;
}

}  // namespace coterie::torch_models
