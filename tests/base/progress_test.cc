#include "base/progress.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "base/text.h"

namespace coterie::progress_test {
namespace {

// A progress display with a clock that is set by hand.
struct Scene {
  explicit Scene(Progress::Style style) : progress(out, style, "round", [this] { return now; }) {}

  // What was written since the last call.
  std::string fresh() {
    std::string text = out.str();
    out.str("");
    return text;
  }

  double now = 100;
  std::ostringstream out;
  Progress progress;
};

Progress::Style terminal(bool unicode = false, int columns = 100) { return {false, true, unicode, columns}; }

TEST(Progress, DrawsABarOverAndOver) {
  Scene scene(terminal());
  scene.progress.show(0, 4, "starts");
  EXPECT_EQ(scene.fresh(), "\r[........................] round 0/4  0 ms  starts\x1b[K");
  scene.now = 110;
  scene.progress.show(1, 4, "accuracy 0.93");
  EXPECT_EQ(scene.fresh(),
            "\r[######..................] round 1/4  10.0 s, 30.0 s left  accuracy 0.93\x1b[K");
  scene.now = 120;
  scene.progress.show(4, 4, "accuracy 0.95");
  EXPECT_EQ(scene.fresh(), "\r[########################] round 4/4  20.0 s  accuracy 0.95\x1b[K");
  scene.progress.finish();
  EXPECT_EQ(scene.fresh(), "\n");
  scene.progress.finish();
  EXPECT_EQ(scene.fresh(), "");
}

TEST(Progress, RedrawsAtMostTenTimesASecond) {
  Scene scene(terminal());
  scene.progress.show(0, 1000, "");
  int drawn = 0;
  for (int i = 1; i <= 1000; ++i) {
    scene.now += 0.001;
    scene.fresh();
    scene.progress.show(i, 1000, "");
    drawn += !scene.out.str().empty();
  }
  EXPECT_GE(drawn, 8);
  EXPECT_LE(drawn, 10);
}

TEST(Progress, DrawsTheLastStateAtTheEnd) {
  Scene scene(terminal());
  scene.progress.show(1, 2, "early");
  scene.progress.show(2, 2, "late");
  scene.fresh();
  scene.progress.finish();
  std::string last = scene.fresh();
  EXPECT_NE(last.find("round 2/2"), std::string::npos) << last;
  EXPECT_NE(last.find("late"), std::string::npos) << last;
  EXPECT_EQ(last.back(), '\n');
}

TEST(Progress, UsesBlocksWhenTheLocaleHasThem) {
  Scene scene(terminal(true));
  scene.progress.show(1, 48, "");
  std::string text = scene.fresh();
  EXPECT_EQ(text.find("\r▕▌                       ▏ round 1/48"), 0u) << text;
  scene.now += 1;
  scene.progress.show(48, 48, "");
  text = scene.fresh();
  EXPECT_EQ(text.find("\r▕████████████████████████▏ round 48/48"), 0u) << text;
}

TEST(Progress, FitsTheTerminal) {
  Scene scene(terminal(false, 50));
  scene.progress.show(1, 2, std::string(200, 'x'));
  std::string text = scene.fresh();
  EXPECT_EQ(text.size(), 1 + 49 + 3u) << text;  // carriage return, 49 columns, erase to the end of the line
}

TEST(Progress, EstimatesFromWhatThisProgramDid) {
  Scene scene(terminal());
  scene.progress.show(50, 100, "resumed");
  scene.now += 10;
  scene.progress.show(60, 100, "");
  std::string text = scene.fresh();
  EXPECT_NE(text.find("10.0 s, 40.0 s left"), std::string::npos) << text;
}

TEST(Progress, PutsWarningsAboveTheBar) {
  Scene scene(terminal());
  scene.progress.say("before");
  EXPECT_EQ(scene.fresh(), "before\n");
  scene.progress.show(1, 2, "");
  std::string bar = scene.fresh();
  scene.progress.say("warning: something");
  EXPECT_EQ(scene.fresh(), "\r\x1b[Kwarning: something\n" + bar);
}

TEST(Progress, WritesALineForEveryTenthOtherwise) {
  Scene scene(Progress::Style{});
  for (int i = 0; i <= 200; ++i) {
    scene.now = 100 + i;
    scene.progress.show(i, 200, "accuracy 0.5");
  }
  scene.progress.finish();
  std::vector<std::string> lines = split(scene.fresh(), '\n');
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_EQ(lines[0], "round 20/200  20.0 s  accuracy 0.5");
  EXPECT_EQ(lines[9], "round 200/200  3 min 20 s  accuracy 0.5");
  EXPECT_EQ(lines[10], "");
}

TEST(Progress, WritesEveryStepOfAShortRun) {
  Scene scene(Progress::Style{});
  for (int i = 1; i <= 3; ++i) scene.progress.show(i, 3, "");
  EXPECT_EQ(split(scene.fresh(), '\n').size(), 4u);
}

TEST(Progress, IsSilentWhenQuiet) {
  for (bool on_terminal : {false, true}) {
    Scene scene({true, on_terminal, false, 80});
    scene.progress.show(0, 2, "");
    scene.progress.say("a warning");
    scene.progress.show(2, 2, "");
    scene.progress.finish();
    EXPECT_EQ(scene.fresh(), "");
  }
}

TEST(Progress, EndsItsLineWhenItGoes) {
  std::ostringstream out;
  {
    Progress progress(out, terminal(), "round");
    progress.show(1, 2, "");
  }
  EXPECT_EQ(out.str().back(), '\n');
}

TEST(Progress, SaysNothingThatIsLongerThanAScreen) {
  Scene scene({false, false, false, 100});
  scene.progress.say("note: " + std::string(100000, 'x'));
  EXPECT_LT(scene.fresh().size(), 1010u);
}

}  // namespace
}  // namespace coterie::progress_test
