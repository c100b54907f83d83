// What holds for every registered algorithm: its finished runs can be used from their folders.
#include <gtest/gtest.h>

#include <cmath>

#include "base/option_readers.h"
#include "data/formats/sheet.h"
#include "run/session.h"
#include "support/table_run.h"
#include "use/new_table.h"
#include "use/use.h"

namespace coterie::use_contract_test {
namespace {

class UseContract : public testing::TestWithParam<std::string> {};

// Minima take many steps, which promise no more than a few do.
std::string few_iterations(const std::string& algorithm) {
  OptionLister lister;
  Registry<Algorithm>::instance().make(algorithm)->options(lister);
  for (const OptionDoc& doc : lister.docs) {
    if (doc.name == "iterations") return "[algorithm." + algorithm + "]\niterations = 50\n";
  }
  return "";
}

// A finished run, and the same data as clients have it.
struct Used {
  explicit Used(const std::string& algorithm, const std::string& standardise = "clients")
      : run(scaled_by(standardise, TableRun::config(algorithm, few_iterations(algorithm)))),
        config(read(run.config_text())),
        session(config, run.folder(), 1, ""),
        finished(run.run()),
        table(run.data(), finished, std::nullopt) {}

  static std::string scaled_by(const std::string& standardise, std::string text) {
    return text.insert(text.find("target"), "standardise = \"" + standardise + "\"\n");
  }
  static Config read(const std::string& text) {
    Problems problems;
    Config config = read_config(parse_toml(text, "test"), "test", problems);
    problems.raise_if_any();
    return config;
  }
  // The rows of the table that are a client's part: no two rows have the same first feature.
  std::vector<std::size_t> rows_of(ClientId client, Part part) {
    std::vector<std::size_t> found;
    const auto samples = session.federation().samples(client, part, 1);
    const auto whole = table.samples(client, Part::test, 1);
    std::vector<float> one(samples->shape.width), other(samples->shape.width);
    for (std::size_t i = 0; i < samples->size(); ++i) {
      samples->copy_row(i, std::span(one));
      for (std::size_t j = 0; j < whole->size(); ++j) {
        whole->copy_row(j, std::span(other));
        if (std::abs(one[0] - other[0]) < 1e-6) found.push_back(table.clients()[client].rows[j]);
      }
    }
    EXPECT_EQ(found.size(), samples->size());
    return found;
  }

  TableRun run;
  Config config;
  Session session;
  FinishedRun finished;
  NewTable table;
};

double number(const Sheet& sheet, std::size_t row, const std::string& column) {
  return to_number(sheet.cell(row, sheet.column(column))).value_or(std::nan(""));
}

void expect_predictions_as_in_the_run(Used& used) {
  const Sheet told = Sheet::read(used.run.run() + "/clients.csv", ',');
  const Sheet predicted(predict_rows({used.run.run(), used.run.data()}).table, "predictions", ',');
  const Sheet rows = Sheet::read(used.run.data(), ',');
  ASSERT_EQ(predicted.rows(), rows.rows());
  std::size_t checked = 0;
  for (ClientId i = 0; i < used.session.federation().training(); ++i) {
    ASSERT_EQ(used.table.clients()[i].name, used.session.federation().name(i));
    double right = 0, loss = 0;
    const std::vector<std::size_t> held_out = used.rows_of(i, Part::test);
    ASSERT_FALSE(held_out.empty());
    for (const std::size_t row : held_out) {
      const std::string label(rows.cell(row, rows.column("y")));
      EXPECT_EQ(predicted.cell(row, predicted.column("how")), "known");
      right += predicted.cell(row, predicted.column("prediction")) == label ? 1 : 0;
      loss -= std::log(number(predicted, row, "p_" + label));
      EXPECT_NEAR(number(predicted, row, "p_yes") + number(predicted, row, "p_no"), 1, 1e-6);
    }
    const auto count = static_cast<double>(held_out.size());
    ASSERT_EQ(number(told, i, "id"), i);
    EXPECT_NEAR(right / count, number(told, i, "accuracy"), 1e-6);
    EXPECT_NEAR(loss / count, number(told, i, "loss"), 1e-6 * std::max(1.0, loss / count));
    EXPECT_EQ(number(predicted, held_out[0], "cluster"), number(told, i, "cluster"));
    ++checked;
  }
  EXPECT_EQ(checked, static_cast<std::size_t>(TableRun::kClients));
}

TEST_P(UseContract, KnownClientsArePredictedAsInTheRun) {
  Used used(GetParam());
  expect_predictions_as_in_the_run(used);
}

TEST_P(UseContract, KnownClientsAreScaledAsInTheRun) {
  Used used(GetParam(), "each");
  expect_predictions_as_in_the_run(used);
}

// Rows of the training part under new names: who settles on them must be put where training put it.
void expect_assigned_where_they_settle(Used& used) {
  const Sheet rows = Sheet::read(used.run.data(), ',');
  std::string text = "y,x1,x0,extra,who,colour\n";  // in another order, and with a column more
  for (ClientId i = 0; i < used.session.federation().training(); ++i) {
    for (const std::size_t row : used.rows_of(i, Part::train)) {
      const auto cell = [&](const char* column) { return rows.cell(row, rows.column(column)); };
      text += fmt::format("{},{},{},7,new {},{}\n", cell("y"), cell("x1"), cell("x0"), i, cell("colour"));
    }
  }
  const std::string data = used.run.write(text);
  if (used.finished.clusters() == 0) {
    EXPECT_TRUE(used.finished.method().personal());
    EXPECT_THROW(assign_clients({used.run.run(), data}), BadConfig);
    EXPECT_THROW(predict_rows({used.run.run(), data}), BadConfig);
    return;
  }
  const Sheet assigned(assign_clients({used.run.run(), data}).table, "assigned", ',');
  const Engine engine = used.finished.program().engine(used.session.federation());
  ASSERT_EQ(assigned.rows(), static_cast<std::size_t>(TableRun::kClients));
  for (ClientId i = 0; i < assigned.rows(); ++i) {
    ClientView view(engine, i, {Purpose::evaluate, 1, 0}, {});
    const Vec weights = used.finished.settle(view);
    const auto cluster = std::max_element(weights.begin(), weights.end()) - weights.begin();
    EXPECT_EQ(number(assigned, i, "cluster"), cluster);
    double sum = 0;
    for (std::size_t k = 0; k < used.finished.clusters(); ++k) {
      sum += number(assigned, i, fmt::format("weight_{}", k));
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_EQ(number(assigned, i, "confidence"), number(assigned, i, fmt::format("weight_{}", cluster)));
    EXPECT_EQ(assigned.cell(i, assigned.column("how")), "settled");
  }
  const Sheet predicted(predict_rows({used.run.run(), data}).table, "predictions", ',');
  EXPECT_EQ(predicted.cell(0, predicted.column("how")), "settled");
  EXPECT_EQ(number(predicted, 0, "cluster"), number(assigned, 0, "cluster"));
}

TEST_P(UseContract, NewClientsAreAssignedWhereTheySettle) {
  Used used(GetParam());
  expect_assigned_where_they_settle(used);
}

TEST_P(UseContract, NewClientsAreScaledByTheirOwnRows) {
  Used used(GetParam(), "each");
  expect_assigned_where_they_settle(used);
}

TEST_P(UseContract, WithoutTargetsClientsAreUnsettled) {
  Used used(GetParam());
  if (used.finished.clusters() == 0) {
    EXPECT_TRUE(used.finished.method().personal());
    return;
  }
  const std::string data = used.run.write("who,x0,x1,colour\nnew,10,0,red\nnew,11,0,blue\n");
  const UseResult assigned = assign_clients({used.run.run(), data});
  const Sheet sheet(assigned.table, "assigned", ',');
  EXPECT_EQ(sheet.cell(0, sheet.column("how")), "unsettled");
  ASSERT_EQ(assigned.notes.size(), 1u);
  EXPECT_NE(assigned.notes[0].find("unsettled"), std::string::npos);
  const Vec sizes = used.finished.by_size();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    EXPECT_DOUBLE_EQ(number(sheet, 0, fmt::format("weight_{}", k)), sizes[k]);
  }
  const Sheet predicted(predict_rows({used.run.run(), data}).table, "predictions", ',');
  ASSERT_EQ(predicted.rows(), 2u);
  EXPECT_EQ(predicted.cell(1, predicted.column("how")), "unsettled");
  EXPECT_NEAR(number(predicted, 1, "p_yes") + number(predicted, 1, "p_no"), 1, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(All, UseContract, testing::ValuesIn(Registry<Algorithm>::instance().names()),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

}  // namespace
}  // namespace coterie::use_contract_test
