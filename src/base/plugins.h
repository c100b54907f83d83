// Plug-ins that are loaded at run time: shared libraries whose registrations join the built-in ones.
#pragma once

#include <string>
#include <vector>

namespace coterie {

// The version of the engine, e.g. "0.2.0".
std::string engine_version();

// Loads each file, and every *.so of each folder in order of name. A plug-in stays loaded until the program
// ends. Throws Error, with the file's name, for one that is missing, is no shared library, says nothing of
// the version that it was built against or names another than this one, cannot be linked, or registers a name
// that is in use.
void load_plugins(const std::vector<std::string>& paths);

// The paths in an environment variable: separated by colons, none when it is unset or empty.
std::vector<std::string> plugin_paths(const char* variable);

}  // namespace coterie
