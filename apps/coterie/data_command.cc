#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "commands.h"
#include "coterie/error.h"
#include "coterie/source.h"
#include "library/check.h"
#include "library/fetch.h"
#include "report/data_picture.h"
#include "report/html_page.h"
#include "report/table.h"
#include "run/data_view.h"
#include "run/deal_files.h"

namespace coterie {
namespace {

struct DataArguments {
  std::vector<std::string> names;
  std::string data;
};

std::vector<KnownSet> chosen(const std::vector<std::string>& names) {
  if (names.empty()) return known_sets();
  std::vector<KnownSet> sets;
  for (const std::string& name : names) sets.push_back(known_set(name));
  return sets;
}

std::string state_of(const KnownSet& set, const std::string& folder) {
  if (set.embedded) return "part of the program";
  std::string place = find_set(set, folder);
  auto there = std::count_if(set.files.begin(), set.files.end(), [&](const KnownFile& f) {
    return !place.empty() && !find_file(f, place).empty();
  });
  if (there == 0) return "missing";
  bool whole = static_cast<std::size_t>(there) == set.files.size();
  return whole ? place : fmt::format("{}: {} of {} files", place, there, set.files.size());
}

void list(const DataArguments& arguments) {
  std::string folder = data_folder(arguments.data);
  TextTable table;
  for (const char* header : {"name", "what", "counts", "where"}) table.column(header);
  std::vector<KnownSet> sets = chosen(arguments.names);
  for (const KnownSet& set : sets) table.row({set.name, set.what, set.counts, state_of(set, folder)});
  std::cout << table.text(isatty(STDOUT_FILENO) ? Marks::bold : Marks::star);
  std::cout << "\nIn a config's [data]:\n";
  std::vector<std::string> sources = Registry<Source>::instance().names();
  for (const KnownSet& set : sets) {
    bool readable = std::find(sources.begin(), sources.end(), set.source) != sources.end();
    std::cout << fmt::format("  {:<14} {}\n", set.name,
                             readable ? set.config : "this version has no source that reads it");
  }
  std::cout << (folder.empty() ? "\nNo data folder: give --data DIR or set COTERIE_DATA.\n"
                               : "\nData folder: " + folder + "\n");
}

// Absent sets count as bad only where they were asked for by name.
int check_sets(const DataArguments& arguments) {
  std::string folder = data_folder(arguments.data);
  int status = 0;
  for (const KnownSet& set : chosen(arguments.names)) {
    std::string place = find_set(set, folder);
    if (set.embedded || place.empty()) {
      bool bad = !set.embedded && !arguments.names.empty();
      std::cout << fmt::format("{}: {}\n", set.name,
                               set.embedded       ? "part of the program"
                               : set.ways.empty() ? "missing"
                                                  : "missing; get it with: coterie data get " + set.name);
      if (bad) status = 1;
      continue;
    }
    std::cout << set.name << ":\n";
    for (const FileReport& report : check_set(set, place)) {
      std::cout << fmt::format("  {}  {}: {}\n", report.good ? "good" : "BAD ", report.file, report.found);
      if (!report.good) status = 1;
    }
  }
  return status;
}

int get(const DataArguments& arguments) {
  std::string folder = data_folder(arguments.data);
  if (folder.empty()) {
    throw BadConfig("error: there is no data folder: give --data DIR or set the variable COTERIE_DATA");
  }
  int status = 0;
  for (const KnownSet& set : chosen(arguments.names)) {
    if (set.embedded) {
      std::cout << set.name << ": part of the program\n";
      continue;
    }
    std::string place = folder + "/" + set.name;
    std::vector<FileReport> reports = check_set(set, place);
    if (std::all_of(reports.begin(), reports.end(), [](const FileReport& r) { return r.good; })) {
      std::cout << set.name << ": already in " << place << '\n';
      continue;
    }
    try {
      fetch_set(set, folder, [&](const std::string& what) { std::cerr << set.name << ": " << what << '\n'; });
      std::cout << set.name << ": in " << place << '\n';
    } catch (const Error& e) {
      std::cerr << "error: " << e.what() << '\n';
      status = 1;
    }
  }
  return status;
}

struct ShowArguments {
  RunRequest request;
  std::string seed;
  std::string html;
};

void show(ShowArguments& arguments) {
  RunRequest& request = arguments.request;
  if (!arguments.seed.empty()) request.overrides.push_back("seed=" + arguments.seed);
  const DataView view = view_data(request);
  std::cout << data_text(view, isatty(STDOUT_FILENO) ? Marks::bold : Marks::star);
  if (arguments.html.empty()) return;
  write_page(arguments.html, data_page(view));
  std::cout << "\nPage: " << arguments.html << '\n';
}

}  // namespace

void add_data_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<DataArguments>();
  CLI::App* command = app.add_subcommand("data", "list, check and fetch data sets; show who holds what");
  command->require_subcommand(1);
  auto add = [&](const char* name, const char* sentence, std::function<void()> work) {
    CLI::App* one = command->add_subcommand(name, sentence);
    auto* names = one->add_option("NAME", arguments->names, "data sets [all]");
    one->add_option("--data", arguments->data, "the data folder [$COTERIE_DATA]");
    one->callback(std::move(work));
    return names;
  };
  add("list", "what there is, where it was found, and how a config names it",
      [arguments] { list(*arguments); });
  add("check", "files, sizes, checksums and headers",
      [arguments, &status] { status = check_sets(*arguments); });
  add("get", "fetch sets from their public places", [arguments, &status] {
    status = get(*arguments);
  })->required();
  auto shown = std::make_shared<ShowArguments>();
  CLI::App* one = command->add_subcommand("show", "who holds what in a config, before anything is run");
  one->add_option("FILE", shown->request.file, "the config, a TOML file")
      ->required()
      ->check(CLI::ExistingFile);
  one->add_option("--html", shown->html, "also write a page to this file");
  one->add_option("--set", shown->request.overrides,
                  "set one value over the file: section.key=value; repeatable")
      ->allow_extra_args(false);
  one->add_option("--seed", shown->seed, "short for --set seed=N");
  one->add_option("--data", shown->request.data_folder, "where data sets are [$COTERIE_DATA]");
  one->callback([shown] { show(*shown); });

  auto dealt = std::make_shared<ShowArguments>();
  CLI::App* deal = command->add_subcommand(
      "deal", "write each client's data to a file of its own, and a config to serve them");
  deal->add_option("FILE", dealt->request.file, "the config, a TOML file")
      ->required()
      ->check(CLI::ExistingFile);
  deal->add_option("--out", dealt->request.out, "where they go: a folder that is new or empty")->required();
  deal->add_option("--set", dealt->request.overrides,
                   "set one value over the file: section.key=value; repeatable")
      ->allow_extra_args(false);
  deal->add_option("--data", dealt->request.data_folder, "where data sets are [$COTERIE_DATA]");
  deal->callback([dealt] { std::cout << deal_files(dealt->request, dealt->request.out) << '\n'; });
}

}  // namespace coterie
