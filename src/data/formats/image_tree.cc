#include "data/formats/image_tree.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "base/text.h"
#include "coterie/error.h"
#include "data/files.h"

namespace coterie {
namespace {

namespace fs = std::filesystem;

bool is_picture(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

// In order of their names.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::error_code why;
  fs::directory_iterator entries(folder, why);
  if (why) throw Error(folder.string() + ": cannot be read: " + why.message());
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : entries) {
    if (entry.is_directory(why) && !entry.path().filename().string().starts_with("."))
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> pictures_below(const fs::path& folder) {
  std::error_code why;
  fs::recursive_directory_iterator entries(folder, why);
  if (why) throw Error(folder.string() + ": cannot be read: " + why.message());
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : entries) {
    if (is_picture(entry.path()) && entry.is_regular_file(why)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The pictures of one owner, or of all: in folders of classes.
using ByClass = std::map<std::string, std::vector<fs::path>>;
ByClass by_class(const fs::path& folder) {
  ByClass found;
  for (const fs::path& one : folders_in(folder)) {
    std::vector<fs::path> pictures = pictures_below(one);
    if (!pictures.empty()) found[one.filename().string()] = std::move(pictures);
  }
  return found;
}

// Lines "FILE <tab> CLASS <tab> ..." of pictures in the folder images beside the file.
ByClass by_annotations(const fs::path& file) {
  ByClass found;
  std::size_t line_number = 0;
  for (const std::string& line : split(DataFile(file).read_rest(), '\n')) {
    ++line_number;
    if (line.empty()) continue;
    const std::vector<std::string> cells = split(line, '\t');
    const std::string where = file.string() + ":" + std::to_string(line_number);
    if (cells.size() < 2) throw Error(where + ": must be a file and its class, with a tab between them");
    fs::path picture = file.parent_path() / "images" / cells[0];
    if (!fs::exists(picture)) throw Error(where + ": there is no " + picture.string());
    found[cells[1]].push_back(std::move(picture));
  }
  return found;
}

// The first of the usual folders whose pictures have classes. Tiny-ImageNet's `test` has none.
ByClass find_test(const fs::path& folder, const std::vector<std::string>& classes) {
  for (const char* name : {"test", "val", "valid", "validation"}) {
    const fs::path part = folder / name;
    if (!fs::is_directory(part)) continue;
    if (fs::exists(part / "val_annotations.txt")) return by_annotations(part / "val_annotations.txt");
    ByClass found = by_class(part);
    const bool unlabelled = found.size() == 1 && found.begin()->first == "images" &&
                            std::find(classes.begin(), classes.end(), "images") == classes.end();
    if (!found.empty() && !unlabelled) return found;
  }
  return {};
}

void add(const ByClass& pictures, const std::vector<std::string>& classes, std::uint32_t owner,
         std::vector<LabelledPicture>& to) {
  for (const auto& [name, files] : pictures) {
    const auto at = std::lower_bound(classes.begin(), classes.end(), name);
    if (at == classes.end() || *at != name)
      throw Error(files.front().string() + ": is a test picture of the class \"" + name +
                  "\", which has no training picture");
    for (const fs::path& file : files)
      to.push_back({file, static_cast<std::uint32_t>(at - classes.begin()), owner});
  }
}

// Which pixels make up the `i`-th of `count`, along one side of which `kept` pixels from `begin` on are used.
struct Share {
  std::size_t pixel;
  double weight;
};
std::vector<Share> shares(std::size_t i, std::size_t count, double begin, double kept, std::size_t side) {
  const double step = kept / static_cast<double>(count), width = std::max(step, 1.0);
  const double centre = begin + (static_cast<double>(i) + 0.5) * step;
  std::vector<Share> found;
  double sum = 0;
  const auto first = static_cast<std::ptrdiff_t>(std::floor(centre - width)),
             last = static_cast<std::ptrdiff_t>(centre + width);
  for (std::ptrdiff_t p = std::max<std::ptrdiff_t>(first, 0);
       p <= last && p < static_cast<std::ptrdiff_t>(side); ++p) {
    const double weight = 1 - std::abs(static_cast<double>(p) + 0.5 - centre) / width;
    if (weight <= 0) continue;
    found.push_back({static_cast<std::size_t>(p), weight});
    sum += weight;
  }
  for (Share& one : found) one.weight /= sum;
  return found;
}

}  // namespace

ImageTree find_pictures(const fs::path& folder, bool owned) {
  ImageTree tree;
  const bool parted = !owned && fs::is_directory(folder / "train");
  std::vector<ByClass> of_owners;
  if (owned) {
    for (const fs::path& owner : folders_in(folder)) {
      ByClass found = by_class(owner);
      if (found.empty()) continue;
      tree.owners.push_back(owner.filename().string());
      of_owners.push_back(std::move(found));
    }
  } else {
    of_owners.push_back(by_class(parted ? folder / "train" : folder));
  }
  for (const ByClass& one : of_owners) {
    for (const auto& [name, files] : one) tree.classes.push_back(name);
  }
  std::sort(tree.classes.begin(), tree.classes.end());
  tree.classes.erase(std::unique(tree.classes.begin(), tree.classes.end()), tree.classes.end());
  if (tree.classes.size() < 2) {
    throw Error((parted ? folder / "train" : folder).string() + ": holds pictures (.png, .jpg, .jpeg) of " +
                std::to_string(tree.classes.size()) + " classes; it needs a folder for each of two or more" +
                (owned ? ", inside a folder for each owner" : ""));
  }
  for (std::size_t k = 0; k < of_owners.size(); ++k)
    add(of_owners[k], tree.classes, static_cast<std::uint32_t>(k), tree.train);
  if (parted) add(find_test(folder, tree.classes), tree.classes, 0, tree.test);
  return tree;
}

Picture fitted(const Picture& picture, std::size_t height, std::size_t width, std::size_t channels) {
  const auto full_height = static_cast<double>(picture.height),
             full_width = static_cast<double>(picture.width);
  const double scale =
      std::min(full_height / static_cast<double>(height), full_width / static_cast<double>(width));
  const double rows = scale * static_cast<double>(height), columns = scale * static_cast<double>(width);
  std::vector<std::vector<Share>> down, right;
  for (std::size_t i = 0; i < height; ++i)
    down.push_back(shares(i, height, (full_height - rows) / 2, rows, picture.height));
  for (std::size_t j = 0; j < width; ++j)
    right.push_back(shares(j, width, (full_width - columns) / 2, columns, picture.width));
  Picture out{width, height, channels, {}};
  out.pixels.reserve(width * height * channels);
  constexpr double kSeen[3] = {0.299, 0.587, 0.114};
  for (std::size_t i = 0; i < height; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      double sums[3] = {0, 0, 0};
      for (const Share& r : down[i]) {
        for (const Share& c : right[j]) {
          const std::uint8_t* pixel = &picture.pixels[(r.pixel * picture.width + c.pixel) * picture.channels];
          for (std::size_t k = 0; k < 3; ++k)
            sums[k] += r.weight * c.weight * pixel[picture.channels == 1 ? 0 : k];
        }
      }
      const double grey = kSeen[0] * sums[0] + kSeen[1] * sums[1] + kSeen[2] * sums[2];
      for (std::size_t k = 0; k < channels; ++k)
        out.pixels.push_back(static_cast<std::uint8_t>(std::lround(channels == 1 ? grey : sums[k])));
    }
  }
  return out;
}

}  // namespace coterie
