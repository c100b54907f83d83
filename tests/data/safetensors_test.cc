#include "data/formats/safetensors.h"

#include <gtest/gtest.h>

#include <fstream>

#include "data/temp_folder.h"

namespace coterie::safetensors_test {
namespace {

TEST(Safetensors, RoundTripsLayerByLayer) {
  TempFolder folder;
  std::vector<Layer> layers = {{"layer1.weight", 0, 2, 3}, {"layer1.bias", 6, 1, 3}};
  Vec parameters = {1, 2, 3, 4, 5, 6, 0.1, 0.2, 0.3};
  for (Precision p : {Precision::f32, Precision::f64}) {
    write_safetensors((folder.path() / "m").string(), layers, parameters, p, {{"cluster", "0"}});
    auto tensors = read_safetensors((folder.path() / "m").string());
    ASSERT_EQ(tensors.size(), 2u);
    EXPECT_EQ(tensors[0].name, "layer1.weight");
    EXPECT_EQ(tensors[0].rows, 2u);
    EXPECT_EQ(tensors[0].columns, 3u);
    EXPECT_EQ(tensors[0].values, (Vec{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(tensors[1].values[0], p == Precision::f32 ? static_cast<double>(0.1f) : 0.1);
  }
}

TEST(Safetensors, RefusesWhatIsNotOne) {
  TempFolder folder;
  EXPECT_THROW(read_safetensors((folder.path() / "absent").string()), Error);
  auto refuses = [&](const std::string& bytes) {
    std::ofstream((folder.path() / "x").string(), std::ios::binary) << bytes;
    EXPECT_THROW(read_safetensors((folder.path() / "x").string()), Error) << bytes;
  };
  auto with_header = [](const std::string& json, const std::string& data = "") {
    std::uint64_t length = json.size();
    return std::string(reinterpret_cast<const char*>(&length), 8) + json + data;
  };
  refuses("");
  refuses("1234567");
  refuses(std::string(8, '\xff') + "{}");
  refuses(with_header("not json"));
  refuses(with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234"));
  refuses(with_header(R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}})", "12"));
  refuses(with_header(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "12345678"));
  refuses(with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "12345678"));
}

}  // namespace
}  // namespace coterie::safetensors_test
