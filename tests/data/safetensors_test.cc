#include "data/formats/safetensors.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/disk.h"
#include "base/faulty_disk.h"
#include "coterie/random.h"
#include "data/temp_folder.h"

namespace coterie::safetensors_test {
namespace {

// Two inputs, three outputs, as a native model has them: in memory inputs first.
const std::vector<Layer> kLayers = {
    {.name = "layer1.weight", .shape = {3, 2}, .inputs_first = true, .key = "0.weight"},
    {.name = "layer1.bias", .offset = 6, .shape = {3}, .key = "0.bias"}};
const Vec kParameters = {1, 2, 3, 4, 5, 6, 0.1, 0.2, 0.3};

std::string with_header(const std::string& json, const std::string& data = "") {
  std::uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + json + data;
}
std::string bytes_of(const Vec& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}
std::string F64(const std::string& name, const std::string& shape, std::size_t begin, std::size_t end) {
  return "\"" + name + R"(":{"dtype":"F64","shape":)" + shape + R"(,"data_offsets":[)" +
         std::to_string(8 * begin) + "," + std::to_string(8 * end) + "]}";
}

class Safetensors : public testing::Test {
 protected:
  Vec read(const std::string& bytes, const std::vector<Layer>& layers = kLayers) {
    std::ofstream(file_, std::ios::binary) << bytes;
    return read_safetensors(file_, layers);
  }
  TempFolder folder_;
  std::string file_ = (folder_.path() / "m").string();
};

TEST_F(Safetensors, RoundTripsLayerByLayer) {
  for (Precision p : {Precision::f32, Precision::f64}) {
    write_safetensors(file_, kLayers, kParameters, p, {{"cluster", "0"}});
    const Vec read = read_safetensors(file_, kLayers);
    ASSERT_EQ(read.size(), kParameters.size());
    EXPECT_EQ(Vec(read.begin(), read.begin() + 6), (Vec{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(read[6], p == Precision::f32 ? static_cast<double>(0.1f) : 0.1);
  }
}

TEST_F(Safetensors, HasTheNamesAndOrientationOfPyTorch) {
  write_safetensors(file_, kLayers, kParameters, Precision::f64, {{"cluster", "7"}});
  std::ifstream in(file_, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(bytes.find(R"("__metadata__":{"format":"2","cluster":"7")"), std::string::npos) << bytes;
  EXPECT_NE(bytes.find(F64("0.weight", "[3,2]", 0, 6)), std::string::npos) << bytes;
  EXPECT_NE(bytes.find(F64("0.bias", "[3]", 6, 9)), std::string::npos) << bytes;
  EXPECT_TRUE(bytes.ends_with(bytes_of({1, 4, 2, 5, 3, 6, 0.1, 0.2, 0.3})));
}

// A layout that is PyTorch's own goes through as it is: a convolution, and buffers.
TEST_F(Safetensors, KeepsShapesOfAnyNumberOfDimensions) {
  const std::vector<Layer> layers = {
      {.name = "conv.weight", .shape = {2, 1, 2, 2}},
      {.name = "norm.running_mean", .offset = 8, .shape = {2}, .buffer = true}};
  const Vec all = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  write_safetensors(file_, layers, all, Precision::f64, {});
  EXPECT_EQ(read_safetensors(file_, layers), all);
  std::ifstream in(file_, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(bytes.find("[2,1,2,2]"), std::string::npos);
  EXPECT_TRUE(bytes.ends_with(bytes_of(all)));
}

// Before there was a format number, matrices had inputs first and biases two dimensions.
TEST_F(Safetensors, ReadsOlderFilesWithInputsFirst) {
  const std::string numbers = bytes_of(kParameters);
  EXPECT_EQ(read(with_header(
                "{" + F64("layer1.weight", "[2,3]", 0, 6) + "," + F64("layer1.bias", "[1,3]", 6, 9) + "}",
                numbers)),
            kParameters);
}

TEST_F(Safetensors, ASquareLayerIsReadByItsFormat) {
  const std::vector<Layer> square = {{.name = "weight", .shape = {2, 2}, .inputs_first = true}};
  const std::string tensor = F64("weight", "[2,2]", 0, 4), numbers = bytes_of({1, 2, 3, 4});
  EXPECT_EQ(read(with_header("{" + tensor + "}", numbers), square), (Vec{1, 2, 3, 4}));
  for (const std::string format : {"2", "pt"}) {
    EXPECT_EQ(
        read(with_header(R"({"__metadata__":{"format":")" + format + "\"}," + tensor + "}", numbers), square),
        (Vec{1, 3, 2, 4}));
  }
  EXPECT_THROW(read(with_header(R"({"__metadata__":{"format":"3"},)" + tensor + "}", numbers), square),
               Error);
}

// A file that PyTorch's own tools wrote without metadata has biases of one dimension: not an older file of
// ours.
TEST_F(Safetensors, RefusesWhatMayBeTransposed) {
  const std::vector<Layer> layers = {{.name = "weight", .shape = {2, 2}, .inputs_first = true},
                                     {.name = "bias", .offset = 4, .shape = {2}}};
  const std::string header = "{" + F64("weight", "[2,2]", 0, 4) + "," + F64("bias", "[2]", 4, 6) + "}";
  EXPECT_THROW(read(with_header(header, bytes_of({1, 2, 3, 4, 5, 6})), layers), Error);
}

TEST_F(Safetensors, RefusesWhatIsNotOne) {
  const std::vector<Layer> layers = {{.name = "a", .shape = {2}}};
  EXPECT_THROW(read_safetensors((folder_.path() / "absent").string(), layers), Error);
  auto refuses = [&](const std::string& bytes) { EXPECT_THROW(read(bytes, layers), Error) << bytes; };
  const std::string meta = R"({"__metadata__":{"format":"2"},)";
  refuses("");
  refuses("1234567");
  refuses(std::string(8, '\xff') + "{}");
  refuses(with_header("not json"));
  refuses(with_header("[1]"));
  refuses(with_header(R"({"a":1})"));
  refuses(with_header(R"({"__metadata__":{"format":3}})"));
  EXPECT_NO_THROW(read(
      with_header(meta + R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", std::string(8, '\0')),
      layers));
  refuses(with_header(meta + R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234"));
  refuses(with_header(meta + R"("a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}})", "12"));
  refuses(with_header(meta + R"("a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", "12345678"));
  refuses(with_header(meta + R"("a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", "12345678"));
  refuses(with_header(meta + R"("a":{"dtype":"F32","shape":[2.5],"data_offsets":[0,8]}})", "12345678"));
  refuses(with_header(meta + R"("a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})", "12345678"));
  refuses(with_header(meta + R"("a":{"dtype":"F32","shape":[2,0],"data_offsets":[0,0]}})"));
  refuses(with_header(meta + R"("a":{"dtype":"F32","shape":[2,9223372036854775808],"data_offsets":[0,0]}})"));
}

// A thousand tensors that all lie in the same gigabyte would be copied a thousand times.
TEST_F(Safetensors, RefusesTensorsThatShareBytes) {
  const std::vector<Layer> layers = {{.name = "a", .shape = {2}}, {.name = "b", .offset = 2, .shape = {2}}};
  const std::string header = "{" + F64("a", "[2,1]", 0, 2) + "," + F64("b", "[2,1]", 0, 2) + "}";
  try {
    read(with_header(header, bytes_of({1, 2})), layers);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), file_ + ": \"b\" shares bytes with another");
  }
}

TEST_F(Safetensors, SaysWhatIsWrongInItsOwnWords) {
  try {
    read(with_header("{\"a\":}"));
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find("json.exception"), std::string::npos) << e.what();
  }
}

TEST_F(Safetensors, DamageIsRefusedInPlainWords) {
  write_safetensors(file_, kLayers, kParameters, Precision::f64, {{"algorithm", "ifca"}});
  const std::string whole = read_file(file_);
  Stream random(1, {Purpose::test, 0, 0, 0});
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = whole;
    const std::size_t at = random.below(bytes.size());
    if (i % 4 == 0) bytes.resize(at);
    if (i % 4 != 0) bytes[at] = static_cast<char>(random.below(256));
    if (i % 4 == 3) bytes.insert(at, "[[[[-1");
    try {
      read(bytes);
    } catch (const Error& e) {
      ++refused;
      const std::string text = e.what();
      EXPECT_EQ(text.find("exception"), std::string::npos) << text;
      EXPECT_EQ(text.find(file_), 0u) << text;
      EXPECT_LT(text.size(), 600u) << text;
    }
  }
  EXPECT_GT(refused, 800);
}

TEST_F(Safetensors, ANewFileTakesThePlaceOfTheOldOneOnlyWhenItIsWhole) {
  write_safetensors(file_, kLayers, kParameters, Precision::f64, {});
  {
    FaultyDisk disk(DiskFault::torn_write, 1);
    EXPECT_THROW(write_safetensors(file_, kLayers, Vec(9, 7.0), Precision::f64, {}), DiskStop);
  }
  EXPECT_EQ(read_safetensors(file_, kLayers), kParameters);
}

}  // namespace
}  // namespace coterie::safetensors_test
