// Every file that a run writes, and every file of a run that is read again, goes through these functions and
// through OpenFile and LogFile, which are built on the same calls. So each failure has one kind of text:
// which file, what is wrong in plain words, and what to do; and a test can make any of them fail
// (base/faulty_disk.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coterie/error.h"

namespace coterie {

// The system did not do what was asked of a file: a full disk, no permission, a name that is too long.
class FileError : public Error {
 public:
  using Error::Error;
};

// "no space is left on the device; free some space there, or choose another folder", for what errno said.
std::string reason_of(int code);
// Throws FileError: "cannot write runs/a/rounds.jsonl: no space is left on the device; free some space ...".
[[noreturn]] void throw_file_error(std::string_view deed, const std::string& path, int code);

// --- what is there
// ------------------------------------------------------------------------------------------- False when it
// is not there or is something else; a FileError when the system cannot tell.
bool is_file(const std::string& path);
bool is_folder(const std::string& path);
bool is_there(const std::string& path);
// The names in a folder, in alphabetical order; none when there is no such folder.
std::vector<std::string> names_in(const std::string& folder);
// What is free for users on the device of this folder.
std::uint64_t free_bytes(const std::string& folder);
std::string read_file(const std::string& path);

// --- changes
// ------------------------------------------------------------------------------------------------- The
// folder and those above it, where they are not there.
void make_folders(const std::string& path);
// Writes to a temporary file, which gets to the disk before it takes the file's name: readers see the old
// file or the new one, never half of it, whatever happens.
void write_atomically(const std::string& path, std::string_view content);
// Does nothing when there is no such file, or a folder of that name.
void remove_file(const std::string& path);
// Does nothing when there is no such folder or something is in it.
void remove_if_empty(const std::string& folder);
// Waits until a folder's list of files is on the disk.
void sync_folder(const std::string& folder);
// "runs/a" of "runs/a/config.toml"; "." for a plain name.
std::string folder_of(const std::string& path);

}  // namespace coterie
