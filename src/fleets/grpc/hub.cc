#include "fleets/grpc/hub.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/excerpt.h"
#include "base/plugins.h"
#include "base/text.h"
#include "coterie/run.h"
#include "fleet/joined_roster.h"
#include "fleets/grpc/addresses.h"
#include "fleets/grpc/line.h"

namespace coterie::net {

Hub::Hub(const ServeRequest& request) : request_(request), watch_(request) {
  check_loopback(request.listen, request.identity);
  gate_ = std::make_unique<Gate>(request.identity);
  service_ = make_service(*this, *gate_);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kLongestMessage);
  // Who does not answer pings is gone, also when no packet says so.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 4'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 8);       // of one connection
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 30'000);  // without a stream
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // What a client may send before it is read: with a window that grows, replies that wait for room would wait
  // in this process. A quarter of a MB for each trip there and back is 5 MB/s at 50 ms.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 256 << 10);
  builder.AddListeningPort(request.listen, gate_->credentials(), &port_);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    throw Error(
        fmt::format("cannot listen on {}: the port is in use, the address is not this machine's, or the "
                    "certificates cannot be used",
                    request.listen));
  }
  looks_ = std::thread([this] { look_after_lines(); });
}

Hub::~Hub() {
  {
    const std::lock_guard guard(mutex_);
    closing_ = true;
    for (Line* line : lines_) line->cancel();
  }
  ending_.notify_all();
  looks_.join();
  server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
  std::unique_lock guard(mutex_);
  changed_.wait(guard, [&] { return lines_.empty(); });
}

void Hub::close(const std::string& why) {
  std::unique_lock guard(mutex_);
  over_ = why;
  setup_.reset();
  for (auto& [name, line] : present_) tell_over(*line);
  // A client hangs up when it has heard it; one whose line has broken dials again to hear it.
  changed_.wait_for(guard, std::chrono::seconds(10), [&] {
    return lines_.empty() && std::all_of(names_.begin(), names_.end(),
                                         [&](const std::string& one) { return heard_.contains(one); });
  });
}

void Hub::tell_over(Line& line) {
  FromServer message;
  message.mutable_over()->set_why(over_);
  line.send(message);
  line.end();
  heard_.insert(line.name());
}

void Hub::welcome(const Bytes& run) {
  FromServer message;
  message.mutable_item()->set_size(run.size());
  std::vector<Frame> frames = pieces_of(run, FromServer::kPieceFieldNumber);
  frames.insert(frames.begin(), frame_of(message));
  const std::lock_guard guard(mutex_);
  welcome_ = std::move(frames);
}

void Hub::send_welcome(Line& line) {
  watch_.event("newcomer", line.name(), line.peer());
  for (const Frame& frame : welcome_) line.send(frame);
  FromServer over;
  over.mutable_over()->set_why("welcome, " + line.name());
  line.send(over);
  line.end();
}

// --- who comes in
// -------------------------------------------------------------------------------------------

std::string Hub::refuse(Line& line, const Hello& hello, bool& final) {
  if (hello.protocol() != kProtocol) {
    return fmt::format(
        "it speaks protocol {}, and this server {}; use the same version of coterie on both sides",
        hello.protocol(), kProtocol);
  }
  if (hello.version() != engine_version()) {
    return fmt::format("it is coterie {}, and this server {}; use the same version on both sides",
                       excerpt(hello.version(), 20), engine_version());
  }
  const std::string& name = line.name();
  constexpr std::size_t kLongestName = 200;
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 127; });
  if (name.empty() || name.size() > kLongestName || !plain) return "its name cannot be used as one";
  if (gate_->revoked(name)) return "its certificate was revoked";
  if (hello.visit()) return "";
  if (hello.newcomer()) {
    return !welcome_.empty()
               ? ""
               : "newcomers are not welcome here: the run is not finished, or its server was started "
                 "without --stay";
  }
  final = false;
  if (closing_) return "the server is about to end";
  if (present_.contains(name))
    return fmt::format("{} is connected already; a client can join once", in_quotes(name));
  final = true;
  if (!expected(name)) return fmt::format("{} is none of the clients of this run", in_quotes(name));
  final = false;
  if (setup_ && !numbers_.contains(name)) return "the run has all its clients, and takes no other ones";
  return "";
}

bool Hub::expected(const std::string& name) const {
  if (!before_.empty()) return before_.contains(name);
  if (!invitation_ || invitation_->names.empty()) return true;
  const auto& names = invitation_->names;
  return std::find(names.begin(), names.end(), name) != names.end();
}

void Hub::greet(Line& line) {
  line.stage = Line::Stage::greeted;
  present_[line.name()] = &line;
  watch_.event("connected", line.name(), line.peer());
  if (!over_.empty()) return tell_over(line);
  if (!invitation_) return;
  invite(line);
}

void Hub::invite(Line& line) {
  line.stage = Line::Stage::asked;
  ++line.invited;
  FromServer message;
  message.mutable_reading()->set_text(invitation_->reading);
  message.mutable_reading()->set_name(line.name());
  line.send(message);
}

void Hub::told(Line& line, Introduction told) {
  for (const auto* list : {&before_, &taken_}) {
    const auto known = list->find(line.name());
    if (known == list->end()) continue;
    const Introduction& then = known->second;
    if (then.fingerprint != told.fingerprint || then.train != told.train ||
        then.validation != told.validation || then.test != told.test) {
      throw Error(fmt::format(
          "its data has changed since the run began: {} and {} there, {} and {} here; restore it",
          counted(then.train, "training sample"), counted(then.test, "test sample"), told.train, told.test));
    }
  }
  // Whatever does not go with what others have is refused here, so that it costs nobody else the run. Until
  // the run has begun, the other one may be the wrong one, and go.
  std::vector<Introduction> both = {told};
  for (const auto& [name, other] : told_) {
    if (name == line.name() || both.size() > 1 || !present_.contains(name)) continue;
    both.push_back(other);
  }
  try {
    const JoinedRoster checked(std::move(both), 0);
  } catch (const Error& e) {
    return line.refuse(e.what(), setup_.has_value());
  }
  line.stage = Line::Stage::joined;
  if (!told_.contains(line.name())) arrivals_.push_back(line.name());
  told_[line.name()] = std::move(told);
  watch_.event("joined", line.name());
  watch_.connected(lines_.size(), told_.size());
  if (setup_) set_up(line);
  changed_.notify_all();
}

void Hub::gone(Line& line) {
  lines_.erase(&line);
  const auto found = present_.find(line.name());
  if (found != present_.end() && found->second == &line) {
    present_.erase(found);
    left_[line.name()] = Clock::now();
    watch_.event("left", line.name());
    if (line.number) events_.push_back({Event::Kind::left, *line.number});
  }
  std::erase(parked_, &line);
  if (line.receiving) {
    --in_hand_;
    admit_parked();
  }
  watch_.connected(lines_.size(), present_.size());
  changed_.notify_all();
}

// --- whom a run waits for
// -----------------------------------------------------------------------------------

std::vector<Introduction> Hub::gather(const Invitation& invitation) {
  std::unique_lock guard(mutex_);
  const bool same = invitation_ && invitation_->reading == invitation.reading;
  invitation_ = invitation;
  before_.clear();
  for (const Introduction& one : invitation.before) before_[one.name] = one;
  if (!same) told_.clear();
  taken_.clear();
  const auto take = [&](std::vector<Introduction> list) {
    for (const Introduction& one : list) taken_[one.name] = one;
    return list;
  };
  for (auto& [name, line] : present_) {
    if (!expected(name)) {
      line->refuse(in_quotes(name) + " is none of the clients of this run", true);
    } else if (!same || line->stage == Line::Stage::greeted) {
      invite(*line);
    }
  }
  const auto here = [&] {
    std::vector<Introduction> all;
    for (const std::string& name : arrivals_) {
      const auto line = present_.find(name);
      const bool joined = line != present_.end() && line->second->stage == Line::Stage::joined;
      if (joined && told_.contains(name) && all.size() < invitation.count) all.push_back(told_[name]);
    }
    return all;
  };
  const auto until = Clock::now() + std::chrono::duration<double>(request_.wait);
  std::size_t seen = ~std::size_t{0};
  while (true) {
    std::vector<Introduction> all = here();
    if (all.size() != seen) {
      seen = all.size();
      watch_.say(fmt::format("{} of {} have joined", seen, counted(invitation.count, "client")));
    }
    if (all.size() >= invitation.count) return take(std::move(all));
    if (stop_requested()) return {};
    // Those of a run that goes on are known; who comes later joins again.
    if (!before_.empty() && Clock::now() > until) {
      watch_.say(
          fmt::format("going on without those that are not back yet ({} of {} are)", seen, before_.size()));
      return take(invitation.before);
    }
    changed_.wait_for(guard, std::chrono::milliseconds(200));
  }
}

void Hub::begin(const Setup& setup, const std::vector<std::string>& names, const Rules& rules) {
  const std::lock_guard guard(mutex_);
  setup_ = setup;
  names_ = names;
  rules_ = rules;
  numbers_.clear();
  for (ClientId i = 0; i < names.size(); ++i) numbers_[names[i]] = i;
  drop_events();
  keep_.clear();
  keep_before_.clear();
  for (auto& [name, line] : present_) {
    line->held.clear();  // whoever is set up anew begins with an empty shelf
    if (line->stage == Line::Stage::joined) set_up(*line);
  }
}

void Hub::end() {
  const std::lock_guard guard(mutex_);
  setup_.reset();
  drop_events();
  for (Line* line : lines_) line->number.reset();
}

void Hub::set_up(Line& line) {
  const auto found = numbers_.find(line.name());
  if (found == numbers_.end()) {
    line.refuse("the run has all its clients, and takes no other ones", false);
    return;
  }
  // A client that has another run set up begins with an empty shelf.
  if (line.run != setup_->run()) line.held.clear();
  line.run = setup_->run();
  line.number = found->second;
  FromServer message;
  *message.mutable_setup() = *setup_;
  message.mutable_setup()->set_client(found->second);
  line.send(message);
  events_.push_back({Event::Kind::joined, found->second});
  changed_.notify_all();
}

}  // namespace coterie::net
