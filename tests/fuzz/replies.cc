// What a server takes in. A line with the name of a method and the number of an ask; the rest is what client
// 0 answers to it. Everybody else is honest, and the run goes on with what came of it.
#include "fuzz/cutter.h"
#include "fuzz/small_world.h"

namespace coterie::fuzz {

void replies(Input input) {
  Cutter cutter(input);
  const std::string line = cutter.line();
  const std::size_t space = line.find(' ');
  if (space == std::string::npos || space + 2 != line.size()) throw Error("a method and a digit are needed");
  const int forged = line.back() - '0';
  const Input bytes = cutter.rest();
  int asks = 0;
  WiredRun run(line.substr(0, space), [&](ClientHost& host, WireAsk& ask, ClientId client) {
    Bytes honest = host.answer(ask.order(client));
    if (client != 0 || asks++ != forged) return honest;
    ReplyMessage reply = open_reply(honest, Precision::f32);
    reply.reply.assign(bytes.begin(), bytes.end());
    reply.fault.clear();
    return seal(reply, Precision::f32);
  });
  run->start();
  for (std::uint32_t t = 1; t <= 2; ++t) run->round(t);
  run->evaluate(2, true);
  run->deliver();
}

}  // namespace coterie::fuzz
