#include "base/process.h"

#include <gtest/gtest.h>

namespace coterie::process_test {
namespace {

TEST(Process, GivesStatusAndBothOutputs) {
  ProgramResult result = run_program({"sh", "-c", "echo one; echo two >&2; exit 3"});
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.status, 3);
  EXPECT_FALSE(result.good());
  EXPECT_EQ(result.output, "one\ntwo\n");
  EXPECT_EQ(result.reason(), "two");
}

TEST(Process, WordsAreNeverACommandLine) {
  ProgramResult result = run_program({"printf", "%s", "$HOME; `id` 'x y'"});
  EXPECT_TRUE(result.good());
  EXPECT_EQ(result.output, "$HOME; `id` 'x y'");
}

TEST(Process, RunsInAFolderAndTellsAbsentProgramsFromFailures) {
  EXPECT_EQ(run_program({"pwd"}, "/usr").output, "/usr\n");
  ProgramResult absent = run_program({"no-such-program-here"});
  EXPECT_FALSE(absent.found);
  EXPECT_EQ(absent.reason(), "it is not installed");
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, 128 + 9);
}

}  // namespace
}  // namespace coterie::process_test
