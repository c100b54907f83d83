// Class scores to probabilities and cross-entropies, row by row.
#pragma once

#include <cstddef>
#include <span>

namespace coterie {

// rows x classes of scores become probabilities.
void softmax_rows(std::span<float> scores, std::size_t classes);
void softmax_rows(std::span<double> scores, std::size_t classes);

// losses[i] = -log p_i(labels[i]), never negative; the scores become probabilities.
void cross_entropy_rows(std::span<float> scores, std::size_t classes, std::span<const double> labels,
                        std::span<double> losses);
void cross_entropy_rows(std::span<double> scores, std::size_t classes, std::span<const double> labels,
                        std::span<double> losses);

}  // namespace coterie
