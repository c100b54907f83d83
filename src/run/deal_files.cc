#include "run/deal_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "base/disk.h"
#include "base/option_readers.h"
#include "base/text.h"
#include "data/files.h"
#include "data/formats/npz_writer.h"
#include "data/formats/sheet.h"
#include "run/config.h"
#include "run/sweep.h"

namespace coterie {
namespace {

constexpr const char* kPart = "part";
constexpr const char* kPartNames[] = {"train", "validation", "test"};

std::string text_at(const Table& table, const std::string& path, const std::string& otherwise) {
  const Value* value = find_path(table, path);
  const auto* text = value != nullptr ? std::get_if<std::string>(&value->data) : nullptr;
  return text != nullptr ? *text : otherwise;
}

// A name that a file and a certificate can have.
std::string file_name(const std::string& owner, ClientId client, std::size_t clients) {
  if (owner.empty()) {
    const std::size_t digits = std::to_string(clients - 1).size();
    return fmt::format("client-{:0{}}", client, digits);
  }
  std::string name;
  for (const char c : owner) name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '-';
  return name;
}

class Dealer {
 public:
  Dealer(const Table& table, const Config& config, const SourceContext& context, std::string folder)
      : table_(table),
        config_(config),
        context_(context),
        folder_(std::move(folder)),
        federation_(build_federation(config.federation, context, context.seed)) {
    for (ClientId i = 0; i < federation_->training(); ++i)
      names_.push_back(file_name(federation_->name(i), i, federation_->training()));
    std::vector<std::string> sorted = names_;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      throw Error("two clients would have the file name " +
                  in_quotes(*std::adjacent_find(sorted.begin(), sorted.end())));
    in_order_ = sorted == names_;
  }

  std::string deal() {
    if (federation_->table() != nullptr && !config_.federation.shifts.empty())
      throw Error("rows of a table are written as they stand in it, so [[shift]] must be left out");
    make_folders(folder_);
    const bool csv = federation_->table() != nullptr && config_.federation.source_name == "csv";
    Table data = csv ? deal_rows() : deal_arrays();
    Table served = table_;
    served.set("name", text_value(config_.name));
    for (const char* name : {"shift", "unseen", "attack", "fleet", "sweep", "clients"}) served.erase(name);
    Table clients;
    Array names;
    for (const std::string& name : names_) names.push_back(text_value(name));
    clients.set("names", {std::move(names), {}});
    const Value* parts = find_path(table_, "clients.parts");
    if (uncut() && parts != nullptr) clients.set("parts", *parts);
    served.set("data", {std::move(data), {}});
    served.set("clients", {std::move(clients), {}});
    write_atomically(folder_ + "/serve.toml", write_toml(served));
    std::string text =
        fmt::format("{}/serve.toml and {}, {}.{} to {}.{}", folder_, counted(names_.size(), "file"),
                    names_.front(), csv ? "csv" : "npz", names_.back(), csv ? "csv" : "npz");
    if (!in_order_)
      text +=
          "\nnote: ids go by sorted names there, which is another order than here; streams go by id, so bits "
          "differ";
    return text;
  }

 private:
  // A fit looks at the order of rows, and cuts them by what belongs together: clients get their rows as they
  // stand in the table, and cut them into parts themselves.
  bool uncut() const {
    return table_.find("fit") != nullptr && find_path(table_, "data.split") == nullptr &&
           config_.federation.source_name == "csv";
  }

  // The rows of the user's table as they stand there.
  Table deal_rows() {
    const std::string separator = text_at(table_, "data.separator", ",");
    const Sheet sheet = Sheet::read(find_data(text_at(table_, "data.file", ""), context_, ""), separator[0]);
    std::string header;
    for (const std::string& column : sheet.columns()) header += quoted(column, separator) + separator;
    header += uncut() ? "" : kPart;
    if (uncut()) header.pop_back();
    std::vector<std::string> texts(names_.size(), header + "\n");
    std::vector<Federation::RowPlace> places = federation_->places();
    if (uncut())
      std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
    for (const Federation::RowPlace& place : places) {
      if (place.client >= texts.size()) continue;
      std::string& text = texts[place.client];
      for (std::size_t c = 0; c < sheet.columns().size(); ++c)
        text += quoted(std::string(sheet.cell(place.row - 1, c)), separator) + separator;
      text += uncut() ? "" : kPartNames[static_cast<std::size_t>(place.part)];
      if (uncut()) text.pop_back();
      text += '\n';
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
      write_atomically(folder_ + "/" + names_[i] + ".csv", texts[i]);
    Table data = std::get<Table>(find_path(table_, "data")->data);
    for (const char* name : {"file", "truth", "test_share"}) data.erase(name);
    if (uncut()) {
      drop_column(data, text_at(table_, "data.truth", ""));
      return data;
    }
    for (const char* name : {"group", "time"}) data.erase(name);
    const Value* split = data.find("split");
    if (split != nullptr) {
      Array drop;
      if (const Value* given = data.find("drop")) drop = std::get<Array>(given->data);
      drop.push_back(*split);
      data.set("drop", {std::move(drop), {}});
    }
    for (const char* role : {"truth", "group", "time"})
      drop_column(data, text_at(table_, std::string("data.") + role, ""));
    data.set("split", text_value(kPart));
    return data;
  }

  static void drop_column(Table& data, const std::string& column) {
    if (column.empty()) return;
    Array drop;
    if (const Value* given = data.find("drop")) drop = std::get<Array>(given->data);
    drop.push_back(text_value(column));
    data.set("drop", {std::move(drop), {}});
  }

  static std::string quoted(const std::string& text, const std::string& separator) {
    if (text.find_first_of("\"\r\n" + separator) == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  }

  // Samples as the clients of the simulation meet them, shifted; numbers as they are.
  Table deal_arrays() {
    const Shape& shape = federation_->shape();
    std::optional<double> range;
    for (ClientId i = 0; i < names_.size(); ++i) {
      Samples all = *federation_->samples(i, Part::train, 0);
      std::vector<std::string> parts(all.size(), kPartNames[0]);
      for (const Part part : {Part::validation, Part::test}) {
        const auto more = federation_->samples(i, part, 0);
        all.append(*more);
        parts.insert(parts.end(), more->size(), kPartNames[static_cast<std::size_t>(part)]);
      }
      write_npz(
          folder_ + "/" + names_[i] + ".npz",
          {{"X", features_of(all, range)}, {"y", npy_of({all.size()}, all.targets)}, {kPart, npy_of(parts)}});
    }
    Table data;
    data.set("source", text_value("npz"));
    data.set("client", text_value(""));
    data.set("split", text_value(kPart));
    data.set("standardise",
             text_value(federation_->table() != nullptr ? federation_->table()->scaling : "none"));
    data.set("task", text_value(shape.task == Task::classification ? "classification" : "regression"));
    if (range) data.set("range", {*range, {}});
    return data;
  }

  static std::string features_of(const Samples& all, std::optional<double>& range) {
    const Shape& shape = all.shape;
    std::vector<std::size_t> form = {all.size(), shape.width};
    if (shape.is_image()) form = {all.size(), shape.height, shape.columns, shape.channels};
    const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&all.features);
    if (bytes != nullptr && shape.is_image() && all.offset == 0 && 1 / (1 / all.scale) == all.scale) {
      range = 1 / all.scale;
      return npy_of(form, channels_last(*bytes, shape));
    }
    std::vector<double> numbers(all.size() * shape.width);
    for (std::size_t row = 0; row < all.size(); ++row)
      all.copy_row(row, std::span(numbers).subspan(row * shape.width, shape.width));
    return npy_of(form, channels_last(numbers, shape));
  }

  template <class T>
  static std::vector<T> channels_last(const std::vector<T>& from, const Shape& shape) {
    if (!shape.is_image() || shape.channels == 1) return from;
    const std::size_t pixels = shape.width / shape.channels;
    std::vector<T> to(from.size());
    for (std::size_t row = 0; row < from.size(); row += shape.width) {
      for (std::size_t p = 0; p < pixels; ++p) {
        for (std::size_t c = 0; c < shape.channels; ++c)
          to[row + p * shape.channels + c] = from[row + c * pixels + p];
      }
    }
    return to;
  }

  const Table& table_;
  const Config& config_;
  const SourceContext context_;
  const std::string folder_;
  std::unique_ptr<Federation> federation_;
  std::vector<std::string> names_;
  bool in_order_ = true;
};

}  // namespace

namespace {

// [fit], which is no part of a run's config. Columns that describe clients are dropped: nobody tells them
// over a network.
std::optional<Table> take_fit(Table& table) {
  const Value* value = table.find("fit");
  if (value == nullptr || !value->is_table()) return std::nullopt;
  Table fit = std::get<Table>(value->data);
  table.erase("fit");
  if (const Value* describe = fit.find("describe"); describe != nullptr && describe->is_array()) {
    const Value* given = find_path(table, "data.drop");
    Array drop = given != nullptr && given->is_array() ? std::get<Array>(given->data) : Array();
    for (const Value& column : std::get<Array>(describe->data)) drop.push_back(column);
    set_path(table, "data.drop", {std::move(drop), {}});
  }
  fit.erase("describe");
  return fit;
}

}  // namespace

std::string deal_files(const RunRequest& request, const std::string& folder) {
  if (!names_in(folder).empty()) throw Error(folder + " is not empty: choose another --out");
  Table table = read_toml(request.file);
  const std::optional<Table> fit = take_fit(table);
  std::vector<Override> overrides;
  for (const std::string& text : request.overrides) overrides.push_back(parse_override(text));
  Problems problems;
  std::vector<PlannedRun> plan = plan_runs(std::move(table), overrides, problems);
  problems.raise_if_any();
  Config config = read_config(plan.front().table, request.file, problems);
  problems.raise_if_any();
  config.folder = std::filesystem::path(request.file).parent_path().string();
  if (config.folder.empty()) config.folder = ".";
  if (config.name.empty()) config.name = std::filesystem::path(request.file).stem().string();
  const char* environment = std::getenv("COTERIE_DATA");
  const std::string data = !request.data_folder.empty() ? request.data_folder
                           : environment != nullptr     ? environment
                                                        : "";
  const auto seed = config.federation.data.seed.value_or(config.seed);
  const SourceContext context{data, static_cast<std::uint64_t>(seed), config.folder, config.fleet.memory,
                              config.federation.floats};
  Table& planned = plan.front().table;
  if (fit) planned.set("fit", {*fit, {}});
  return Dealer(planned, config, context, folder).deal();
}

}  // namespace coterie
