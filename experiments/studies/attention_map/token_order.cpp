#include "experiments/studies/attention_map/token_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/analysis/largest.h"
#include "core/attention/mask.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/measures.h"

namespace orrery {
namespace {
namespace in_token_order {

ParamSpec place_param(const char* key, const std::string& description, std::int64_t value) {
  return read_while("order", {"swapped"},
                    count_param(key, description, value, 0, static_cast<double>(most_tokens - 1)));
}

/// As the rows of the matrix stand at these places; an empty matrix stays empty.
template <class T>
Matrix<T> rows_in(const Matrix<T>& matrix, const std::vector<Index>& order) {
  if (matrix.rows() == 0) return matrix;
  Matrix<T> rows(matrix.rows(), matrix.cols());
  for (std::size_t i = 0; i < order.size(); ++i)
    rows.row(static_cast<Index>(i)) = matrix.row(order[i]);
  return rows;
}

void swap_places(const ParamSet& params, std::vector<Index>& order) {
  const auto place = [&](const char* key) {
    const std::int64_t at = params.integer(key);
    if (at < static_cast<std::int64_t>(order.size())) return static_cast<std::size_t>(at);
    throw UsageError(fmt::format("{}={}", key, at),
                     fmt::format("there are {} tokens, counted from 0", order.size()),
                     fmt::format("try {}={}", key, order.size() - 1));
  };
  std::swap(order[place("swap_first")], order[place("swap_second")]);
}

/// Whether every stage has the format of the arithmetic, so that sums alone round.
bool runs_exactly(const ParamSet& params) {
  const std::string& pipeline = params.text("precision");
  if (pipeline != "exact" && pipeline != "exact_fp32") return false;
  return std::all_of(params.specs().begin(), params.specs().end(), [&](const ParamSpec& spec) {
    return !spec.key.starts_with("stage.") || params.is_default(spec.key);
  });
}

/// Rounding of a sum of n products of weights and values, whose order differs.
template <class T>
double sum_rounding(double n, double largest) {
  const double unit = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  constexpr double operations_of_a_weight = 16;  // its logit, the exponential, the quotient
  return (n + operations_of_a_weight) * unit * largest;
}

}  // namespace in_token_order
}  // namespace

std::vector<ParamSpec> order_params() {
  using namespace in_token_order;
  ParamSpec order =
      stated_if_set(choice_param("order", "The order in which the tokens stand.", "text",
                                 {{"text", "as in the text"},
                                  {"swapped", "two tokens in each other's places"},
                                  {"reversed", "the last one first"},
                                  {"shuffled", "at random, by the seed"}}));
  order.group = "Order of the tokens";
  return {std::move(order),
          place_param("swap_first", "One token that changes places, counted from 0.", 1),
          place_param("swap_second", "The other one.", 4)};
}

bool is_reordered(const ParamSet& params) { return params.text("order") != "text"; }

std::vector<Index> token_order(const ParamSet& params, Index tokens) {
  using namespace in_token_order;
  std::vector<Index> order(static_cast<std::size_t>(tokens));
  std::iota(order.begin(), order.end(), Index{0});
  const std::string& name = params.text("order");
  if (name == "swapped") swap_places(params, order);
  if (name == "reversed") std::reverse(order.begin(), order.end());
  if (name == "shuffled") {
    Random random(params.is_used("seed") ? params.integer("seed") : 0, "order of the tokens");
    order = random_order(random, tokens);
  }
  return order;
}

template <class T>
TokenInputs<T> reordered(TokenInputs<T> tokens, const std::vector<Index>& order) {
  using namespace in_token_order;
  for (Matrix<T>* matrix : {&tokens.x, &tokens.q, &tokens.k, &tokens.v})
    *matrix = rows_in(*matrix, order);
  std::vector<std::string> labels;
  for (const Index token : order)
    if (!tokens.labels.empty()) labels.push_back(tokens.labels[static_cast<std::size_t>(token)]);
  tokens.labels = std::move(labels);
  return tokens;
}

template <class T>
void add_order_findings(const std::string& encoding, const ParamSet& params,
                        const TokenInputs<T>& in_text_order, const Array& output, Result& result) {
  using namespace in_token_order;
  const auto n = static_cast<Index>(in_text_order.positions.size());
  const bool causal = params.boolean("causal");
  const Mask mask =
      causal ? Mask::causal(in_text_order.positions, in_text_order.positions) : Mask();
  Matrix<T> before(n, static_cast<Index>(output.shape[1]));
  const auto made = token_encoding<T>(encoding, params, in_text_order);
  attend_tokens<T>(*made, params, in_text_order, {0, n}, mask,
                   {[&](Index first, const AttentionOutput<T>& part) {
                      before.middleRows(first, part.output.rows()) = part.output;
                    },
                    n});
  const std::vector<Index> order = token_order(params, n);
  Largest change, size;
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < before.cols(); ++c) {
      const auto now = output[static_cast<std::size_t>(i * before.cols() + c)];
      const auto old = static_cast<double>(before(order[static_cast<std::size_t>(i)], c));
      change.see(std::abs(now - old));
      size.see(std::abs(old));
    }
  const FindingsOn of(result, encoding, encoding_label(encoding));
  of.scalar("order_change", change.value(),
            "largest change of a token's output by the order of the tokens");
  if (encoding != "none" || causal || !runs_exactly(params)) return;
  of.at_most("is_blind_to_order",
             "each token's output is the same in whichever order they stand (largest change)",
             "eq. (2) without positions", change.value(),
             sum_rounding<T>(static_cast<double>(n), size.value()));
}

template TokenInputs<float> reordered(TokenInputs<float>, const std::vector<Index>&);
template TokenInputs<double> reordered(TokenInputs<double>, const std::vector<Index>&);
template void add_order_findings(const std::string&, const ParamSet&, const TokenInputs<float>&,
                                 const Array&, Result&);
template void add_order_findings(const std::string&, const ParamSet&, const TokenInputs<double>&,
                                 const Array&, Result&);

}  // namespace orrery
