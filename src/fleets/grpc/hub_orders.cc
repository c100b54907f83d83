// What the hub does while an ask is under way.
#include <fmt/format.h>

#include "fleets/grpc/hub.h"
#include "fleets/grpc/line.h"

namespace coterie::net {

void Hub::new_ask(const WireAsk& ask) {
  const std::lock_guard guard(mutex_);
  ++ask_;
  keep_before_ = std::move(keep_);
  keep_.clear();
  for (const SealedItem& item : ask.items()) keep_.insert(item.name);
}

bool Hub::send(ClientId client, WireAsk& ask, Shelved& shelf, std::uint32_t keep_from, bool again) {
  // Encoding takes time, so it is not done under the lock.
  if (absent(client)) return false;
  const Bytes order = ask.order(client);
  const std::vector<ItemName> items = ask.items_of(client);
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (items[k] == 0 || shelf.contains(items[k])) continue;
    const Bytes& bytes = ask.items()[k].bytes;
    FromServer message;
    message.mutable_item()->set_name(items[k]);
    message.mutable_item()->set_size(bytes.size());
    std::vector<Frame>& frames = shelf[items[k]];
    frames = pieces_of(bytes, FromServer::kPieceFieldNumber);
    frames.insert(frames.begin(), frame_of(message));
  }
  const std::vector<Frame> pieces = pieces_of(order, FromServer::kPieceFieldNumber);

  const std::lock_guard guard(mutex_);
  const auto found = present_.find(names_[client]);
  if (found == present_.end() || found->second->number != client) return false;
  Line& line = *found->second;
  if (line.ask == ask_ && !again) return true;
  // Who is behind gets this one once it has answered those that it has: orders do not pile up.
  constexpr std::size_t kBehind = 2;
  if (line.owed >= kBehind) return true;
  line.ask = ask_;
  FromServer message;
  Order& head = *message.mutable_order();
  head.set_size(order.size());
  head.set_keep_from(keep_from);
  std::erase_if(line.held, [&](ItemName name) {
    const bool old = !keep_.contains(name) && !keep_before_.contains(name);
    if (old) head.add_forget(name);
    return old;
  });
  for (const ItemName name : items) {
    if (name == 0) continue;
    if (!line.held.insert(name).second) {
      std::uint64_t bytes = 0;
      for (const Frame& frame : shelf[name]) bytes += frame.Length();
      watch_.saved(bytes);
      continue;
    }
    for (const Frame& frame : shelf[name]) line.send(frame);
  }
  ++line.owed;
  line.send(message);
  for (const Frame& frame : pieces) line.send(frame);
  return true;
}

std::optional<Clock::time_point> Hub::absent(ClientId client) {
  const std::lock_guard guard(mutex_);
  const std::string& name = names_[client];
  const auto found = present_.find(name);
  if (found != present_.end() && found->second->number == client) return std::nullopt;
  return left_.try_emplace(name, Clock::now()).first->second;
}

std::optional<Hub::Event> Hub::next(Clock::time_point until) {
  std::unique_lock guard(mutex_);
  changed_.wait_until(guard, until, [&] { return !events_.empty(); });
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Hub::drop_events() {
  for (const Event& event : events_) in_hand_ -= event.kind == Event::Kind::reply ? 1 : 0;
  events_.clear();
  admit_parked();
}

// --- replies
// ------------------------------------------------------------------------------------------------

bool Hub::may_receive(Line& line) {
  if (in_hand_ >= rules_.inbox) {
    parked_.push_back(&line);
    return false;
  }
  ++in_hand_;
  line.receiving = true;
  return true;
}

void Hub::arrived(Line& line, Bytes reply) {
  if (!line.receiving) ++in_hand_;  // a short one, which nothing held back
  line.receiving = false;
  if (!line.number) {  // the run that asked is over
    --in_hand_;
    admit_parked();
    return;
  }
  events_.push_back({Event::Kind::reply, *line.number, std::move(reply)});
  changed_.notify_all();
}

void Hub::release() {
  const std::lock_guard guard(mutex_);
  --in_hand_;
  admit_parked();
}

void Hub::admit_parked() {
  while (in_hand_ < rules_.inbox && !parked_.empty()) {
    Line* line = parked_.front();
    parked_.pop_front();
    ++in_hand_;
    line->receiving = true;
    line->moved = Clock::now();
    line->read();
  }
}

void Hub::look_after_lines() {
  std::unique_lock guard(mutex_);
  while (!closing_) {
    ending_.wait_for(guard, std::chrono::milliseconds(500));
    end_bad_lines();
  }
}

void Hub::end_bad_lines() {
  constexpr auto kToSayWho = std::chrono::seconds(20);
  const auto now = Clock::now();
  const auto oldest = now - std::chrono::duration<double>(rules_.stall);
  for (Line* line : lines_) {
    if (line->stage == Line::Stage::hello && !line->ending() && line->moved < now - kToSayWho) {
      watch_.event("stalled", line->peer(), "it has not said who it is");
      line->cancel();
    }
    if (line->ending() && line->moved < now - kToSayWho) line->cancel();  // it does not take its leave
    if (!line->receiving || line->moved > oldest) continue;
    watch_.event("stalled", line->name(), fmt::format("its reply has not moved for {} s", rules_.stall));
    line->cancel();
  }
  for (auto& [name, line] : present_) {
    if (!line->ending() && gate_->revoked(name)) line->refuse("its certificate was revoked", true);
  }
}

}  // namespace coterie::net
