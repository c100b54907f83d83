// Who wrote each image: the natural owners of handwriting.
#pragma once

#include <filesystem>

#include "coterie/source.h"

namespace coterie {

// Fills in the owners of the pool's training rows, the first of `images` in the file's order. The file is
// QMNIST's idx2-int labels (class, series, writer, ...), or a csv with the columns writer, start, count that
// cuts the images into ranges. Owners are numbered in order of the writer's number, or of the csv file; those
// without rows are left out.
void set_writers(Pool& pool, std::size_t images, const std::filesystem::path& file);

}  // namespace coterie
