// Options of [data], [clients] and [unseen].
#include <cmath>

#include "data/federation/federation.h"

namespace coterie {

void ClientsOptions::options(Options& o) {
  o("count", &count, "training clients; default: what the partition decides, else 10", between(1, 1e8));
  o("names", &names,
    "of those who may join, for coterie serve; default: the first `count` that come with a certificate");
  o("samples", &samples, "samples of each client; default: the partition shares out the whole pool",
    at_least(1));
  o.section("parts", "how each client's own samples are cut; the shares sum to 1", [this](Options& parts) {
    parts("train", &train, "share to train on; a client always has at least one such sample", above(0));
    parts("validation", &validation, "share to choose by: settings, rounds, clusters", share());
    parts("test", &test, "share to be scored on", share());
  });
  o.require(std::abs(train + validation + test - 1) < 1e-6, "parts",
            "train + validation + test must be 1; shares left out are 0.8, 0 and 0.2");
  o.choice(
      "reuse", reuse, {"never", "per-cluster"},
      "never: each row of a pool has one client; per-cluster: every true cluster deals out all rows anew");
  o.choice("deal", deal, {"balanced", "random", "in-turn", "in-blocks"},
           "balanced: groups in exactly their shares, at random places; in-turn: the same, evenly spread by "
           "id, so that the last clients are of different groups; in-blocks: the same, one group after the "
           "other; random: each client's group drawn on its own");
}

void UnseenOptions::options(Options& o) {
  o("count", &count,
    "clients that never train: they choose a model and are scored. Where clients are owners of the data, "
    "whole "
    "owners, chosen by the seed",
    between(0, 1e8));
  o("names", &names, "the owners that are unseen, by name, instead of any");
  o("samples", &samples, "samples of each; default: the test data shared out, or as training clients have",
    at_least(1));
  o.choice(
      "settle", settle, {"apart", "same"},
      "apart: choose a model on one part, be scored on the rest; same: on the very samples it is scored on");
  o("share", &share, "of the samples of an unseen client or a shared test set, the part to choose by",
    coterie::share());
  o.require(names.empty() || count == 0 || count == static_cast<std::int64_t>(names.size()), "names",
            "names another number of clients than count");
}

void DataOptions::options(Options& o) {
  o("seed", &seed, "seed of the data; default: the run's. Set apart, it gives several starts on one data set",
    at_least(0));
  o.choice("redeal", redeal, {"never", "epoch", "pytorch", "pytorch-shuffled"},
           "epoch: clients keep their distribution but train on fresh samples; what judges them stays; "
           "pytorch: the rows that PyTorch's DistributedSampler, seed 0, gives to as many ranks; "
           "pytorch-shuffled: of rows that torch.randperm, seed 0, has put into another order before");
  o("redeal_every", &redeal_every, "rounds in an epoch", at_least(1));
  o("test_share", &test_share,
    "of a pool without test data, the share held out for shared test sets; default: 0.2, or 0 with partition "
    "= \"natural\" or data.split",
    share());
  o("test_samples", &test_samples, "samples that a generator draws for each shared test set", at_least(1));
  o("cache", &cache, "gigabytes of client data kept in memory; beyond that it is made again when needed",
    at_least(0));
}

}  // namespace coterie
