#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <sstream>

#include "base/disk.h"
#include "base/text.h"
#include "fleets/grpc/service.h"
#include "fleets/grpc/tls.h"

namespace coterie::net {

Gate::Gate(const Identity& identity) : identity_(identity), list_(identity.certs + "/revoked") {
  if (!identity_.insecure && is_there(list_)) read_file(list_);  // whoever may not read it is told at once
}

std::shared_ptr<grpc::ServerCredentials> Gate::credentials() const {
  return identity_.insecure ? grpc::InsecureServerCredentials() : server_credentials(identity_);
}

std::string Gate::let_in(const grpc::ServerContextBase& context) {
  if (identity_.insecure) return "";
  const std::string name = certified_name(*context.auth_context());
  if (name.empty()) throw Error("the certificate has no common name");
  if (revoked(name)) throw Error("the certificate was revoked");
  count(name);
  return name;
}

// A client that has lost its line dials twice a second at most, and then less and less.
void Gate::count(const std::string& name) {
  constexpr double kMost = 60;
  const std::lock_guard guard(mutex_);
  const auto now = std::chrono::steady_clock::now();
  auto& [dialled, at] = dialled_.try_emplace(name, 0.0, now).first->second;
  dialled = std::max(0.0, dialled - std::chrono::duration<double>(now - at).count());
  at = now;
  if (dialled >= kMost) throw TooOften("it dials too often; it may dial once a second");
  ++dialled;
}

bool Gate::revoked(const std::string& name) {
  if (identity_.insecure) return false;
  const std::lock_guard guard(mutex_);
  read_revoked();
  return revoked_.contains(name);
}

// A list that cannot be read must not let anybody in who is on it: the last one counts.
void Gate::read_revoked() {
  struct stat file {};
  if (stat(list_.c_str(), &file) != 0) return;
  const std::int64_t changed = file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec;
  if (changed == read_at_) return;
  std::set<std::string> names;
  std::istringstream lines;
  try {
    lines.str(read_file(list_));
  } catch (const Error& e) {
    if (changed != unread_) std::cerr << "warning: " << e.what() << "; the list of before counts\n";
    unread_ = changed;
    return;
  }
  read_at_ = changed;
  for (std::string line; std::getline(lines, line);) {
    const std::string name(trim(line.substr(0, line.find('#'))));
    if (!name.empty()) names.insert(name);
  }
  revoked_ = std::move(names);
}

}  // namespace coterie::net
