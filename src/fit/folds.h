// The folds of a federation at hand (data/row_cut.h says how a client's rows are cut). The test rows of the
// federation itself are never read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/federation/cache.h"
#include "data/federation/federation.h"
#include "data/row_cut.h"

namespace coterie {

struct FoldPlan {
  std::vector<std::vector<FoldRows>> folds;  // by fold, then by client
  bool in_time = false;                      // later rows judge what was learned from earlier ones
  std::size_t unjudged = 0;                  // clients of which no row is held out: they train only

  std::size_t size() const { return folds.size(); }
  // Held-out rows of all folds.
  std::size_t judged_rows() const;
};

FoldPlan make_folds(const Federation& base, std::size_t count, std::uint64_t seed);

// How many folds so many rows are cut into: with many rows a few say enough, and large models take long.
std::size_t fold_count(std::size_t rows, std::size_t parameters);

// The federation of one fold: training clients only, whose training part is what a fold leaves them and
// whose test part is what it holds out.
class FoldedFederation : public Federation {
 public:
  // `blank`: features are zeros, so that a model has nothing but its intercept to learn.
  FoldedFederation(std::shared_ptr<const Federation> base, std::shared_ptr<const FoldPlan> plan,
                   std::size_t fold, double gigabytes, bool blank = false);

  const Shape& shape() const override { return base_->shape(); }
  std::size_t size() const override { return base_->training(); }
  std::size_t training() const override { return base_->training(); }
  ClientInfo info(ClientId client) const override;
  const Truth& truth() const override { return base_->truth(); }
  std::string name(ClientId client) const override { return base_->name(client); }
  const TableSchema* table() const override { return base_->table(); }
  std::optional<TableSchema> own_table(ClientId client) const override { return base_->own_table(client); }
  std::shared_ptr<const Samples> samples(ClientId client, Part part, std::uint32_t round) const override;

 private:
  const FoldRows& rows_of(ClientId client) const { return plan_->folds[fold_][client]; }

  std::shared_ptr<const Federation> base_;
  std::shared_ptr<const FoldPlan> plan_;
  std::size_t fold_;
  bool blank_;
  mutable SampleCache cache_;
};

}  // namespace coterie
