// One function for each command: it declares the arguments and, when chosen, calls the engine and sets the
// status.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace coterie {

// Several processes of a launcher would each do what a command does: refused, unless they spread its runs.
void check_spread(const std::string& command, bool spread);

struct Identity;
void add_identity(CLI::App& command, Identity& identity);

void add_run_command(CLI::App& app, int& status);
void add_fit_command(CLI::App& app, int& status);
void add_compare_command(CLI::App& app, int& status);
void add_report_command(CLI::App& app, int& status);
void add_assign_command(CLI::App& app, int& status);
void add_predict_command(CLI::App& app, int& status);
void add_list_command(CLI::App& app, int& status);
void add_reproduce_command(CLI::App& app, int& status);
void add_data_command(CLI::App& app, int& status);
void add_network_commands(CLI::App& app, int& status);

}  // namespace coterie
