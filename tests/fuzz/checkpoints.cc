// A line with the name of a method, then the state of a run of it, as a checkpoint holds it.
#include "fuzz/cutter.h"
#include "fuzz/small_world.h"

namespace coterie::fuzz {

void checkpoints(Input input) {
  Cutter cutter(input);
  WiredRun run(cutter.line(), [](ClientHost& host, WireAsk& ask, ClientId client) {
    return host.answer(ask.order(client));
  });
  Archive a = Archive::reader(cutter.rest(), Precision::f64);
  run->load(a);
  a.expect_end();
}

}  // namespace coterie::fuzz
