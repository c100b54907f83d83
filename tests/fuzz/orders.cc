// What a client takes in. A line with the name of a method; then parts with their lengths in front, each with
// a byte that says what it is: an item of the shelf (0), the state that the client has as version 1 (1), or
// an order (2). An order gets the right name of the run, its checksum, and the names of the items that came
// before it, so that what is inside of it is read.
#include <map>

#include "fuzz/cutter.h"
#include "fuzz/small_world.h"

namespace coterie::fuzz {
namespace {

const std::shared_ptr<const ClientProgram>& program_of(const std::string& algorithm) {
  static std::map<std::string, std::shared_ptr<const ClientProgram>> known;
  std::shared_ptr<const ClientProgram>& program = known[algorithm];
  if (program == nullptr) {
    program = std::make_shared<const ClientProgram>(small_config(algorithm).text(),
                                                    Agreement::of(*small_federation(), false).text());
  }
  return program;
}

}  // namespace

void orders(Input input) {
  Cutter cutter(input);
  const auto program = program_of(cutter.line());
  const Precision precision = program->precision();
  ClientHost host(program, *small_federation());
  std::vector<ItemName> items;
  while (!cutter.empty()) {
    const unsigned what = cutter.byte() % 3;
    const Input part = cutter.part();
    if (what == 0) {
      const SealedItem item = seal_item(decode<Shared>(part, precision), precision);
      host.take_item(item.name, item.bytes);
      items.push_back(item.name);
    } else if (what == 1) {
      host.restore(0, 1, Bytes(part.begin(), part.end()));
    } else {
      OrderMessage order = open_order(with_checksum(part), precision);
      order.header.run = program->run();
      for (std::size_t k = 0; k < order.items.size() && !items.empty(); ++k) {
        if (order.items[k] != 0) order.items[k] = items[k % items.size()];
      }
      const ReplyMessage reply = open_reply(host.answer(seal(order, precision)), precision);
      if (!reply.fault.empty()) throw Error(reply.fault);
    }
  }
}

}  // namespace coterie::fuzz
