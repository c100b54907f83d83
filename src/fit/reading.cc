#include "fit/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "data/files.h"
#include "data/formats/columns.h"
#include "report/number_text.h"
#include "report/table.h"

namespace coterie {
namespace {

// The text of an option of [data]; "" where it is not set.
std::string data_text(const Table& resolved, const std::string& key) {
  const Value* value = find_path(resolved, "data." + key);
  return value != nullptr && std::holds_alternative<std::string>(value->data)
             ? std::get<std::string>(value->data)
             : "";
}

std::vector<std::string> data_texts(const Table& resolved, const std::string& key) {
  std::vector<std::string> texts;
  const Value* value = find_path(resolved, "data." + key);
  if (value == nullptr || !value->is_array()) return texts;
  for (const Value& one : std::get<Array>(value->data)) texts.push_back(std::get<std::string>(one.data));
  return texts;
}

class TableReader {
 public:
  TableReader(const Config& config, const Federation& federation, const std::string& data_folder)
      : resolved_(config.resolved()),
        federation_(federation),
        tokens_(data_texts(resolved_, "missing")),
        missing_(tokens_),
        sheet_(Sheet::read(find_data(data_text(resolved_, "file"), {data_folder, 0, config.folder}, ""),
                           data_text(resolved_, "separator")[0])) {
    if (data_text(resolved_, "decimal") == ",") sheet_.read_decimal_commas();
    const CategoryColumn owners =
        read_categories(sheet_, sheet_.column(data_text(resolved_, "client")), missing_);
    std::map<std::string, ClientId> ids;
    for (ClientId i = 0; i < federation.training(); ++i) ids.emplace(federation.name(i), i);
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      const std::uint32_t code = owners.codes[row];
      const auto found = code == CategoryColumn::kMissing ? ids.end() : ids.find(owners.names[code]);
      client_.push_back(found == ids.end() ? kNobody : found->second);
    }
  }

  Reading read(const std::vector<std::string>& describe) {
    Reading reading;
    reading.file = sheet_.file();
    reading.rows = sheet_.rows();
    reading.task = federation_.shape().task;
    const TableSchema& schema = *federation_.table();
    reading.target = schema.target;
    reading.classes = schema.classes;
    reading.features = schema.features.size();
    reading.notes = federation_.notes();
    for (const TableSchema::Feature& feature : schema.features) {
      if (reading.columns.empty() || reading.columns.back() != feature.column)
        reading.columns.push_back(feature.column);
    }
    for (ClientId i = 0; i < federation_.training(); ++i) reading.clients.push_back(read_client(i, schema));
    reading.rows_left_out = reading.rows - reading.train_rows() - reading.test_rows();
    for (const std::string& column : reading.columns) find_gaps(column, reading);
    for (const std::string& column : reading.columns) find_constants(column, reading);
    for (const std::string& column : describe) reading.descriptions.push_back(description(column));
    list_dropped(describe, reading);
    return reading;
  }

 private:
  static constexpr ClientId kNobody = 0xffffffff;

  Reading::Client read_client(ClientId id, const TableSchema& schema) const {
    Reading::Client client;
    client.name = federation_.name(id);
    const ClientInfo info = federation_.info(id);
    client.train = info.train + info.validation;
    client.test = info.test;
    const std::shared_ptr<const Samples> rows = federation_.samples(id, Part::train, 0);
    if (!schema.classes.empty()) client.classes.assign(schema.classes.size(), 0);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      if (!schema.classes.empty()) {
        client.classes[rows->label(i)] += 1;
        continue;
      }
      sum += rows->targets[i];
      squares += rows->targets[i] * rows->targets[i];
    }
    if (!schema.classes.empty() || rows->size() == 0) return client;
    const auto n = static_cast<double>(rows->size());
    client.mean = schema.target_mean + schema.target_deviation * sum / n;
    client.deviation =
        n > 1 ? schema.target_deviation * std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1))) : 0;
    return client;
  }

  void find_gaps(const std::string& column, Reading& reading) const {
    const std::size_t place = sheet_.column(column);
    Reading::Gap gap{column, 0, {}};
    std::vector<std::size_t> there(reading.clients.size(), 0);
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      if (client_[row] == kNobody) continue;
      if (missing_(sheet_.cell(row, place))) {
        ++gap.cells;
      } else {
        ++there[client_[row]];
      }
    }
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (there[i] == 0) gap.everywhere.push_back(reading.clients[i].name);
    }
    if (gap.cells > 0) reading.gaps.push_back(std::move(gap));
  }

  void find_constants(const std::string& column, Reading& reading) const {
    constexpr std::size_t kManyValues = 20;  // of the column, where the same one throughout is odd
    constexpr std::size_t kManyRows = 10;    // of the client
    const std::size_t place = sheet_.column(column);
    std::set<std::string_view> values;
    std::vector<std::set<std::string_view>> own(reading.clients.size());
    std::vector<std::size_t> rows(reading.clients.size(), 0);
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      const ClientId client = client_[row];
      if (client == kNobody || missing_(sheet_.cell(row, place))) continue;
      ++rows[client];
      if (values.size() <= kManyValues) values.insert(sheet_.cell(row, place));
      if (own[client].size() < 2) own[client].insert(sheet_.cell(row, place));
    }
    if (values.size() <= kManyValues) return;
    std::map<std::string_view, std::vector<std::string>> stuck;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].size() == 1 && rows[i] >= kManyRows)
        stuck[*own[i].begin()].push_back(reading.clients[i].name);
    }
    for (const auto& [value, clients] : stuck)
      reading.constants.push_back({column, std::string(value), clients});
  }

  Reading::Description description(const std::string& column) const {
    const std::size_t place = sheet_.column(column);
    Reading::Description found{column, std::vector<std::string>(federation_.training())};
    for (std::size_t row = 0; row < sheet_.rows(); ++row) {
      if (client_[row] == kNobody || missing_(sheet_.cell(row, place))) continue;
      std::string& own = found.values[client_[row]];
      const std::string_view here = sheet_.cell(row, place);
      if (own.empty()) own = here;
      if (own == here) continue;
      throw BadConfig(
          fmt::format("error: {}: column {}: client {} has {} here and {} before; a column that describes "
                      "clients has one value for each: leave it out of --describe",
                      sheet_.where(row).text(), in_quotes(column), in_quotes(federation_.name(client_[row])),
                      in_quotes(here), in_quotes(own)));
    }
    return found;
  }

  void list_dropped(const std::vector<std::string>& describe, Reading& reading) const {
    const std::set<std::string> used(reading.columns.begin(), reading.columns.end());
    std::map<std::string, std::string> roles;
    for (const char* key : {"client", "truth", "split", "weight", "group", "time"}) {
      if (const std::string column = data_text(resolved_, key); !column.empty()) roles[column] = key;
    }
    for (const std::string& column : sheet_.columns()) {
      if (used.contains(column) || column == reading.target) continue;
      std::string why = "left out as asked";
      if (std::find(describe.begin(), describe.end(), column) != describe.end()) why = "describes clients";
      if (const auto role = roles.find(column); role != roles.end()) why = "is the " + role->second;
      for (const std::string& note : reading.notes) {
        if (note.starts_with("column " + in_quotes(column) + " is left out: "))
          why = "looks like an identifier";
      }
      reading.dropped.push_back({column, why});
    }
  }

  const Table resolved_;
  const Federation& federation_;
  const std::vector<std::string> tokens_;
  const MissingTokens missing_;
  Sheet sheet_;
  std::vector<ClientId> client_;  // of each row
};

std::string bar(double share, std::size_t width) {
  const auto cells = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
  std::string text;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, cells); ++i) text += "\u2588";
  return text;
}

std::string held_text(const Reading& reading, const Reading::Client& client) {
  if (reading.task == Task::regression)
    return fmt::format("mean {}, sd {}", number_text(client.mean), number_text(client.deviation));
  double rows = 0;
  for (const double n : client.classes) rows += n;
  constexpr std::size_t kShown = 4;
  std::vector<std::size_t> order(client.classes.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  if (order.size() > kShown) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return client.classes[a] > client.classes[b]; });
    order.resize(kShown);
  }
  std::vector<std::string> parts;
  for (const std::size_t k : order) {
    if (client.classes[k] > 0 || client.classes.size() <= kShown)
      parts.push_back(
          fmt::format("{} {:.0f} %", shortened(reading.classes[k], 14), 100 * client.classes[k] / rows));
  }
  return join(parts, ", ") + (client.classes.size() > kShown ? " ..." : "");
}

}  // namespace

std::size_t Reading::train_rows() const {
  std::size_t sum = 0;
  for (const Client& client : clients) sum += client.train;
  return sum;
}
std::size_t Reading::test_rows() const {
  std::size_t sum = 0;
  for (const Client& client : clients) sum += client.test;
  return sum;
}
std::vector<double> Reading::rows_of_clients() const {
  std::vector<double> counts;
  for (const Client& client : clients) counts.push_back(static_cast<double>(client.train + client.test));
  std::sort(counts.begin(), counts.end());
  return counts;
}
double Reading::largest_class() const {
  std::vector<double> sums(classes.size(), 0);
  double all = 0;
  for (const Client& client : clients) {
    for (std::size_t k = 0; k < client.classes.size(); ++k) {
      sums[k] += client.classes[k];
      all += client.classes[k];
    }
  }
  return sums.empty() ? std::nan("") : *std::max_element(sums.begin(), sums.end()) / all;
}

Reading read_table(const Config& config, const Federation& federation, const std::string& data_folder,
                   const std::vector<std::string>& describe) {
  return TableReader(config, federation, data_folder).read(describe);
}

std::string holdings_picture(const Reading& reading, std::size_t most_clients) {
  const std::vector<double> counts = reading.rows_of_clients();
  if (counts.empty()) return "";
  TextTable table;
  if (reading.clients.size() <= most_clients) {
    table.column("client");
    table.column("rows", Align::right);
    table.column("");
    table.column(reading.task == Task::regression ? reading.target : reading.target + " (training rows)");
    for (const Reading::Client& client : reading.clients) {
      const auto rows = static_cast<double>(client.train + client.test);
      table.row({shortened_name(client.name, 24), fmt::format("{:.0f}", rows), bar(rows / counts.back(), 20),
                 held_text(reading, client)});
    }
    return table.text();
  }
  constexpr std::size_t kBins = 8;
  const double low = counts.front(), step = (counts.back() - low + 1) / static_cast<double>(kBins);
  std::vector<std::size_t> bins(kBins, 0);
  for (const double rows : counts) ++bins[std::min(kBins - 1, static_cast<std::size_t>((rows - low) / step))];
  const auto most = static_cast<double>(*std::max_element(bins.begin(), bins.end()));
  table.column("rows", Align::right);
  table.column("clients", Align::right);
  table.column("");
  for (std::size_t b = 0; b < kBins; ++b) {
    const double from = std::ceil(low + step * static_cast<double>(b));
    const double to = std::ceil(low + step * static_cast<double>(b + 1)) - 1;
    if (to < from) continue;
    table.row({from == to ? fmt::format("{:.0f}", from) : fmt::format("{:.0f} to {:.0f}", from, to),
               std::to_string(bins[b]), bins[b] == 0 ? "" : bar(static_cast<double>(bins[b]) / most, 24)});
  }
  return table.text();
}

}  // namespace coterie
