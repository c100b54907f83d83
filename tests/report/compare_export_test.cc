#include "report/compare_export.h"

#include <gtest/gtest.h>

#include "report/fake_runs.h"
#include "report/markup.h"

namespace coterie::compare_export_test {
namespace {

std::vector<RunRecord> three_runs(const TemporaryFolder& folder) {
  write_run(folder / "a", "ifca", 1, 0.95);
  write_run(folder / "b", "ifca", 2, 0.97);
  write_run(folder / "c", "fedavg", 1, 0.8);
  return {read_run(folder / "a"), read_run(folder / "b"), read_run(folder / "c")};
}

TEST(CompareExport, CsvHasFullNumbers) {
  TemporaryFolder folder;
  const std::vector<RunRecord> runs = three_runs(folder);
  const std::string csv = comparison_csv(runs, compare(runs));
  EXPECT_TRUE(csv.starts_with("algorithm,runs,diverged,accuracy_mean,accuracy_sd,accuracy_std_mean,")) << csv;
  EXPECT_TRUE(has(csv, "\nifca,2,0,0.96,0.01414213562373")) << csv;
  EXPECT_TRUE(has(csv, "\nfedavg,1,0,0.8,,")) << csv;
}

TEST(CompareExport, LatexIsEscapedWithTheBestInBold) {
  TemporaryFolder folder;
  const std::vector<RunRecord> runs = three_runs(folder);
  const std::string tex = comparison_latex(compare(runs));
  EXPECT_TRUE(has(tex, "\\toprule\nalgorithm & runs & accuracy \\% &")) << tex;
  EXPECT_TRUE(has(tex, "\\textbf{96.00 $\\pm$ 1.41}")) << tex;
  EXPECT_TRUE(has(tex, "\\bottomrule\n\\end{tabular}\n"));
  EXPECT_EQ(escape_latex("a_b\\{50%} ~x^2 – ±"),
            "a\\_b\\textbackslash{}\\{50\\%\\} \\textasciitilde{}x\\textasciicircum{}2 -- $\\pm$");
}

TEST(CompareExport, EachChartIsAFile) {
  TemporaryFolder folder;
  const std::vector<RunRecord> runs = three_runs(folder);
  const std::vector<std::string> files = write_charts(runs, compare(runs), folder / "charts");
  ASSERT_EQ(files.size(), 2u);  // accuracy and agreement
  EXPECT_EQ(files[0], folder / "charts/accuracy.svg");
  EXPECT_TRUE(has(file_text(files[0]), ">fedavg (covers ifca)</text>"));
}

}  // namespace
}  // namespace coterie::compare_export_test
