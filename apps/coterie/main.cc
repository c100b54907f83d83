// The command line: argument parsing only.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "base/disk.h"
#include "base/excerpt.h"
#include "base/launch.h"
#include "base/plugins.h"
#include "commands.h"
#include "fleet/fleets.h"

namespace {

// Says what ended the program; returns its status. Of several ranks that fail alike the first speaks, and one
// that fails alone ends the others.
int failed(const std::string& text, int status) {
  const coterie::Launch launch = coterie::launch_of_environment();
  coterie::Ranks* ranks = nullptr;
  try {
    ranks = &coterie::launched_ranks();
  } catch (const coterie::Error&) {
    // They cannot be reached, which is what `text` says.
  }
  const bool alike = ranks == nullptr || all_fail(*ranks);
  if (launch.rank == 0) std::cerr << text << std::endl;
  // mpirun ends all as soon as one has another status than 0: the first has it, once it has spoken.
  if (alike) return launch.rank == 0 ? status : 0;
  if (launch.rank > 0) {
    std::cerr << "rank " << launch.rank << " of " << launch.count << ": " << text << std::endl;
  }
  ranks->end_all(status);
  return status;
}

}  // namespace

void coterie::check_spread(const std::string& command, bool spread) {
  const unsigned processes = launch_of_environment().count;
  if (processes == 1 || spread) return;
  const bool can = command == "fit" || command == "reproduce";
  throw BadConfig("error: coterie was started as " + std::to_string(processes) +
                  " processes (by mpirun or srun), but `coterie " + command +
                  "` is one process: start it once" + (can ? ", or add --spread runs" : ""));
}

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
  app.parse_complete_callback([&] {
    for (const CLI::App* command : app.get_subcommands()) {
      const std::string& name = command->get_name();
      if (name != "run" && name != "fit" && name != "reproduce") coterie::check_spread(name, false);
    }
    coterie::load_plugins(plugins);
  });
  app.fallthrough();  // for the commands: options of the program may come after a command's name, too
  int status = 0;
  coterie::add_run_command(app, status);
  coterie::add_fit_command(app, status);
  coterie::add_compare_command(app, status);
  coterie::add_report_command(app, status);
  coterie::add_assign_command(app, status);
  coterie::add_predict_command(app, status);
  coterie::add_list_command(app, status);
  coterie::add_reproduce_command(app, status);
  coterie::add_data_command(app, status);
  coterie::add_network_commands(app, status);
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
    std::ostream nowhere(nullptr);
    const int code = app.exit(e, coterie::launch_of_environment().rank == 0 ? std::cout : nowhere, said);
    if (code == 0) return 0;
    std::string text = coterie::on_a_screen(said.str());
    if (text.ends_with('\n')) text.pop_back();
    return failed(text, 2);
  } catch (const coterie::BadConfig& e) {
    return failed(coterie::on_a_screen(e.what()), 2);
  } catch (const coterie::Error& e) {
    return failed(coterie::on_a_screen(std::string("error: ") + e.what()), 1);
  } catch (const std::filesystem::filesystem_error& e) {
    // Of a file that is no run's: a folder of data that may not be read, say.
    return failed("error: cannot use " + coterie::excerpt(e.path1().string()) + ": " +
                      coterie::reason_of(e.code().value()),
                  1);
  } catch (const std::bad_alloc&) {
    return failed(
        "error: there is not enough memory for what was asked; use smaller numbers (clients, samples, "
        "clusters, model), or a machine with more",
        1);
  } catch (const std::exception& e) {
    return failed(std::string("error: ") + e.what() + "\nThis is a defect of coterie, not of your input.", 1);
  }
}
