// Arrays of numpy as a federation: numpy.savez(file, X=X, y=y, client=client).
//
// Choose it for data that you have in Python. X is rows x features, or images: rows x height x width, with
// the channels of a pixel last. y is what is predicted, and client says whose a row is: numbers or text, one
// for each row.
#include "data/formats/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include "base/text.h"
#include "coterie/source.h"
#include "data/files.h"
#include "data/formats/array_pool.h"
#include "data/pool_population.h"

namespace coterie {
namespace {

class Npz : public Source {
 public:
  void options(Options& o) override {
    o("file", &file_, "the archive: inside the data folder, the current folder or that of the config");
    o("x", &x_, "array of the features: rows x features, or images, rows x height x width (x channels)");
    o("y", &y_, "array to predict, one item for each row");
    o("client", &client_, "array that says which client a row belongs to; \"\" when there is none");
    o("truth", &truth_, "array with the true cluster of each row's client, where it is known");
    o("split", &split_,
      "array that says which part a row is in: train, validation (valid, val, dev) or test");
    o("weight", &weight_, "array with the weight of each row in its client's losses and gradients");
    spec_.options(o);

    o.require(!file_.empty(), "file", "is needed: the archive to read");
    o.require(!truth_ || !client_.empty(), "truth", "needs client: it is the true cluster of each client");
  }

  void check_files(const SourceContext& context) const override { find_data(file_, context, ""); }

  bool names_owners() const override { return !client_.empty(); }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    ArrayRows rows;
    rows.file = find_data(file_, context, "").string();
    rows.x_name = x_;
    std::map<std::string, NpyArray> arrays = read_npz(rows.file);
    ArraySpec spec = spec_;
    read_features(array(arrays, x_, rows.file), rows, spec);
    const std::size_t count = rows.width == 0 ? 0 : rows.x.size() / rows.width;
    rows.targets = texts(arrays, y_, count, rows.file);
    if (!client_.empty()) rows.clients = texts(arrays, client_, count, rows.file);
    if (truth_) rows.truth = texts(arrays, *truth_, count, rows.file);
    if (split_) rows.split = texts(arrays, *split_, count, rows.file);
    if (weight_) rows.weights = texts(arrays, *weight_, count, rows.file);
    arrays.clear();
    return std::make_unique<PoolPopulation>(make_array_pool(spec, std::move(rows), context.floats));
  }

 private:
  static const NpyArray& array(const std::map<std::string, NpyArray>& arrays, const std::string& name,
                               const std::string& file) {
    const auto found = arrays.find(name);
    if (found != arrays.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [one, content] : arrays) names.push_back(one);
    throw Error(file + ": array " + unknown_name(name, names));
  }

  // An array of three or four dimensions is images, whatever [data] shape says of others.
  void read_features(const NpyArray& from, ArrayRows& rows, ArraySpec& spec) const {
    const std::size_t dimensions = from.shape.size();
    if (from.is_text()) throw Error(fmt::format("{}: array \"{}\": features must be numbers", rows.file, x_));
    if (dimensions < 2 || dimensions > 4 || from.size() == 0) {
      throw Error(
          fmt::format("{}: array \"{}\": must be rows x features, or images, rows x height x width (x "
                      "channels), but its shape is ({})",
                      rows.file, x_, fmt::join(from.shape, ", ")));
    }
    rows.width = from.size() / from.shape[0];
    if (dimensions > 2 && !spec.pixels.any()) {
      for (std::size_t d = 1; d < dimensions; ++d)
        spec.pixels.shape.push_back(static_cast<std::int64_t>(from.shape[d]));
    }
    rows.x.resize(from.size());
    for (std::size_t i = 0; i < rows.x.size(); ++i) rows.x[i] = from.number(i);
  }

  static std::vector<std::string> texts(const std::map<std::string, NpyArray>& arrays,
                                        const std::string& name, std::size_t count, const std::string& file) {
    const NpyArray& from = array(arrays, name, file);
    if (from.size() != count || from.shape.empty() || from.shape[0] != count) {
      throw Error(
          fmt::format("{}: array \"{}\": must have one item for each of {} rows, but its shape is ({})", file,
                      name, count, fmt::join(from.shape, ", ")));
    }
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(from.text(i));
    return out;
  }

  std::string file_;
  std::string x_ = "X";
  std::string y_ = "y";
  std::string client_ = "client";
  std::optional<std::string> truth_, split_, weight_;
  ArraySpec spec_;
};

const Registration<Source> kNpz{"npz", "arrays of numpy from disk: X, y, client",
                                [] { return std::make_unique<Npz>(); }};

}  // namespace
}  // namespace coterie
