// Data in LEAF's json files: users, and for each of them samples x and targets y. FEMNIST, synthetic and
// whatever is written in that layout; x must be numbers.
//
// The path is a file, or a folder of .json files, gzipped or not. A folder that holds folders train and test,
// as LEAF's scripts leave them, says with these which part of a user's samples is for what; by users (LEAF's
// `--sf user`), the users in test never train: list them in unseen.names.
#include "data/formats/leaf.h"

#include <memory>
#include <string>

#include "coterie/source.h"
#include "data/files.h"
#include "data/pool_population.h"

namespace coterie {
namespace {

class Leaf : public Source {
 public:
  void options(Options& o) override {
    o("path", &path_,
      "a file or a folder of files: inside the data folder, the current folder or the config's");
    spec_.options(o);
    o.require(!path_.empty(), "path", "is needed: the file or folder to read");
  }

  void check_files(const SourceContext& context) const override { find_data(path_, context, ""); }

  bool names_owners() const override { return true; }

  std::unique_ptr<Population> open(const SourceContext& context) const override {
    return std::make_unique<PoolPopulation>(
        make_array_pool(spec_, read_leaf(find_data(path_, context, "")), context.floats));
  }

 private:
  std::string path_;
  ArraySpec spec_;
};

const Registration<Source> kLeaf{"leaf", "users and their samples in the json files of LEAF, from disk",
                                 [] { return std::make_unique<Leaf>(); }};

}  // namespace
}  // namespace coterie
