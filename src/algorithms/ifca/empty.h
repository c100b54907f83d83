// Models that nobody chooses: said once, and made anew if so wished.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coterie/algorithm.h"
#include "coterie/methods/choose.h"

namespace coterie {

class EmptyModels {
 public:
  std::string rule = "keep";  // or "reseed"

  void start(std::size_t models) {
    empty_.assign(models, 0);
    reseeded_.assign(models, 0);
  }
  void fields(Archive& a) { a(empty_, reseeded_); }

  // A model is empty when it is nobody's last choice (`choices`, of clients with `turns` above 0). Says so
  // once, after at least half of the clients had a turn. `patience`: rounds that a fresh model gets to be
  // chosen in.
  void look_after(Fleet& fleet, const Round& round, std::uint64_t seed, std::uint32_t patience,
                  std::span<const std::uint32_t> choices, std::span<const std::uint32_t> turns,
                  std::span<const std::pair<ClientId, Choice>> chosen, std::vector<Vec>& models);

 private:
  // Model k becomes a copy of the model whose clients have the highest mean loss, with noise of a tenth of
  // its size: if two groups share that model, they part.
  void reseed(Fleet& fleet, const Round& round, std::uint64_t seed, std::size_t k,
              std::span<const std::pair<ClientId, Choice>> chosen, std::vector<Vec>& models);

  std::vector<std::uint8_t> empty_;      // known to be
  std::vector<std::uint32_t> reseeded_;  // round in which each was last made anew
};

}  // namespace coterie
