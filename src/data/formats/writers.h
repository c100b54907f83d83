// Who wrote each image: the natural owners of handwriting.
#pragma once

#include <filesystem>

#include "coterie/source.h"

namespace coterie {

// Fills in the owners of the pool's training rows, which are the images of the file in its order. The file is
// QMNIST's idx2-int labels (class, series, writer, ...), or a csv with the columns writer, start, count and
// perhaps hsf_range that cuts the images into ranges. Owners are numbered in order of the writer's number, or
// of the csv file; those without rows are left out. `series_truth`: the series of forms (hsf) that writers
// filled in are their true clusters; an Error where the file does not tell.
void set_writers(Pool& pool, const std::filesystem::path& file, bool series_truth = false);

}  // namespace coterie
