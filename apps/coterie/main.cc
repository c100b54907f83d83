// The command line: argument parsing only.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "base/disk.h"
#include "base/excerpt.h"
#include "commands.h"
#include "run/plugins.h"

int main(int argc, char** argv) {
  CLI::App app(
      "Coterie: clustered federated learning. Finds the groups among clients and learns a model for each.");
  app.name("coterie");
  app.set_version_flag("--version", coterie::engine_version());
  app.require_subcommand(1);
  std::vector<std::string> plugins = coterie::plugin_paths("COTERIE_PLUGINS");
  app.add_option("--plugin", plugins,
                 "a shared library with plug-ins, or a folder of them; can be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.parse_complete_callback([&] { coterie::load_plugins(plugins); });
  app.fallthrough();  // for the commands: options of the program may come after a command's name, too
  int status = 0;
  coterie::add_run_command(app, status);
  coterie::add_compare_command(app, status);
  coterie::add_report_command(app, status);
  coterie::add_assign_command(app, status);
  coterie::add_predict_command(app, status);
  coterie::add_list_command(app, status);
  coterie::add_reproduce_command(app, status);
  coterie::add_data_command(app, status);
  try {
    if (argc > 1 && argv[1][0] != '-') {
      std::vector<std::string> known;
      for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
      if (std::find(known.begin(), known.end(), argv[1]) == known.end())
        throw coterie::BadConfig("error: command " + coterie::unknown_name(argv[1], known));
    }
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& e) {
    // Help and version are no errors; whatever else is wrong with the arguments is status 2.
    std::ostringstream said;
    const int code = app.exit(e, std::cout, said);
    std::cerr << coterie::on_a_screen(said.str());
    return code == 0 ? 0 : 2;
  } catch (const coterie::BadConfig& e) {
    std::cerr << coterie::on_a_screen(e.what()) << '\n';
    return 2;
  } catch (const coterie::Error& e) {
    std::cerr << coterie::on_a_screen(std::string("error: ") + e.what()) << '\n';
    return 1;
  } catch (const std::filesystem::filesystem_error& e) {
    // Of a file that is no run's: a folder of data that may not be read, say.
    std::cerr << "error: cannot use " << coterie::excerpt(e.path1().string()) << ": "
              << coterie::reason_of(e.code().value()) << '\n';
    return 1;
  } catch (const std::bad_alloc&) {
    std::cerr << "error: there is not enough memory for what was asked; use smaller numbers (clients, "
                 "samples, clusters, "
                 "model), or a machine with more\n";
    return 1;
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << "\nThis is a defect of coterie, not of your input.\n";
    return 1;
  }
}
