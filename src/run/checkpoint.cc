#include "run/checkpoint.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/checksum.h"
#include "base/disk.h"
#include "base/md5.h"
#include "base/plugins.h"
#include "base/text.h"
#include "base/value.h"
#include "run/config_difference.h"
#include "run/identity.h"
#include "run/session.h"

namespace coterie {
namespace {

constexpr std::string_view kMagic = "coterie checkpoint 5\n";
constexpr std::string_view kAnyMagic = "coterie checkpoint ";

std::uint32_t checksum_of(std::string_view text) {
  return checksum(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace

void write_checkpoint(const RunFolder& folder, Checkpoint& checkpoint) {
  if (!folder.keeps()) return;
  // The state of many clients is not kept more often than twice at once.
  Bytes body = encode(checkpoint, Precision::f64);
  std::exchange(checkpoint.state, {});  // = {} would keep the memory
  std::string content(kMagic);
  content.reserve(kMagic.size() + body.size() + sizeof(std::uint32_t));
  content.append(reinterpret_cast<const char*>(body.data()), body.size());
  std::exchange(body, {});
  std::uint32_t sum = checksum_of(content);
  content.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  write_atomically(folder.file("checkpoint/checkpoint.bin"), content);
}

std::optional<Checkpoint> read_checkpoint(const RunFolder& folder) {
  const std::string path = folder.file("checkpoint/checkpoint.bin");
  if (!is_there(path)) return std::nullopt;
  std::string content = read_file(path);
  if (content.starts_with(kAnyMagic) && !content.starts_with(kMagic)) {
    throw Error(
        path +
        " was written by another version of coterie; resume with that version, or start again with --force");
  }
  std::uint32_t sum = 0;
  if (content.size() >= kMagic.size() + sizeof sum) {
    std::memcpy(&sum, content.data() + content.size() - sizeof sum, sizeof sum);
    content.resize(content.size() - sizeof sum);
  }
  if (!content.starts_with(kMagic) || checksum_of(content) != sum) {
    throw Error(path + " is damaged; restore it, or start again with --force");
  }
  const std::string_view body = std::string_view(content).substr(kMagic.size());
  try {
    return decode<Checkpoint>(std::as_bytes(std::span(body.data(), body.size())), Precision::f64);
  } catch (const MalformedMessage&) {
    throw Error(path + " is damaged; restore it, or start again with --force");
  }
}

Origin Origin::of(Session& session) {
  Table config = session.config().resolved();
  // A run may be made longer.
  set_path(config, "rounds.count", Value{std::int64_t{0}, {}});
  const Session::DataMark data = session.data_mark();
  return {engine_version(), md5_of(bits_of(config)), session.agreement_text(), data.clients,
          data.samples,     data.fingerprint};
}

void check_origin(const Origin& then, const Origin& now, const std::string& folder) {
  const auto refuse = [&](const std::string& what, const std::string& remedy) {
    throw Error(
        fmt::format("{} cannot be resumed: {}; {}, or start again with --force", folder, what, remedy));
  };
  if (then.version != now.version) {
    refuse(fmt::format("it was begun by coterie {}, and this is {}", then.version, now.version),
           "use that version");
  }
  if (then.config != now.config) {
    refuse("its checkpoint belongs to another config than its config.toml", "restore both files");
  }
  constexpr const char* kRestore = "restore the data that it began with";
  // A rate that was found is of the values: other data has another, and what differs is told below.
  const auto form_of = [](const std::string& agreement) {
    Table form = parse_toml(agreement, "agreement");
    form.erase("rate");
    form.erase("gradient_rate");
    return form;
  };
  const Table form_then = form_of(then.agreement), form_now = form_of(now.agreement);
  if (write_toml(form_then) != write_toml(form_now)) {
    refuse("the form of the data has changed (" + config_difference(form_then, form_now) + ")", kRestore);
  }
  if (then.clients != now.clients || then.samples != now.samples) {
    refuse(fmt::format("the data has changed: {} with {} there, {} with {} here",
                       counted(then.clients, "client"), counted(then.samples, "sample"),
                       counted(now.clients, "client"), counted(now.samples, "sample")),
           kRestore);
  }
  if (then.fingerprint != now.fingerprint) {
    refuse("the data has changed: as many clients and samples as before, but other values or names",
           kRestore);
  }
}

}  // namespace coterie
