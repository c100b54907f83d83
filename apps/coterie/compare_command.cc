#include <unistd.h>

#include <iostream>

#include "base/disk.h"
#include "base/text.h"
#include "commands.h"
#include "report/compare.h"
#include "report/compare_export.h"
#include "report/html.h"

namespace coterie {
namespace {

void require_folders(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (!is_folder(folder)) throw BadConfig("error: " + folder + ": no such folder");
  }
}

}  // namespace

void add_compare_command(CLI::App& app, int&) {
  struct Arguments {
    std::vector<std::string> folders;
    std::string html;
    std::string clients;
    std::string csv;
    std::string svg;
    std::string latex;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("compare", "several runs side by side");
  command->add_option("DIR", arguments->folders, "run folders, or folders that hold some")->required();
  command->add_option("--html", arguments->html, "also write a page with the curves to this file");
  command->add_option("--clients", arguments->clients,
                      "also write each client's gain over fedavg and over local to this file (CSV)");
  command->add_option("--csv", arguments->csv,
                      "also write the table's numbers to this file, in full precision");
  command->add_option("--svg", arguments->svg, "also write each chart to a file in this folder");
  command->add_option("--latex", arguments->latex, "also write the table to this file, for LaTeX (booktabs)");
  command->callback([arguments] {
    require_folders(arguments->folders);
    std::vector<std::string> unfinished;
    std::vector<std::string> folders = find_runs(arguments->folders, &unfinished);
    std::vector<RunRecord> runs;
    for (const std::string& folder : folders) runs.push_back(read_run(folder));
    std::cout << compare_table(runs, isatty(STDOUT_FILENO) ? Marks::bold : Marks::star);
    if (!unfinished.empty()) std::cout << '\n' << unfinished_text(unfinished) << '\n';
    if (!arguments->clients.empty()) {
      const Gains gains = gains_of(runs, group_runs(runs));
      if (!gains.any())
        throw Error("--clients: no run here has a fedavg or local run on the same data and seed");
      write_atomically(arguments->clients, gains.csv(runs));
      std::cout << "\nGains: " << arguments->clients << '\n';
    }
    if (!arguments->csv.empty()) {
      write_atomically(arguments->csv, comparison_csv(runs, compare(runs)));
      std::cout << "\nNumbers: " << arguments->csv << '\n';
    }
    if (!arguments->latex.empty()) {
      write_atomically(arguments->latex, comparison_latex(compare(runs)));
      std::cout << "\nLaTeX: " << arguments->latex << '\n';
    }
    if (!arguments->svg.empty()) {
      const std::vector<std::string> files = write_charts(runs, compare(runs), arguments->svg);
      std::cout << (files.empty() ? "\nNo charts: no run has two rounds that were evaluated.\n"
                                  : "\nCharts: " + join(files, ", ") + "\n");
    }
    if (arguments->html.empty()) return;
    write_comparison(folders, arguments->html, unfinished);
    std::cout << "\nPage: " << arguments->html << '\n';
  });
}

void add_report_command(CLI::App& app, int&) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "report", "write a run's page, report.html in its folder; of a sweep, all its pages and compare.html");
  command->add_option("DIR", *folder, "the folder of a run, or of a sweep")->required();
  command->callback([folder] {
    require_folders({*folder});
    std::vector<std::string> unfinished;
    const std::vector<std::string> runs = find_runs({*folder}, &unfinished);
    for (const std::string& run : runs) std::cout << write_report(run) << '\n';
    if (is_run_folder(*folder)) return;
    write_comparison(runs, *folder + "/compare.html", unfinished);
    std::cout << *folder << "/compare.html\n";
    if (!unfinished.empty()) std::cout << unfinished_text(unfinished) << '\n';
  });
}

}  // namespace coterie
