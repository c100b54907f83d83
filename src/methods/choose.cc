#include "coterie/methods/choose.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "coterie/methods/first_layer.h"
#include "coterie/methods/with_real.h"
#include "data/penalty.h"
#include "math/gemv.h"
#include "math/kernels.h"
#include "math/scratch.h"

namespace coterie {
namespace {

// Rows of a rival model that are evaluated before the first decision; twice as many before the next, and so
// on.
constexpr std::size_t kFirstRows = 4;

// One client's standing: the best of the models it has seen whole. Totals are rows times the objective.
struct Standing {
  std::optional<std::uint32_t> model;
  double total = 0;

  // Whether a model whose total is `sum` (or more: a part of its rows) can no longer win.
  bool beats(double sum) const { return model && sum > total; }
  void offer(std::uint32_t k, double sum) {
    if (!std::isfinite(sum)) return;
    if (!model || sum < total || (sum == total && k < *model)) {
      model = k;
      total = sum;
    }
  }
};

// A client's evaluation of one model, as far as it has come.
struct Trial {
  std::size_t client;
  std::size_t begin = 0;  // rows done
  double sum = 0;
};

double add_up(double sum, std::span<const double> losses) {
  for (const double loss : losses) sum += loss;
  return sum;
}

template <class Real>
class Chooser {
 public:
  Chooser(std::span<ClientView> clients, std::span<const Shelf> shelves)
      : clients_(clients),
        shelves_(shelves),
        standings_(clients.size()),
        first_(clients[0].model().first_layer()) {}

  std::vector<Choice> run(std::vector<std::uint32_t> guesses) {
    const std::size_t models = shelves_[0].size();
    if (first_ != nullptr && first_->outputs() == 1) {
      std::vector<Choice> choices;
      for (std::size_t i = 0; i < clients_.size(); ++i) {
        at_once(i);
        choices.push_back(result(i));
      }
      return choices;
    }
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (guesses[i] == kNoGuess && first_ != nullptr && rows(i) > 0) guesses[i] = likely(i);
      if (shelves_[i].has(guesses[i])) whole(guesses[i], i);
    }
    for (std::uint32_t k = 0; k < models; ++k) {
      std::vector<Trial> trials;
      for (std::size_t i = 0; i < clients_.size(); ++i) {
        if (guesses[i] == k || !shelves_[i].has(k)) continue;
        if (rows(i) == 0) {
          standings_[i].offer(k, 0);
        } else {
          trials.push_back({i, 0, before_rows(k, i, rows(i))});
        }
      }
      lazily(k, std::move(trials));
    }
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < clients_.size(); ++i) choices.push_back(result(i));
    return choices;
  }

 private:
  std::size_t rows(std::size_t client) { return clients_[client].count(Part::train); }
  Batch<Real> batch(std::size_t client) { return clients_[client].template batch<Real>(Part::train); }
  std::span<const Real> model(std::uint32_t k, std::size_t client) {
    return shelves_[client][k].template as<Real>();
  }

  // What a total over so many rows begins with: the L2 term's part.
  double before_rows(std::uint32_t k, std::size_t client, std::size_t count) {
    const Model& model = clients_[client].model();
    if (model.l2() == 0 || count == 0) return 0;
    if (penalties_.size() <= k) penalties_.resize(k + 1);
    if (!penalties_[k]) penalties_[k] = penalty(model, this->model(k, client));
    return static_cast<double>(count) * *penalties_[k];
  }

  // The model that fits the first rows best.
  std::uint32_t likely(std::size_t client) {
    const std::size_t count = std::min(kFirstRows, rows(client));
    std::uint32_t best = kNoGuess;
    double least = 0;
    for (std::uint32_t k = 0; k < shelves_[client].size(); ++k) {
      if (!shelves_[client].has(k)) continue;
      const std::vector<Piece> piece{{client, 0, count}};
      const double sum = add_up(before_rows(k, client, count), losses_of(k, piece, sums_of(k, piece, count)));
      if (best == kNoGuess || sum < least) {
        best = k;
        least = sum;
      }
    }
    return best;
  }

  // Evaluates all rows of a client, whose sums stay with its view.
  void whole(std::uint32_t k, std::size_t client) {
    ClientView& view = clients_[client];
    const double base = before_rows(k, client, rows(client));
    if (first_ == nullptr) {
      Vec losses = view.losses(shelves_[client][k]);
      weigh({{client, 0, losses.size()}}, losses);
      return standings_[client].offer(k, add_up(base, losses));
    }
    const std::span<const Real> kept = view.template first_sums<Real>(shelves_[client][k]);
    const std::span<Real> sums = scratch<Real, struct ChooseSums>(kept.size());
    std::copy(kept.begin(), kept.end(), sums.begin());
    standings_[client].offer(k, add_up(base, losses_of(k, {{client, 0, rows(client)}}, sums)));
  }

  // Evaluates a few rows of each client at a time, for as long as the model can still win there.
  void lazily(std::uint32_t k, std::vector<Trial> trials) {
    if (first_ == nullptr) {
      for (const Trial& trial : trials) whole(k, trial.client);
      return;
    }
    while (!trials.empty()) {
      std::vector<Piece> pieces;
      std::size_t total = 0;
      for (const Trial& trial : trials) {
        const std::size_t step = std::max(kFirstRows, trial.begin);
        pieces.push_back({trial.client, trial.begin, std::min(step, rows(trial.client) - trial.begin)});
        total += pieces.back().count;
      }

      const std::span<double> losses = losses_of(k, pieces, sums_of(k, pieces, total));
      std::vector<Trial> left;
      std::size_t begin = 0;
      for (std::size_t t = 0; t < trials.size(); ++t) {
        Trial trial = trials[t];
        trial.sum = add_up(trial.sum, losses.subspan(begin, pieces[t].count));
        trial.begin += pieces[t].count;
        begin += pieces[t].count;
        if (trial.begin == rows(trial.client)) {
          standings_[trial.client].offer(k, trial.sum);
        } else if (!standings_[trial.client].beats(trial.sum)) {
          left.push_back(trial);
        }
      }
      trials = std::move(left);
    }
  }

  // All models in one pass over the rows: with one sum a row, reading the rows is all the work.
  void at_once(std::size_t client) {
    const Batch<Real> data = batch(client);
    const Shelf& shelf = shelves_[client];
    std::vector<std::uint32_t> sent;
    std::vector<const Real*> models;
    for (std::uint32_t k = 0; k < shelf.size(); ++k) {
      if (!shelf.has(k)) continue;
      sent.push_back(k);
      models.push_back(model(k, client).data());
    }
    const std::span<Real> sums = scratch<Real, struct ChooseAll>(sent.size() * data.rows);
    const Real* inputs = first_->first_inputs(data);
    dots(Matrix<const Real>(inputs, data.rows, first_->inputs()), models, sums.data());
    const std::span<Real> spent = scratch<Real, struct ChooseSums>(data.rows);
    const std::span<double> losses = scratch<double, struct ChooseLosses>(sent.size() * data.rows);
    for (std::size_t s = 0; s < sent.size(); ++s) {
      std::copy_n(sums.data() + s * data.rows, data.rows, spent.data());
      first_->tail_losses(first_->tail(model(sent[s], client)), spent, data.y,
                          losses.subspan(s * data.rows, data.rows));
      weigh({{client, 0, data.rows}}, losses.subspan(s * data.rows, data.rows));
    }
    std::vector<double> totals;  // side by side: no addition waits for another model's
    for (const std::uint32_t k : sent) totals.push_back(before_rows(k, client, data.rows));
    for (std::size_t j = 0; j < data.rows; ++j) {
      for (std::size_t s = 0; s < sent.size(); ++s) totals[s] += losses[s * data.rows + j];
    }
    for (std::size_t s = 0; s < sent.size(); ++s) standings_[client].offer(sent[s], totals[s]);
    const std::uint32_t best = result(client).model;
    const auto place = std::find(sent.begin(), sent.end(), best) - sent.begin();
    const Real* chosen = sums.data() + static_cast<std::size_t>(place) * data.rows;
    clients_[client].keep_first_sums(shelf[best], Room<Real>(chosen, chosen + data.rows));
  }

  Choice result(std::size_t client) {
    const Standing& standing = standings_[client];
    if (standing.model) {
      const std::size_t n = rows(client);
      const double sum = standing.total - before_rows(*standing.model, client, n);
      return {*standing.model, n > 0 ? sum / static_cast<double>(n) : 0};
    }
    // No loss is finite: the first model that was sent.
    std::uint32_t k = 0;
    while (k < shelves_[client].size() && !shelves_[client].has(k)) ++k;
    if (k == shelves_[client].size()) throw Error("it was sent no model to choose from");
    return {k, std::nan("")};
  }

  // Some rows of one client.
  struct Piece {
    std::size_t client;
    std::size_t begin;
    std::size_t count;
  };

  // The first layer's sums of all pieces under model k, one large product; in scratch memory.
  std::span<Real> sums_of(std::uint32_t k, const std::vector<Piece>& pieces, std::size_t total) {
    const std::size_t width = batch(pieces[0].client).width;
    std::span<const Real> x;
    if (pieces.size() == 1) {
      x = batch(pieces[0].client).x.subspan(pieces[0].begin * width, total * width);
    } else {
      const std::span<Real> gathered = scratch<Real, struct ChooseRows>(total * width);
      auto next = gathered.begin();
      for (const Piece& piece : pieces) {
        const auto from = batch(piece.client).x.subspan(piece.begin * width, piece.count * width);
        next = std::copy(from.begin(), from.end(), next);
      }
      x = gathered;
    }
    const Batch<Real> data{total, width, x, {}, {}, backgrounds_of(pieces, total)};
    const std::span<Real> sums = scratch<Real, struct ChooseSums>(total * first_->outputs());
    sums_under(clients_[0].model(), shelves_[pieces[0].client][k], data, first_->first_inputs(data),
               sums.data());
    return sums;
  }

  // Those of all pieces' rows; none if no client has any.
  std::span<const Real> backgrounds_of(const std::vector<Piece>& pieces, std::size_t total) {
    const std::span<Real> all = scratch<Real, struct ChooseBackgrounds>(total);
    auto next = all.begin();
    bool any = false;
    for (const Piece& piece : pieces) {
      const auto from = batch(piece.client).backgrounds;
      any = any || !from.empty();
      next = from.empty()
                 ? std::fill_n(next, piece.count, Real(0))
                 : std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(piece.begin), piece.count, next);
    }
    return any ? all : std::span<const Real>();
  }

  // The loss of each row; overwrites the sums.
  std::span<double> losses_of(std::uint32_t k, const std::vector<Piece>& pieces, std::span<Real> sums) {
    const std::size_t total = sums.size() / first_->outputs();
    const std::span<double> y = scratch<double, struct ChooseTargets>(total);
    auto next = y.begin();
    for (const Piece& piece : pieces) {
      const auto from = batch(piece.client).y.subspan(piece.begin, piece.count);
      next = std::copy(from.begin(), from.end(), next);
    }
    const std::span<double> losses = scratch<double, struct ChooseLosses>(total);
    first_->tail_losses(first_->tail(model(k, pieces[0].client)), sums, y, losses);
    weigh(pieces, losses);
    return losses;
  }

  // By the weights that the data gives to rows.
  void weigh(const std::vector<Piece>& pieces, std::span<double> losses) {
    auto next = losses.begin();
    for (const Piece& piece : pieces) {
      const std::span<const double> weights = clients_[piece.client].row_weights(Part::train);
      for (std::size_t i = 0; i < piece.count; ++i, ++next) {
        if (!weights.empty()) *next *= weights[piece.begin + i];
      }
    }
  }

  std::span<ClientView> clients_;
  std::span<const Shelf> shelves_;
  std::vector<Standing> standings_;
  const FirstLayer* first_;                       // null for models without one
  std::vector<std::optional<double>> penalties_;  // the L2 term of each model, where it was needed
};

}  // namespace

std::vector<Choice> choose(std::span<ClientView> clients, std::span<const Shelf> shelves,
                           std::span<const std::uint32_t> guesses) {
  check(clients.size() == shelves.size() && clients.size() == guesses.size(),
        "a shelf and a guess for each client");
  if (clients.empty()) return {};
  for (std::size_t i = 0; i < clients.size(); ++i) {
    for (std::size_t k = 0; k < shelves[i].size(); ++k) {
      if (shelves[i].has(k)) clients[i].expect_model(shelves[i][k]);
    }
  }
  return with_real(clients[0].precision(), [&](auto real) {
    return Chooser<decltype(real)>(clients, shelves).run({guesses.begin(), guesses.end()});
  });
}

double objective_at(ClientView& client, const Shared& w) {
  const double loss = client.mean_loss(w);
  return with_real(client.precision(),
                   [&](auto real) { return loss + penalty(client.model(), w.as<decltype(real)>()); });
}

}  // namespace coterie
