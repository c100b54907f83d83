// Reads the two layouts in which writers come.
#include "data/formats/writers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "coterie/error.h"
#include "data/formats/idx.h"
#include "data/formats/sheet.h"

namespace coterie {
namespace {

// Writers in their order, with a name each, and the writer of each image.
struct Writers {
  std::vector<std::uint32_t> of_image;
  std::vector<std::string> names;
  std::vector<std::string> series;  // of each writer; empty where the file does not tell
};

Writers read_qmnist(const std::filesystem::path& file, std::size_t images, const std::vector<double>& known) {
  constexpr std::size_t kColumns = 8, kClass = 0, kSeries = 1, kWriter = 2;
  const IdxArray labels = read_idx(file, IdxType::int32, 2);
  if (labels.sizes[1] != kColumns || labels.sizes[0] < images) {
    throw Error(file.string() + ": must have " + std::to_string(images) + " rows of 8 numbers, but has " +
                std::to_string(labels.sizes[0]) + " of " + std::to_string(labels.sizes[1]));
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (labels.int32(i * kColumns + kClass) != known[i]) {
      throw Error(file.string() + ": row " + std::to_string(i) + " has class " +
                  std::to_string(labels.int32(i * kColumns + kClass)) + ", but that image is of class " +
                  std::to_string(static_cast<int>(known[i])) + ": these are not the writers of these images");
    }
  }
  std::map<std::int32_t, std::int32_t> series;  // by writer
  for (std::size_t i = 0; i < images; ++i) {
    series.emplace(labels.int32(i * kColumns + kWriter), labels.int32(i * kColumns + kSeries));
  }
  Writers writers;
  std::map<std::int32_t, std::uint32_t> place;
  for (const auto& [writer, hsf] : series) {
    place.emplace(writer, static_cast<std::uint32_t>(writers.names.size()));
    writers.names.push_back("writer " + std::to_string(writer) + " of hsf " + std::to_string(hsf));
    writers.series.push_back("hsf " + std::to_string(hsf));
  }
  for (std::size_t i = 0; i < images; ++i) {
    writers.of_image.push_back(place.at(labels.int32(i * kColumns + kWriter)));
  }
  return writers;
}

Writers read_ranges(const std::filesystem::path& file, std::size_t images) {
  constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
  const Sheet sheet = Sheet::read(file, ',');
  const std::size_t writer = sheet.column("writer"), start = sheet.column("start"),
                    count = sheet.column("count");
  const std::vector<std::string>& names = sheet.columns();
  const auto series =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), "hsf_range") - names.begin());
  Writers writers;
  writers.of_image.assign(images, kNobody);
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    const auto first = to_number(sheet.cell(row, start)), size = to_number(sheet.cell(row, count));
    const double limit = static_cast<double>(images);
    const bool whole = first && size && *first == std::floor(*first) && *size == std::floor(*size);
    if (!whole || *first < 0 || *size < 0 || *first + *size > limit) {
      throw Error(sheet.where(row).text() + ": start and count must be a range of the " +
                  std::to_string(images) + " images");
    }
    const auto begin = static_cast<std::size_t>(*first), end = begin + static_cast<std::size_t>(*size);
    for (std::size_t i = begin; i < end; ++i) {
      if (writers.of_image[i] != kNobody) {
        throw Error(sheet.where(row).text() + ": image " + std::to_string(i) + " has another writer already");
      }
      writers.of_image[i] = static_cast<std::uint32_t>(writers.names.size());
    }
    writers.names.emplace_back(sheet.cell(row, writer));
    if (series < names.size()) writers.series.emplace_back(sheet.cell(row, series));
  }
  for (std::size_t i = 0; i < images; ++i) {
    if (writers.of_image[i] == kNobody) {
      throw Error(file.string() + ": image " + std::to_string(i) + " has no writer");
    }
  }
  return writers;
}

}  // namespace

void set_writers(Pool& pool, const std::filesystem::path& file, bool series_truth) {
  const std::string name = file.string();
  const bool is_csv = name.ends_with(".csv") || name.ends_with(".csv.gz");
  const std::size_t rows = pool.train.size();
  Writers writers = is_csv ? read_ranges(file, rows) : read_qmnist(file, rows, pool.train.targets);
  if (series_truth && writers.series.empty())
    throw Error(name + ": has no column hsf_range, which would tell the series of each writer");

  std::vector<std::uint8_t> occurs(writers.names.size());
  for (std::uint32_t writer : writers.of_image) occurs[writer] = 1;
  std::vector<std::uint32_t> place(writers.names.size());
  std::map<std::string, std::uint32_t> clusters;  // in order of their names
  for (std::size_t w = 0; w < writers.names.size(); ++w) {
    if (series_truth && occurs[w]) clusters[writers.series[w]] = 0;
  }
  for (auto& [series, number] : clusters) {
    number = static_cast<std::uint32_t>(pool.truth_names.size());
    pool.truth_names.push_back(series);
  }
  for (std::size_t w = 0; w < writers.names.size(); ++w) {
    if (!occurs[w]) continue;
    place[w] = static_cast<std::uint32_t>(pool.owner_names.size());
    pool.owner_names.push_back(std::move(writers.names[w]));
    if (series_truth) pool.owner_truth.push_back(clusters[writers.series[w]]);
  }
  for (std::uint32_t writer : writers.of_image) pool.owners.push_back(place[writer]);
}

}  // namespace coterie
