// What commands that take long share: an orderly stop, and the command that goes on.
#pragma once

#include <string>

namespace coterie {

// Handles SIGINT and SIGTERM: the first asks for an orderly stop after `what` ("this round"), a second one
// ends the program at once. Where a launcher started several processes, SIGUSR1 asks too.
void stop_when_asked(const char* what);

// A word as a shell reads it back.
std::string shell_word(const std::string& text);

}  // namespace coterie
