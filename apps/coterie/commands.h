// One function for each command: it declares the arguments and, when chosen, calls the engine and sets the
// status.
#pragma once

#include <CLI/CLI.hpp>

namespace coterie {

void add_run_command(CLI::App& app, int& status);
void add_compare_command(CLI::App& app, int& status);
void add_report_command(CLI::App& app, int& status);
void add_assign_command(CLI::App& app, int& status);
void add_predict_command(CLI::App& app, int& status);
void add_list_command(CLI::App& app, int& status);
void add_reproduce_command(CLI::App& app, int& status);
void add_data_command(CLI::App& app, int& status);

}  // namespace coterie
