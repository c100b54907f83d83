// Writes the inputs that fuzzing begins with, mostly by what the engine itself writes: make_corpus FOLDER
// makes FOLDER/TARGET/... for every target. What is there under other names stays.
#include <filesystem>
#include <fstream>
#include <set>

#include "coterie/registry.h"
#include "data/formats/picture.h"
#include "data/formats/safetensors.h"
#include "data/npz_bytes.h"
#include "fleet/introduction.h"
#include "fleet/state_store.h"
#include "fuzz/small_world.h"
#include "support/temp_folder.h"

namespace coterie::fuzz {
namespace {

void write_input(const std::filesystem::path& file, const std::string& head, const Bytes& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << head;
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void add_part(Bytes& to, unsigned what, std::span<const std::byte> part) {
  for (const std::size_t byte : {std::size_t{what}, part.size() % 256, part.size() / 256}) {
    to.push_back(static_cast<std::byte>(byte));
  }
  to.insert(to.end(), part.begin(), part.end());
}

// Follows client 0 through a run.
void record(const std::filesystem::path& folder, const std::string& algorithm) {
  std::set<std::string> jobs;
  int asks = 0;
  WiredRun run(algorithm, [&](ClientHost& host, WireAsk& ask, ClientId client) {
    OrderMessage order = open_order(ask.order(client), Precision::f32);
    const Bytes state = host.state(client, order.header.version);
    Bytes answer = host.answer(ask.order(client));
    if (client != 0) return answer;
    const std::string name = algorithm + "-" + order.header.job;
    if (jobs.insert(order.header.job + (state.empty() ? "" : "-again")).second) {
      Bytes parts;
      for (const SealedItem& item : ask.items()) {
        if (item.name != 0) add_part(parts, 0, item.bytes);
      }
      if (!state.empty()) add_part(parts, 1, state);
      order.header.version = state.empty() ? 0 : 1;
      order.header.next = order.header.next == 0 ? 0 : 2;
      add_part(parts, 2, encode(order, Precision::f32));
      write_input(folder / "orders" / (name + (state.empty() ? "" : "-again")), algorithm + "\n", parts);
    }
    if (asks < 10) {
      const ReplyMessage reply = open_reply(answer, Precision::f32);
      const std::string number = std::to_string(asks);
      write_input(folder / "replies" / (name + "-" + number), algorithm + " " + number + "\n", reply.reply);
    }
    ++asks;
    return answer;
  });
  run->start();
  for (std::uint32_t t = 1; t <= 2; ++t) run->round(t);
  Archive a = Archive::writer(Precision::f64);
  run->save(a);
  write_input(folder / "checkpoints" / algorithm, algorithm + "\n", a.take());
  run->evaluate(2, true);
  run->deliver();
}

Bytes bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

// Numbers of an idx file's header, and so many bytes after them.
std::string idx_file(std::initializer_list<unsigned> header, std::size_t bytes) {
  std::string file;
  for (const unsigned number : header) {
    for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(number >> shift & 255);
  }
  for (std::size_t i = 0; i < bytes; ++i) file += static_cast<char>(i % 2);
  return file;
}

void write_images(const std::filesystem::path& folder) {
  const std::string images = idx_file({0x803, 4, 2, 2}, 16), labels = idx_file({0x801, 4}, 4);
  const auto write = [&](const char* name, char choices, const std::string& writers) {
    Bytes parts(1, static_cast<std::byte>(choices));
    for (const std::string& file : {images, labels}) {
      parts.push_back(static_cast<std::byte>(file.size()));
      parts.push_back(std::byte{0});
      const Bytes bytes = bytes_of(file);
      parts.insert(parts.end(), bytes.begin(), bytes.end());
    }
    const std::string head(reinterpret_cast<const char*>(parts.data()), parts.size());
    write_input(folder / "idx" / name, head, bytes_of(writers));
  };
  write("plain", 0, "");
  write("small-centred", 1 + 2 + 4 + 8, "");
  write("writers-csv", 16, "writer,start,count\nanna,0,3\nbert,3,1\n");
  std::string qmnist = idx_file({0xC02, 4, 8}, 0);
  for (unsigned i = 0; i < 4; ++i) qmnist += idx_file({i % 2, 1, 7 + i, 0, 0, 0, 0, 0}, 0);
  write("writers-idx", 32, qmnist);
  for (const char choices : {0, 7}) {
    write_input(folder / "cifar" / ("one-" + std::to_string(choices)), std::string(1, choices),
                Bytes(1 + 3 * 32 * 32));
  }
}

void write_pictures(const std::filesystem::path& folder) {
  for (const std::size_t channels : {1, 3}) {
    Picture picture{9, 5, channels, {}};
    for (std::size_t i = 0; i < 45 * channels; ++i)
      picture.pixels.push_back(static_cast<std::uint8_t>(5 * i));
    const std::string name = channels == 1 ? "grey" : "colour";
    write_input(folder / "pictures" / (name + ".png"), encode_png(picture), {});
    write_input(folder / "pictures" / (name + ".jpg"), encode_jpeg(picture, 50), {});
  }
}

void write_tables(const std::filesystem::path& folder) {
  const std::string patients =
      "c,age,smokes,y\nb,30,yes,1\na,40,no,0\nb,?,yes,1\nc,50,NA,\na,\"60\",\"n\"\"o\",1\n";
  const std::string roles =
      "c,t,s,w,x,y\nb,south,train,1,1,0\na,north,val,2,2,1\nb,,test,0.5,3,1\na,north,train,0,4,0\n";
  for (const unsigned choices : {0u, 1u, 17u}) {
    write_input(folder / "csv" / ("roles-" + std::to_string(choices)),
                std::string(1, static_cast<char>(choices)), bytes_of(roles));
  }
  const std::string numbers = "x,y,z\n1e308,0.5,1\n-1e308,2,1e-320\n0.25,-1,0\n\"3\",7,1\n";
  for (const unsigned choices : {0u, 1u, 5u, 64u, 128u}) {
    write_input(folder / "csv" / ("patients-" + std::to_string(choices)),
                std::string(1, static_cast<char>(choices)), bytes_of(patients));
  }
  for (const unsigned choices : {0u, 16u, 48u, 130u, 176u}) {
    write_input(folder / "csv" / ("numbers-" + std::to_string(choices)),
                std::string(1, static_cast<char>(choices)), bytes_of(numbers));
  }
}

void write_arrays(const std::filesystem::path& folder) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"X.npy", npy_bytes("<f8", "(3, 2)", doubles({1, 2, 3, 4, 5, 0.5}))},
      {"y.npy", npy_bytes("|S3", "(3,)", "catdogcat")},
      {"client.npy", npy_bytes("|u1", "(3,)", "\x0a\x09\x0a", 2)}};
  for (const bool deflate : {false, true}) {
    write_input(folder / "npz" / (deflate ? "deflated" : "stored"), std::string(1, '\0'),
                bytes_of(zip_bytes(files, deflate)));
  }
  const std::string users =
      R"({"users": ["u", "v"], "num_samples": [2, 1], "user_data": {"u": {"x": [[1, 2.5], [3, null]], "y": [0, 1]},)"
      R"( "v": {"x": [[[5], [6]]], "y": [1]}}})";
  for (const char choices : {0, 3}) {
    write_input(folder / "leaf" / ("users-" + std::to_string(choices)), std::string(1, choices),
                bytes_of(users));
  }
}

void write_models(const std::filesystem::path& folder) {
  const std::vector<Layer> layers = {
      {.name = "layer1.weight", .shape = {3, 2}, .inputs_first = true, .key = "0.weight"},
      {.name = "layer1.bias", .offset = 6, .shape = {3}, .key = "0.bias"}};
  std::filesystem::create_directories(folder / "safetensors");
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    write_safetensors(folder / "safetensors" / (precision == Precision::f32 ? "floats" : "doubles"), layers,
                      Vec(9, 0.5), precision, {{"cluster", "1"}});
  }
}

void write_introductions(const std::filesystem::path& folder) {
  Introduction images{"anna", {Task::classification, 4, 2, 2, 2, 1}, 8, 0, 2, 77, {"3", "7"}, std::nullopt};
  Introduction table{"bert", {Task::classification, 3, 2}, 8, 1, 2, 78, {}, TableSchema()};
  table.table->target = "y";
  table.table->classes = {"no", "yes"};
  table.table->draft = true;
  table.table->features = {{.column = "size", .value = std::nullopt},
                           {.column = "colour", .value = "red"},
                           {.column = "colour", .value = ""}};
  write_input(folder / "introductions" / "images", "", encode(images, Precision::f64));
  write_input(folder / "introductions" / "table", "", encode(table, Precision::f64));
}

void write_texts(const std::filesystem::path& folder) {
  const std::string agreement = Agreement::of(*small_federation(), false).text();
  const std::string table =
      "task = \"regression\"\nwidth = 2\nclasses = 0\ntabular = true\n[table]\ntarget = \"y\"\n"
      "target_mean = 1.5\ncolumns = [\"a\", \"b\"]\nkinds = [\"number\", \"value\"]\n"
      "values = [\"\", \"yes\"]\nfills = [0.5, 0.0]\nmeans = [1.0, 0.0]\ndeviations = [2.0, 1.0]\n";
  for (const char* algorithm : {"ifca", "hcfl-plus", "odcl", "federated-clustering"}) {
    const Config config = small_config(algorithm);
    write_input(folder / "programs" / algorithm, config.text() + "\n=====\n", bytes_of(agreement));
    write_input(folder / "configs" / (std::string(algorithm) + ".toml"), "",
                bytes_of(write_toml(config.resolved())));
  }
  write_input(folder / "programs" / "table", "[model]\nkind = \"linear\"\n=====\n", bytes_of(table));
  write_input(folder / "programs" / "cut", "[model]\nkind = \"linear\"\n=====\n",
              bytes_of("folds = 5\nfold = 2\ncut_seed = 7\nfeatures = \"zeros\"\n" + table));
  const std::string config =
      "name = \"turned\"\nseed = 2\n[data]\nsource = \"digits\"\n[[shift]]\nkind = \"rotate\"\n"
      "angles = [0, 90]\n[clients]\ncount = 8\npartition = \"dirichlet\"\nalpha = 1.0\n"
      "[attack]\nkind = \"sign-flip\"\nfraction = 0.25\n[aggregate]\nkind = \"median\"\n"
      "[sweep]\nseed = [1, 2]\n\"algorithm.kind\" = [\"ifca\", \"fedavg\"]\n";
  write_input(folder / "configs" / "sweep.toml", "", bytes_of(config));
  write_input(folder / "configs" / "override.toml", "--set rounds.count=3\n", bytes_of(config));
}

void write_states(const std::filesystem::path& folder) {
  const TempFolder scratch;
  StateStore store(3, scratch.path());
  // Zeros, as in the file that the target makes: checksums must fit.
  store.put(0, Bytes(5));
  store.put(2, Bytes(8));
  Archive a = Archive::writer(Precision::f64);
  store.save(a);
  write_input(folder / "states" / "two-of-three", "", a.take());
}

}  // namespace
}  // namespace coterie::fuzz

int main(int count, char** arguments) {
  using namespace coterie::fuzz;
  if (count != 2) return 2;
  const std::filesystem::path folder(arguments[1]);
  for (const std::string& name : coterie::Registry<coterie::Algorithm>::instance().names())
    record(folder, name);
  write_images(folder);
  write_pictures(folder);
  write_tables(folder);
  write_arrays(folder);
  write_models(folder);
  write_introductions(folder);
  write_texts(folder);
  write_states(folder);
  return 0;
}
