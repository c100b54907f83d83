#include "fleets/grpc/join.h"

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <random>

#include "base/disk.h"
#include "base/excerpt.h"
#include "base/text.h"
#include "fleets/grpc/addresses.h"
#include "fleets/grpc/dial.h"
#include "fleets/grpc/outcome.h"

namespace coterie::net {

void JoinConduct::say(const std::string& text) const {
  if (!request_.quiet) std::cerr << on_a_screen(text) << '\n';
}

void JoinConduct::told(const Introduction& told) {
  const std::string why = policy_.refuse_data(told.table ? &*told.table : nullptr, told.train);
  if (!why.empty()) throw Error(why);
  training_ = told.train;
  std::string text =
      fmt::format("told: {} to train on, {} to choose by, {} to be scored on; the form of a sample",
                  counted(told.train, "sample"), told.validation, told.test);
  if (told.table) text += "; the names of columns, and the values of columns of text";
  say(text + "; a fingerprint of the data");
}

std::string JoinConduct::refuse_program(const Setup& setup) {
  const std::string why = policy_.refuse_run(setup.program(), Agreement::read(setup.agreement()), training_);
  if (!why.empty()) say("refused the run: " + why);
  return why;
}

std::string JoinConduct::refuse(const MessageHeader& header) {
  const std::string why = policy_.refuse_order(header);
  if (!why.empty() && refused_[why]++ == 0) say(fmt::format("refused ({}): {}", header.job, why));
  return why;
}

void JoinConduct::set_up(const Setup& setup) {
  const Table table = parse_toml(setup.program(), "program");
  const Value* kind = find_path(table, "algorithm.kind");
  const auto* name = kind != nullptr ? std::get_if<std::string>(&kind->data) : nullptr;
  if (setup.draft()) return say("agreeing on columns");
  std::string text = fmt::format("client {} of a run of {}", setup.client(), name != nullptr ? *name : "?");
  if (const auto cut = Agreement::read(setup.agreement()).cut)
    text += fmt::format(", fold {} of {}", cut->fold + 1, cut->folds);
  say(text);
}

void JoinConduct::worked(const ClientProgram& program, const OrderMessage& order, const Shelf& shelf,
                         ClientView& view) {
  if (order.header.job == score_job().name())
    packing_ = decode<ScoreNote>(order.note, program.precision()).packing;
  if (order.header.job != deliver_job().name() || request_.out.empty()) return;
  leave_outcome(request_.out, program,
                packing_.models > 0 ? packing_ : Packing{static_cast<std::uint32_t>(shelf.size())}, shelf,
                view);
  say("the final model is in " + request_.out);
}

void JoinConduct::answered(const MessageHeader& header, std::size_t bytes) {
  auto& [times, sum] = told_[header.job];
  ++times;
  sum += bytes;
  if (header.ask.round > round_ && header.next != 0) {
    round_ = header.ask.round;
    say(fmt::format("round {}: {}, {} sent", round_, header.job, human_bytes(bytes)));
  }
}

void JoinConduct::sum_up() const {
  for (const auto& [job, what] : told_)
    say(fmt::format("told: {}, {}, {}", job, counted(what.first, "time"), human_bytes(what.second)));
  for (const auto& [why, times] : refused_) say(fmt::format("refused {}: {}", counted(times, "time"), why));
}

namespace {

// Doubling, up to half a minute, and never the same for all: a server that comes back is not run over.
double back_off(int failures) {
  static std::mt19937 chance(std::random_device{}());
  const double most = std::min(30.0, 0.5 * std::pow(2.0, std::min(failures, 10)));
  return most * std::uniform_real_distribution<double>(0.5, 1.0)(chance);
}

}  // namespace

bool join(const JoinRequest& request) {
  check_loopback(request.server, request.identity);
  JoinConduct conduct(request);
  const std::string states =
      request.state.empty() ? "" : request.state + "/" + request.identity.name + ".states";
  Client client(
      request.identity.name,
      [&](const std::string& reading) {
        auto data = request.open(reading);
        conduct.told(data->told());
        return data;
      },
      states, conduct);

  std::atomic<bool> done{false};
  std::thread watcher([&] {
    while (!done && !request.stopped()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (!done) client.stop();
  });
  const auto finish = [&](bool over) {
    done = true;
    watcher.join();
    conduct.sum_up();
    return over;
  };
  int failures = 0;
  auto gone_since = Clock::now();
  std::string said;
  while (true) {
    std::string why;
    Client::End end = Client::End::broken;
    try {
      end = client.hold(dial(request.server, request.identity), why);
    } catch (...) {
      finish(false);
      throw;
    }
    if (client.was_let_in()) {
      failures = 0;
      gone_since = Clock::now();
    }
    if (end == Client::End::over) {
      conduct.say("over: " + why);
      return finish(true);
    }
    if (end == Client::End::stopped) return finish(false);
    if (end == Client::End::refused) {
      finish(false);
      throw Error(why);
    }
    const double away = std::chrono::duration<double>(Clock::now() - gone_since).count();
    if (request.patience > 0 && away > request.patience) {
      finish(false);
      throw Error(fmt::format("{} has not been there for {}: {}; `coterie check {}` tells which step fails",
                              request.server, human_seconds(away), why, request.server));
    }
    const double pause = back_off(failures++);
    if (why != said || failures == 1)
      conduct.say(fmt::format("not connected: {}; trying again", why.empty() ? "the line broke" : why));
    said = why;
    for (double slept = 0; slept < pause && !request.stopped(); slept += 0.05)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace coterie::net
