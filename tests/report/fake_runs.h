// Run folders made up for tests, as the engine would write them.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace coterie {

// A folder that is removed with its content at the end of a test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "coterie-report-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline nlohmann::json classification_summary(const std::string& algorithm, std::uint64_t seed,
                                             double accuracy) {
  return {{"algorithm", algorithm},
          {"name", "rotated digits"},
          {"dataset", "digits"},
          {"model", "mlp"},
          {"seed", seed},
          {"rounds", 60},
          {"clusters", 2},
          {"clients", 6},
          {"accuracy", {{"mean", accuracy}, {"std", 0.021}, {"min", 0.805}}},
          {"loss", 0.1823},
          {"test_accuracy", 0.9},
          {"test_loss", 0.25},
          {"ari", 1.0},
          {"nmi", 1.0},
          {"cluster_accuracy", 1.0},
          {"worst_cluster", 0.93},
          {"parameter_error", nullptr},
          {"bytes_up", 12200000},
          {"bytes_down", 48800000},
          {"bytes_eval", 1000},
          {"bytes_overhead", 2000},
          {"seconds", 3.2},
          {"seconds_per_round", 0.05},
          {"threads", 2},
          {"peak_rss_bytes", 34000000}};
}

inline std::string config_text(const std::string& algorithm, std::uint64_t seed,
                               const std::string& rate = "0.1") {
  return "name = \"rotated digits\"\nseed = " + std::to_string(seed) +
         "\n\n[data]\nsource = \"digits\"\nseed = " + std::to_string(seed) +
         "\n\n[[shift]]\nkind = \"rotate\"\nangles = [0, 90]\n\n[algorithm]\nkind = \"" + algorithm +
         "\"\n\n[algorithm." + algorithm + "]\nown = true\n\n[local]\nrate = " + rate + "\n";
}

// Six training clients, found cluster 1 = "rotate 0", found cluster 0 = "rotate 90", one of them wrong; two
// shared test sets.
inline const char* kClientsCsv =
    "id,role,samples,truth,truth_name,cluster,weight,loss,accuracy\n"
    "0,train,10,0,rotate 0,1,1,0.1,0.9\n"
    "1,train,30,0,rotate 0,1,1,0.2,0.8\n"
    "2,train,10,0,rotate 0,1,1,0.1,0.95\n"
    "3,train,10,1,\"rotate 90, \"\"right\"\"\",0,0.75,0.3,0.7\n"
    "4,train,20,1,\"rotate 90, \"\"right\"\"\",0,1,0.3,0.85\n"
    "5,train,10,1,\"rotate 90, \"\"right\"\"\",1,1,0.9,0.2\n"
    "6,test,100,0,rotate 0,1,1,0.2,0.875\n"
    "7,test,100,1,\"rotate 90, \"\"right\"\"\",0,1,0.2,0.825\n";

inline const char* kRounds =
    R"({"round":1,"phase":"init","bytes_up":10,"bytes_down":20}
{"round":1,"phase":"train","loss":1.5,"accuracy":0.5,"test_accuracy":0.45,"ari":0.0,"cluster_accuracy":0.5,"parameter_error":null,"sizes":[3,3,0],"clusters_found":2,"churn":null,"bytes_up":100}
{"round":2,"phase":"train","bytes_up":200}
{"round":3,"phase":"train","loss":0.5,"accuracy":0.75,"test_accuracy":0.7,"ari":0.25,"cluster_accuracy":0.8333,"parameter_error":null,"sizes":[2,4,0],"clusters_found":2,"churn":0.1,"bytes_up":300}
)";

inline const char* kEvents =
    R"({"round":2,"kind":"rejected","client":4,"text":"left out client 4: <b>10</b> values are not finite"}
{"round":3,"kind":"split","client":null,"text":"cluster 0 was split","norm":0.25}
)";

// What summary.json has of one metric.
inline nlohmann::json metric_json(double mean, double worst, unsigned client, nlohmann::json test = nullptr) {
  return {{"mean", mean}, {"worst", {{"value", worst}, {"client", client}}}, {"test", std::move(test)}};
}

// A complete run folder.
inline void write_run(const std::string& folder, const nlohmann::json& summary, const std::string& config) {
  write_file(folder + "/summary.json", summary.dump(2));
  write_file(folder + "/config.toml", config);
  write_file(folder + "/rounds.jsonl", kRounds);
  write_file(folder + "/clients.csv", kClientsCsv);
  write_file(folder + "/events.jsonl", kEvents);
}
inline void write_run(const std::string& folder, const std::string& algorithm = "ifca",
                      std::uint64_t seed = 1, double accuracy = 0.9531, const std::string& rate = "0.1") {
  write_run(folder, classification_summary(algorithm, seed, accuracy), config_text(algorithm, seed, rate));
}

// A run on a table: four wards with names that markup would take, in clusters 0 and 1, with what a run writes
// for its page besides.
inline void write_ward_run(const std::string& folder, const std::string& algorithm = "ifca",
                           std::uint64_t seed = 1) {
  write_run(folder, algorithm, seed);
  write_file(folder + "/rounds.jsonl",
             R"({"round":1,"phase":"train","loss":1.5,"accuracy":0.5,"sizes":[2,2]})"
             "\n"
             R"({"round":2,"phase":"train","loss":1.2,"accuracy":0.6,"sizes":[2,2]})");
  write_file(folder + "/clients.csv",
             "id,name,role,samples,truth,truth_name,cluster,weight,loss,accuracy,labels\n"
             "0,<script>,train,10,0,all,0,1,0.5,0.9,8 2\n"
             "1,\"O'Hara, \"\"x\"\"\",train,10,0,all,1,1,0.4,0.8,1 9\n"
             "2,北京,train,20,0,all,0,1,0.2,0.7,17 3\n"
             "3,\"two\nlines\",train,10,0,all,1,1,0.6,0.6,2 8\n");
  write_file(folder + "/losses.csv",
             "id,name,samples,cluster_0,cluster_1\n0,<script>,5,0.5,1\n1,\"O'Hara, \"\"x\"\"\",5,2,0.4\n"
             "2,北京,5,0.2,3\n3,\"two\nlines\",5,0.9,0.6\n");
  write_file(folder + "/schema.json",
             R"({"model":"softmax","features":[{"column":"age","mean":50,"deviation":10},)"
             R"({"column":"sex","value":"m"},{"column":"sex","value":null}],)"
             R"("target":{"column":"ill","classes":["no","yes"]}})");
  write_file(folder + "/means.csv",
             "column,value,mean,deviation,mean_0,deviation_0,mean_1,deviation_1\n"
             "age,,50,10,49,10,52,10\nsex,m,0.5,0.5,0.2,0.4,0.95,0.2\nsex,,0.1,0.3,0.1,0.3,0.1,0.3\n");
  write_file(folder + "/events.jsonl",
             R"({"round":4,"kind":"split","text":"cluster 0 splits","cluster":0,"norm":0.25,"stay":2,"go":2,)"
             R"("part":1,"clusters":2,"clients":[1,3]})");
}

}  // namespace coterie
