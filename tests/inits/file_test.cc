#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "data/formats/safetensors.h"
#include "support/temp_folder.h"
#include "support/tiny_federation.h"

namespace coterie::file_test {
namespace {

const std::vector<Layer> kLayers = {{.name = "weight", .shape = {1, 2}, .inputs_first = true},
                                    {.name = "bias", .offset = 2, .shape = {1}}};

void write(const std::string& file, const Vec& parameters, const std::vector<Layer>& layers = kLayers) {
  write_safetensors(file, layers, parameters, Precision::f64, {});
}

// The start of a method with so many models of two features and an intercept.
std::vector<Vec> made(const std::string& path, std::size_t clusters) {
  TinyRun::Choices choices;
  choices.algorithm = "ifca";
  choices.clusters = clusters;
  choices.model_toml = "intercept = true";
  TinyRun run({{{{1, 1}}, {1}, 0}}, choices);
  return make_plugin<Init>("file", path.empty() ? "" : "path = \"" + path + "\"")
      ->make({*run.fleet, *run.setting, *run.algorithm, nullptr})
      .models;
}

std::string refusal(const std::string& path, std::size_t clusters) {
  try {
    made(path, clusters);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(File, ReadsTheModelsOfARunInOrderOfTheirClusters) {
  TempFolder folder;
  std::filesystem::create_directories(folder.file("run/models"));
  for (int k = 0; k < 11; ++k) {
    write(folder.file("run/models/cluster-" + std::to_string(k) + ".safetensors"), {1.0 * k, 2, 0.5});
  }
  auto models = made(folder.file("run"), 11);
  EXPECT_EQ(models, made(folder.file("run/models"), 11)) << "the folder itself does as well";
  for (int k = 0; k < 11; ++k) EXPECT_EQ(models[k], (Vec{1.0 * k, 2, 0.5})) << "2 comes before 10";
}

TEST(File, ReadsASingleFile) {
  TempFolder folder;
  write(folder.file("m.safetensors"), {1, 2, 3});
  EXPECT_EQ(made(folder.file("m.safetensors"), 1), (std::vector<Vec>{{1, 2, 3}}));
}

TEST(File, SaysWhatIsMissing) {
  TempFolder folder;
  EXPECT_NE(refusal("", 1).find("clusters.file.path"), std::string::npos);
  EXPECT_NE(refusal(folder.file("nowhere"), 1).find("no model"), std::string::npos);
  EXPECT_NE(refusal(folder.path(), 1).find("no model"), std::string::npos);
  write(folder.file("m.safetensors"), {1, 2, 3});
  EXPECT_NE(refusal(folder.path(), 2).find("holds 1 model, but the method starts from 2"), std::string::npos);
}

TEST(File, SaysWhatDoesNotFit) {
  TempFolder folder;
  std::string file = folder.file("m.safetensors");
  write(file, {1, 2}, {kLayers[0]});
  EXPECT_NE(refusal(file, 1).find("no tensor called \"bias\""), std::string::npos) << refusal(file, 1);
  write(file, {1, 2, 3, 4},
        {{.name = "weight", .shape = {1, 3}}, {.name = "bias", .offset = 3, .shape = {1}}});
  EXPECT_NE(refusal(file, 1).find("1 x 3, but [model] has 1 x 2"), std::string::npos) << refusal(file, 1);
  write(file, {1, 2, 3, 4}, {kLayers[0], kLayers[1], {.name = "more", .offset = 3, .shape = {1}}});
  EXPECT_NE(refusal(file, 1).find("3 tensors"), std::string::npos) << refusal(file, 1);
  write(file, {1, std::nan(""), 3});
  EXPECT_NE(refusal(file, 1).find("not finite"), std::string::npos) << refusal(file, 1);
  std::ofstream(file) << "rubbish";
  EXPECT_NE(refusal(file, 1).find("not a safetensors file"), std::string::npos) << refusal(file, 1);
}

}  // namespace
}  // namespace coterie::file_test
