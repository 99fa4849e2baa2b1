#include "experiments/studies/long_term_decay/decay_claims.h"

#include <fmt/format.h>

#include <limits>

#include "core/errors.h"
#include "core/random.h"
#include "experiments/model/notices.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/trained_head.h"

namespace orrery {
namespace {

constexpr std::size_t every_row = std::numeric_limits<std::size_t>::max();

ParamSpec of_files(ParamSpec spec) { return read_while("assumption", {"file"}, std::move(spec)); }

Matrix<double> rows_of_head(const ParamSet& params, const Inputs& inputs, const std::string& key) {
  const auto found = inputs.find(key);
  if (found == inputs.end())
    throw UsageError(fmt::format("assumption=file without {}", key), "needs q and k",
                     "give q=FILE.npy k=FILE.npy, or choose another assumption");
  const auto& tensor = std::get<Tensor>(found->second);
  const auto head =
      heads_of(tensor) > 1 ? static_cast<std::size_t>(params.integer("head")) : std::size_t{0};
  Matrix<double> rows = head_matrix<double>(tensor, head, every_row);
  if (rows.cols() % 2 == 0) return rows;
  throw DataError(shape_text(tensor),
                  "must have an even number of channels: they are rotated in pairs",
                  "save q and k of one head");
}

std::vector<QkPair> pairs_of_rows(const ParamSet& params, const Matrix<double>& q,
                                  const Matrix<double>& k) {
  Random random(params.integer("seed"), "pairs of rows of long_term_decay");
  std::vector<QkPair> pairs;
  for (std::int64_t i = 0; i < params.integer("draws"); ++i) {
    const Index of_q = random.integer(q.rows());
    pairs.push_back({q.row(of_q), k.row(random.integer(k.rows()))});
  }
  return pairs;
}

std::vector<QkPair> pairs_of_files(const ParamSet& params, const Inputs& inputs) {
  const Matrix<double> q = rows_of_head(params, inputs, "q");
  const Matrix<double> k = rows_of_head(params, inputs, "k");
  if (q.cols() != k.cols())
    throw DataError(fmt::format("q with {} and k with {} channels", q.cols(), k.cols()),
                    "must have the same d", "save them from the same head");
  return pairs_of_rows(params, q, k);
}

/// What the head has learned to make of a text that the model did not learn from.
std::vector<QkPair> pairs_of_model(const ParamSet& params) {
  check_acts_on_qk(params);
  const auto head = trained_head_of_example<double>(params, trained_tokens);
  return pairs_of_rows(params, head.projections.queries(head.x), head.projections.keys(head.x));
}

}  // namespace

std::vector<ParamSpec> decay_assumption_params() {
  return {
      choice_param(
          "assumption", "What $q$ and $k$ are; the scores, and whether they decay, depend on it.",
          "ones",
          qk_content_choices({{"mean", "$q = k$, $|q|² = d$: the exact mean over all directions"},
                              {"trained",
                               "those of a head of a small model that was trained with RoPE, for "
                               "two tokens of a text, before any rotation"},
                              {"file", "rows of your own $q$ and $k$, before any rotation"}})),
      read_while(
          "assumption", {"equal", "random", "trained", "file"},
          log_count_param("draws", "Random pairs of $q$ and $k$ to average over.", 64, 1, 4096)),
      of_files(user_param("q", "Your own queries")),
      of_files(user_param("k", "Your own keys")),
      read_while("assumption", {"trained", "file"}, head_of_files_param()),
      trained_layer_param("assumption")};
}

DecayAssumption decay_assumption(const ParamSet& params, const Inputs& inputs) {
  const std::string& assumption = params.text("assumption");
  if (assumption == "file") {
    std::vector<QkPair> pairs = pairs_of_files(params, inputs);
    const Index d = pairs.front().q.cols();
    const std::string text =
        fmt::format("rows of {} and {}, mean ± deviation of {} pairs", tensor_of(inputs, "q")->name,
                    tensor_of(inputs, "k")->name, params.integer("draws"));
    return {d, std::move(pairs), false, text};
  }
  if (assumption == "trained") {
    std::vector<QkPair> pairs = pairs_of_model(params);
    return {trained_d_head, std::move(pairs), false,
            fmt::format("layer {}, head {} of a {}, mean ± deviation of {} pairs of tokens",
                        params.integer("trained_layer"), params.integer("head"), trained_notice,
                        params.integer("draws"))};
  }
  const Index d = params.integer("dim");
  Random random(params.integer("seed"), "q and k of long_term_decay");
  if (assumption == "mean")
    return {d, qk_pairs("ones", d, 1, random), true, "$q = k$, mean over all directions"};
  const std::int64_t draws = params.integer("draws");
  std::vector<QkPair> pairs = qk_pairs(assumption, d, draws, random);
  if (assumption == "ones") return {d, std::move(pairs), false, "$q = k = (1, …, 1)$"};
  const char* what =
      assumption == "equal" ? "$q = k$ standard normal" : "$q$, $k$ independent normal";
  return {d, std::move(pairs), false, fmt::format("{}, mean ± deviation of {} draws", what, draws)};
}

}  // namespace orrery
