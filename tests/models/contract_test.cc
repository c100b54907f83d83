// What every model promises, for every model in the registry and the options that matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/add_ons.h"
#include "coterie/methods/extractor.h"
#include "models/bound_model.h"

namespace coterie::contract_test {
namespace {

// Convolution, batch-norm, dropout and two dense layers, for colour images of 10x10 in 3 classes; saved by
// torch.jit.save.
const std::filesystem::path kScript = std::filesystem::path(__FILE__).parent_path() / "torchscript.pt";

// Options under which each model is tested; models that are not listed run with their defaults.
const std::map<std::string, std::vector<std::string>>& variants() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"linear",
       {"", "intercept = true\nl2 = 0.3", "intercept = true\nl2 = 0.3\npenalise_intercept = true",
        "factor = 1", "features = 'polynomial'\ndegree = 3",
        "features = 'fourier'\ncount = 12\nbandwidth = 2.0\nintercept = true"}},
      {"logistic",
       {"", "intercept = true\nl2 = 0.3", "features = 'polynomial'", "features = 'fourier'\ncount = 12"}},
      {"softmax",
       {"", "intercept = false\nl2 = 0.3", "features = 'polynomial'", "features = 'fourier'\ncount = 12",
        "loss = 'probability'"}},
      {"mlp",
       {"", "loss = 'probability'", "hidden = []", "hidden = [5]\nl2 = 0.3", "hidden = [9, 7]",
        "hidden = [6, 8, 5]\nl2 = 0.1", "hidden = [5]\nl2 = 0.3\npenalise_intercept = true"}},
      {"small-cnn", {"", "l2 = 0.3", "loss = 'probability'"}},
      {"resnet-18", {"width = 3", "width = 2\nstem = 'small'\nl2 = 0.01"}},
      {"mobilenet-v2", {"width = 0.1"}},
      {"torchscript", {"file = '" + kScript.string() + "'"}},
  };
  return all;
}

struct Case {
  std::string kind;
  std::string toml;
  Shape shape;
  std::unique_ptr<Model> model;
};

Shape image(std::size_t channels, std::size_t side, std::size_t classes) {
  const Task task = classes > 0 ? Task::classification : Task::regression;
  return {task, channels * side * side, classes, side, side, channels};
}

// Every model with every variant on every shape that it accepts, those of add-ons that are built included.
// Images are for models that take nothing else.
std::vector<Case> cases() {
  load_built_add_ons();
  std::vector<Case> all;
  for (const std::string& kind : Registry<Model>::instance().names()) {
    const auto found = variants().find(kind);
    for (const std::string& toml : found == variants().end() ? std::vector<std::string>{""} : found->second) {
      const std::size_t before = all.size();
      for (const Shape& shape :
           {regression(4), classification(4, 2), classification(4, 3), image(1, 6, 0), image(3, 10, 3)}) {
        if (shape.is_image() && all.size() > before && !all.back().shape.is_image()) break;
        try {
          all.push_back({kind, toml, shape, bound_model(kind, toml, shape)});
        } catch (const Error&) {
        }
      }
      EXPECT_GT(all.size(), before) << kind << " takes none of the shapes: " << toml;
    }
  }
  return all;
}

template <class Test>
void for_each_case(const Test& test) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.kind + " with " + c.toml + ", classes " + std::to_string(c.shape.classes));
    test(c, *c.model);
  }
}

constexpr std::size_t kRows = 11;

double norm(const Vec& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}
template <class A, class B>
double distance(const std::vector<A>& a, const std::vector<B>& b) {
  Vec difference;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference.push_back(static_cast<double>(a[i]) - static_cast<double>(b[i]));
  }
  return norm(difference);
}

TEST(ModelContract, LayersCoverTheParametersWithoutGapOrOverlap) {
  for_each_case([](const Case&, const Model& model) {
    std::size_t next = 0;
    for (const Layer& layer : model.layers()) {
      EXPECT_EQ(layer.offset, next) << layer.name;
      EXPECT_GT(layer.size(), 0u) << layer.name;
      next += layer.size();
    }
    EXPECT_EQ(next, model.size());
    EXPECT_LT(model.head(), model.size());
  });
}

// The strength of the L2 term for one parameter, and the whole term.
double l2_of(const Model& model, std::size_t parameter) {
  for (const Model::Range& part : model.penalised()) {
    if (parameter >= part.offset && parameter < part.offset + part.size) return model.l2();
  }
  return 0;
}
double l2_term(const Model& model, const Vec& w) {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += 0.5 * l2_of(model, i) * w[i] * w[i];
  return sum;
}

TEST(ModelContract, TheValueIsTheWeightedMeanLossPlusL2) {
  for_each_case([](const Case& c, const Model& model) {
    for (const bool weighted : {false, true}) {
      const Rows<double> rows(c.shape, kRows, weighted);
      const Vec w = start_of<double>(model);
      Vec gradient(w.size()), losses(kRows);
      model.losses(w, rows.batch(), losses);
      double expected = l2_term(model, w);
      for (std::size_t j = 0; j < kRows; ++j)
        expected += (weighted ? rows.weights[j] : 1) * losses[j] / kRows;
      EXPECT_NEAR(model.gradient(w, rows.batch(), gradient), expected, 1e-12 * std::fabs(expected));
    }
  });
}

// Some parameters of every layer, fewer where a gradient takes long; all of a small one. Of a hundred layers
// every seventh.
std::vector<std::size_t> parameters_of_all_layers(const Model& model) {
  const std::size_t layers = model.layers().size();
  const std::size_t most = layers > 20 ? 2 : model.gradient_flops() > 3e6 ? 3 : 40;
  const std::size_t step = layers > 100 ? 7 : 1;
  std::vector<std::size_t> some;
  Stream stream(31, {Purpose::test});
  for (std::size_t l = 0; l < layers; l += step) {
    const Layer& layer = model.layers()[l];
    if (layer.buffer) continue;
    for (const std::uint32_t j : stream.sample(layer.size(), std::min(layer.size(), most)))
      some.push_back(layer.offset + j);
  }
  return some;
}

TEST(ModelContract, GradientIsThatOfFiniteDifferences) {
  for_each_case([](const Case& c, const Model& model) {
    const std::vector<std::size_t> tried = parameters_of_all_layers(model);
    for (const bool weighted : {false, true}) {
      for (const std::size_t count : {std::size_t(1), kRows}) {
        if (c.shape.is_image() && (!weighted || count == 1)) continue;  // networks take long
        const Rows<double> rows(c.shape, count, weighted);
        Vec w = start_of<double>(model);
        // Away from where ReLUs bend: at the start of a network whole layers are at 0.
        Stream noise(8, {Purpose::test});
        for (std::size_t j = 0; j < model.trainable() && c.shape.is_image(); ++j)
          w[j] += 0.05 * noise.normal();
        Vec gradient(w.size()), unused(w.size()), differences, found;
        model.gradient(w, rows.batch(), gradient);
        for (const std::size_t j : tried) {
          // Of the ReLUs of a deep network some are next to where they bend.
          const double old = w[j], step = model.layers().size() > 20 ? 1e-7 : 1e-6;
          w[j] = old + step;
          const double high = model.gradient(w, rows.batch(), unused);
          w[j] = old - step;
          const double low = model.gradient(w, rows.batch(), unused);
          w[j] = old;
          differences.push_back((high - low) / (2 * step));
          found.push_back(gradient[j]);
        }
        EXPECT_GT(norm(found), 0);
        EXPECT_LT(distance(found, differences), 1e-6 * norm(found)) << count << " rows";
      }
    }
  });
}

TEST(ModelContract, FloatAgreesWithDouble) {
  for_each_case([](const Case& c, const Model& model) {
    const Rows<double> wide(c.shape, kRows, true);
    const Rows<float> narrow(c.shape, kRows, true);
    Vec gradient(model.size()), losses(kRows), narrow_losses(kRows);
    std::vector<float> narrow_gradient(model.size());
    const Vec w = start_of<double>(model);
    const std::vector<float> narrow_w = start_of<float>(model);
    const double value = model.gradient(w, wide.batch(), gradient);
    EXPECT_NEAR(model.gradient(narrow_w, narrow.batch(), narrow_gradient), value, 1e-4 * std::fabs(value));
    EXPECT_LT(distance(gradient, narrow_gradient), 1e-4 * norm(gradient));
    model.losses(w, wide.batch(), losses);
    model.losses(narrow_w, narrow.batch(), narrow_losses);
    EXPECT_LT(distance(losses, narrow_losses), 1e-4 * norm(losses));
  });
}

TEST(ModelContract, PredictionsMatchLosses) {
  for_each_case([](const Case& c, const Model& model) {
    const Rows<double> rows(c.shape, kRows);
    const Vec w = start_of<double>(model);
    Vec losses(kRows), out(kRows * model.outputs());
    model.losses(w, rows.batch(), losses);
    model.predict(w, rows.batch(), out);
    const bool classes = c.shape.task == Task::classification;
    ASSERT_EQ(model.outputs(), classes ? c.shape.classes : 1);
    if (!classes && model.loss_kind() == LossKind::other)
      return;  // samples are losses, not values to predict
    // Squared losses are defined up to a constant factor: that of the first row.
    const double factor = losses[0] / ((out[0] - rows.y[0]) * (out[0] - rows.y[0]));
    for (std::size_t j = 0; j < kRows; ++j) {
      EXPECT_GE(losses[j], 0);
      if (!classes) {
        EXPECT_NEAR(losses[j], factor * (out[j] - rows.y[j]) * (out[j] - rows.y[j]), 1e-9 * losses[j]);
        continue;
      }
      double sum = 0;
      for (std::size_t k = 0; k < c.shape.classes; ++k) sum += out[j * c.shape.classes + k];
      EXPECT_NEAR(sum, 1, 1e-14);
      const double right = out[j * c.shape.classes + static_cast<std::size_t>(rows.y[j])];
      const bool probability = model.loss_kind() == LossKind::other;
      EXPECT_NEAR(losses[j], probability ? 1 - right : -std::log(right), 1e-12);
    }
  });
}

// The last layer applied to the features gives the scores, and these the predictions.
TEST(ModelContract, FeaturesAreTheInputOfTheHead) {
  for_each_case([](const Case& c, const Model& model) {
    const Rows<double> rows(c.shape, kRows);
    const Vec w = start_of<double>(model);
    const std::size_t columns = model.scores(), width = model.feature_width();
    Vec features(kRows * width), all(kRows * columns), out(kRows * model.outputs());
    model.features(w, rows.batch(), features);
    model.predict(w, rows.batch(), out);
    model.head_outputs(std::span<const double>(w), features, all);
    const std::vector<Layer>& layers = model.layers();
    const auto weight = std::find_if(layers.begin(), layers.end(),
                                     [&](const Layer& layer) { return layer.offset == model.head(); });
    ASSERT_NE(weight, layers.end());
    ASSERT_EQ(weight->inputs(), width);
    for (std::size_t j = 0; j < kRows; ++j) {
      Vec scores(columns);
      for (std::size_t k = 0; k < columns; ++k) {
        if (std::next(weight) != layers.end()) scores[k] = w[std::next(weight)->offset + k];
        for (std::size_t f = 0; f < width; ++f) scores[k] += features[j * width + f] * w[weight->place(k, f)];
        EXPECT_NEAR(all[j * columns + k], scores[k], 1e-12);
      }
      if (c.shape.task == Task::classification && columns == 1) scores = {0, scores[0]};
      double total = 0;
      for (const double score : scores) total += std::exp(score);
      for (std::size_t k = 0; k < model.outputs(); ++k) {
        const double expected =
            c.shape.task == Task::classification ? std::exp(scores[k]) / total : scores[k];
        EXPECT_NEAR(out[j * model.outputs() + k], expected, 1e-12);
      }
    }
  });
}

// A second head on the same features, with slopes of its own, adds up: what methods with a shared extractor
// do.
TEST(ModelContract, HeadsOnOneExtractorGiveWhatWholeModelsGive) {
  for_each_case([](const Case& c, const Model& model) {
    const Extractor* extractor = model.extractor();
    if (extractor == nullptr) return;
    const Rows<double> rows(c.shape, kRows, true);
    const Batch<double> batch = rows.batch();
    const std::size_t head = model.head(), size = model.trainable() - head;
    const Vec first = start_of<double>(model);
    Vec second = first;
    for (std::size_t j = head; j < head + size; ++j) second[j] = 0.5 - first[j];
    Vec expected(head, 0.0), one(model.size()), found(head), head_part(size), losses(kRows), wanted(kRows);
    double value = 0, sum = 0;
    for (const Vec& w : {first, second}) {
      value += model.gradient(w, batch, one) - l2_term(model, w);
      for (std::size_t j = 0; j < head; ++j) expected[j] += one[j] - l2_of(model, j) * w[j];
    }
    extractor->through(
        first, batch, nullptr,
        [&](std::span<const double> features, std::span<double> slopes) {
          for (const Vec& w : {first, second}) {
            const std::span<const double> own = std::span(w).subspan(head, size);
            sum += extractor->head_gradient(own, features, batch.y, batch.weights, 1.0 / kRows, head_part,
                                            slopes);
            extractor->head_losses(own, features, batch.y, losses);
            model.losses(w, batch, wanted);
            EXPECT_EQ(losses, wanted);
          }
        },
        found);
    EXPECT_NEAR(sum / kRows, value, 1e-12 * std::fabs(value));
    EXPECT_LT(distance(found, expected), 1e-12 * norm(expected));
    for (std::size_t j = 0; j < size; ++j)
      EXPECT_NEAR(head_part[j], one[head + j] - l2_of(model, head + j) * second[head + j], 1e-14);
  });
}

// Without biases unless a config says so; plug-ins that do not say hold it for all that is stepped.
// Neighbouring layers are one part, so that sums over all parameters have one order.
TEST(ModelContract, TheL2TermHoldsForWeightsAndForBiasesWhereAsked) {
  for_each_case([](const Case& c, const Model& model) {
    const bool says = model.first_layer() != nullptr || c.shape.is_image();
    const bool all = c.toml.find("penalise_intercept = true") != std::string::npos || !says;
    std::vector<bool> expected(model.trainable(), all), found(model.trainable(), false);
    for (const Layer& layer : model.layers()) {
      if (layer.buffer || !layer.is_matrix()) continue;
      // Whose default is that of its paper.
      if (c.kind == "ifca-cnn" && !layer.name.starts_with("fc1") && !layer.name.starts_with("fc2")) continue;
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(layer.offset), layer.size(), true);
    }
    std::size_t end = 0;
    for (const Model::Range& part : model.penalised()) {
      EXPECT_TRUE(end == 0 || part.offset > end) << "parts are not neighbours";
      std::fill_n(found.begin() + static_cast<std::ptrdiff_t>(part.offset), part.size, true);
      end = part.offset + part.size;
    }
    EXPECT_EQ(found, expected);
    if (all) {
      EXPECT_EQ(model.penalised().size(), 1u);
    }
  });
}

// All results at all offsets from an aligned address.
template <class Real>
void expect_same_bits_anywhere(const Case& c, const Model& model) {
  const Rows<Real> rows(c.shape, kRows, true);
  const std::vector<Real> w = start_of<Real>(model);
  std::vector<std::vector<double>> results;
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<Real> room_x(rows.x.size() + 8), room_w(w.size() + 8), room_g(w.size() + 8);
    std::vector<Real> room_f(kRows * model.feature_width() + 8);
    const std::size_t other = (3 * shift) % 8;
    std::copy(rows.x.begin(), rows.x.end(), room_x.begin() + shift);
    std::copy(w.begin(), w.end(), room_w.begin() + other);
    Batch<Real> batch = rows.batch();
    batch.x = {room_x.data() + shift, rows.x.size()};
    const std::span<const Real> moved_w(room_w.data() + other, w.size());
    const std::span<Real> gradient(room_g.data() + shift, w.size());
    const std::span<Real> features(room_f.data() + other, kRows * model.feature_width());
    Vec losses(kRows), out(kRows * model.outputs());
    std::vector<double> all = {model.gradient(moved_w, batch, gradient)};
    model.losses(moved_w, batch, losses);
    model.predict(moved_w, batch, out);
    model.features(moved_w, batch, features);
    all.insert(all.end(), gradient.begin(), gradient.end());
    all.insert(all.end(), losses.begin(), losses.end());
    all.insert(all.end(), out.begin(), out.end());
    all.insert(all.end(), features.begin(), features.end());
    results.push_back(all);
    EXPECT_EQ(results[shift], results[0]) << "offset " << shift;
  }
}

TEST(ModelContract, BitsDoNotDependOnAddresses) {
  for_each_case([](const Case& c, const Model& model) {
    expect_same_bits_anywhere<float>(c, model);
    expect_same_bits_anywhere<double>(c, model);
  });
}

TEST(ModelContract, ARowsLossDoesNotDependOnTheOtherRows) {
  for_each_case([](const Case& c, const Model& model) {
    const std::size_t many = model.forward_flops() > 1e5 ? 70 : 600;  // more than a block
    const Rows<float> rows(c.shape, many);
    const std::vector<float> w = start_of<float>(model);
    Vec losses(many), alone(1);
    model.losses(w, rows.batch(), losses);
    for (const std::size_t j : {0, 1, 33, 64, 69, 255, 256, 599}) {
      if (j >= many) break;
      model.losses(w, rows.only(j).batch(), alone);
      EXPECT_EQ(alone[0], losses[j]) << "row " << j;
    }
  });
}

TEST(ModelContract, LargeBatchesAreTheMeanOfTheirParts) {
  for_each_case([](const Case& c, const Model& model) {
    const std::size_t many = model.gradient_flops() > 1e5 ? 40 : 520;
    const Rows<double> rows(c.shape, many, true);
    const Vec w = start_of<double>(model);
    Vec whole(w.size()), part(w.size()), mean(w.size());
    const double value = model.gradient(w, rows.batch(), whole);
    double mean_value = 0;
    for (std::size_t j = 0; j < many; ++j) {
      mean_value += model.gradient(w, rows.only(j).batch(), part) / many;
      for (std::size_t i = 0; i < w.size(); ++i) mean[i] += part[i] / many;
    }
    EXPECT_NEAR(value, mean_value, 1e-12 * std::fabs(value));
    EXPECT_LT(distance(whole, mean), 1e-12 * norm(whole));
  });
}

TEST(ModelContract, ARowOfWeightZeroIsGone) {
  for_each_case([](const Case& c, const Model& model) {
    Rows<double> rows(c.shape, kRows, true);
    const std::size_t gone = 4;
    rows.weights[gone] = 0;
    const Rows<double> rest = rows.without(gone);
    const Vec w = start_of<double>(model);
    Vec with(w.size()), without(w.size());
    const double penalty = l2_term(model, w);
    const double value = model.gradient(w, rows.batch(), with) - penalty;
    const double other = model.gradient(w, rest.batch(), without) - penalty;
    // Both divide by their own number of rows.
    EXPECT_NEAR(value * kRows, other * (kRows - 1), 1e-11 * std::fabs(value) * kRows);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double l2_part = l2_of(model, i) * w[i];
      EXPECT_NEAR((with[i] - l2_part) * kRows, (without[i] - l2_part) * (kRows - 1), 1e-11);
    }
  });
}

TEST(ModelContract, NoRowsLeaveTheL2TermAlone) {
  for_each_case([](const Case& c, const Model& model) {
    const Vec w = start_of<double>(model);
    Vec gradient(w.size(), 99);
    const Batch<double> none{0, c.shape.width, {}, {}, {}};
    EXPECT_NEAR(model.gradient(w, none, gradient), l2_term(model, w), 1e-12);
    for (std::size_t i = 0; i < w.size(); ++i) EXPECT_DOUBLE_EQ(gradient[i], l2_of(model, i) * w[i]);
  });
}

TEST(ModelContract, StartsDifferFromEachOtherAndRepeatWithTheirStream) {
  for_each_case([](const Case&, const Model& model) {
    Stream stream(1, {Purpose::init}), again(1, {Purpose::init});
    Vec first, second, repeated;
    model.init(first, stream);
    model.init(second, stream);
    model.init(repeated, again);
    EXPECT_EQ(first.size(), model.size());
    EXPECT_EQ(first, repeated);
    EXPECT_GT(distance(first, second), 0);
  });
}

TEST(ModelContract, RefusesSamplesWithoutFeatures) {
  for (const std::string& kind : Registry<Model>::instance().names()) {
    EXPECT_THROW(bound_model(kind, "", regression(0)), Error) << kind;
    EXPECT_THROW(bound_model(kind, "", classification(0, 2)), Error) << kind;
  }
}

TEST(ModelContract, RefusesBatchesThatDoNotFit) {
  for_each_case([](const Case& c, const Model& model) {
    const Rows<double> rows(c.shape, 3);
    const Vec w = start_of<double>(model);
    Vec gradient(w.size()), losses(3);
    Batch<double> batch = rows.batch();
    batch.width = c.shape.width + 1;
    EXPECT_THROW(model.losses(w, batch, losses), Bug);
    batch = rows.batch();
    batch.y = batch.y.first(2);
    EXPECT_THROW(model.gradient(w, batch, gradient), Bug);
    EXPECT_THROW(model.losses(std::span(w).first(w.size() - 1), rows.batch(), losses), Bug);
  });
}

}  // namespace
}  // namespace coterie::contract_test
