#include "fit/folds.h"

namespace coterie {

std::size_t FoldPlan::judged_rows() const {
  std::size_t rows = 0;
  for (const auto& fold : folds) {
    for (const FoldRows& own : fold) rows += own.held_out.size();
  }
  return rows;
}

FoldPlan make_folds(const Federation& base, std::size_t count, std::uint64_t seed) {
  FoldPlan plan;
  plan.folds.resize(count);
  for (ClientId client = 0; client < base.training(); ++client) {
    const Federation::RowBonds bonds = base.bonds(client);
    plan.in_time = plan.in_time || !bonds.times.empty();
    RowsToCut rows{base.info(client).train, {}, bonds.kin, bonds.times};
    std::shared_ptr<const Samples> own;
    if (base.shape().task == Task::classification && bonds.kin.empty() && bonds.times.empty()) {
      own = base.samples(client, Part::train, 0);
      rows.classes = own->targets;
    }
    bool judged = false;
    std::vector<FoldRows> cut = cut_rows(rows, client, count, seed);
    for (std::size_t f = 0; f < count; ++f) {
      judged = judged || !cut[f].held_out.empty();
      plan.folds[f].push_back(std::move(cut[f]));
    }
    plan.unjudged += judged ? 0 : 1;
  }
  return plan;
}

std::size_t fold_count(std::size_t rows, std::size_t parameters) {
  if (rows > 200'000) return 2;
  return rows > 50'000 || parameters > 150 ? 3 : 5;
}

FoldedFederation::FoldedFederation(std::shared_ptr<const Federation> base,
                                   std::shared_ptr<const FoldPlan> plan, std::size_t fold, double gigabytes,
                                   bool blank)
    : base_(std::move(base)), plan_(std::move(plan)), fold_(fold), blank_(blank), cache_(gigabytes) {}

ClientInfo FoldedFederation::info(ClientId client) const {
  ClientInfo info = base_->info(client);
  info.train = static_cast<std::uint32_t>(rows_of(client).train.size());
  info.validation = 0;
  info.test = static_cast<std::uint32_t>(rows_of(client).held_out.size());
  return info;
}

std::shared_ptr<const Samples> FoldedFederation::samples(ClientId client, Part part, std::uint32_t) const {
  if (client >= size()) return base_->samples(client, part, 0);  // refuses
  return cache_.get(static_cast<std::uint64_t>(client) * 4 + static_cast<std::uint64_t>(part), 0, [&] {
    const std::shared_ptr<const Samples> own = base_->samples(client, Part::train, 0);
    if (part == Part::validation) return own->empty_like();
    Samples made = own->rows(part == Part::train ? rows_of(client).train : rows_of(client).held_out);
    if (blank_) blank_out(made);
    return made;
  });
}

}  // namespace coterie
