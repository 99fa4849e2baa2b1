// The rows of the table: what core computes, one thread, fp32 unless it says otherwise.
#include <fmt/format.h>

#include <memory>

#include "core/analysis/decay.h"
#include "core/analysis/diagonals.h"
#include "core/attention/linear_attention.h"
#include "core/encodings/alibi.h"
#include "core/encodings/deberta.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/random.h"
#include "tests/bench/head.h"
#include "tests/bench/prefill.h"
#include "tests/bench/table.h"
#include "tests/bench/training.h"

namespace orrery::bench {
namespace {

constexpr Index d = head_channels;

/// Both products of attention, a multiplication and an addition per channel and cell.
double products(Index n, bool causal) {
  return 4.0 * static_cast<double>(n) * static_cast<double>(n) * d * (causal ? 0.5 : 1.0);
}

/// A head of N tokens, made when the row begins, and what is done with it.
template <class Use>
std::function<std::function<void()>()> with_head(Index n, const Use& attend) {
  return [n, attend]() -> std::function<void()> {
    const auto head = std::make_shared<Head>(n);
    return [head, attend] { use(attend(*head)); };
  };
}

Operation attention(Index n, bool causal) {
  return {.name = fmt::format("attention, {}, N = {}", causal ? "causal" : "full", n),
          .peer = fmt::format("attention{} {}", causal ? "_causal" : "", n),
          .limit = Limit::multiply_add,
          .work = products(n, causal),
          .target = {.times_peer = 2.2},
          .threaded = true,
          .prepare = with_head(n, [causal](const Head& head) {
            return attention_output<float>(head.inputs(), {}, causal ? head.causal : Mask(), {},
                                           threads());
          })};
}

Operation attention_with(const std::string& name, const std::string& peer,
                         const std::shared_ptr<const Encoding>& encoding, Index n, bool causal,
                         double times_peer) {
  return {.name = fmt::format("attention, {}, {}, N = {}", causal ? "causal" : "full", name, n),
          .peer = fmt::format("{} {}", peer, n),
          .limit = Limit::multiply_add,
          .work = products(n, causal),
          .target = {.times_peer = times_peer},
          .threaded = true,
          .prepare = with_head(n, [encoding, causal](const Head& head) {
            return attention_output<float>(head.inputs(), SoftmaxDoors<float>::of(*encoding),
                                           causal ? head.causal : Mask(), {}, threads());
          })};
}

Matrix<float> weights(Index rows, Index columns) {
  Random random(2, "weights");
  return normal_matrix<float>(random, rows, columns);
}

/// Encodings with terms of their own, as their papers use them.
std::vector<Operation> attention_with_terms(Index n) {
  constexpr Position clip = 128, span = 512;
  const auto t5 = std::make_shared<T5<float>>(T5Buckets{}, weights(32, 8));
  const auto shaw =
      std::make_shared<Shaw<float>>(weights(2 * clip + 1, d), weights(2 * clip + 1, d));
  const auto xl = std::make_shared<TransformerXl<float>>(
      TransformerXl<float>::Weights{weights(1, d), weights(1, d), weights(d, d)}, 10000.0);
  const auto deberta = std::make_shared<Deberta<float>>(
      Deberta<float>::Weights{weights(2 * span, d), weights(d, d), weights(d, d), d},
      DebertaOptions{.span = span});
  return {attention_with("T5", "attention_t5", t5, n, false, 4),
          attention_with("Shaw, k = 128", "attention_shaw", shaw, n, false, 4),
          attention_with("Transformer-XL", "attention_transformer_xl", xl, n, true, 4),
          attention_with("DeBERTa, k = 512", "attention_deberta", deberta, n, false, 4)};
}

Operation map_with(const std::shared_ptr<const Encoding>& rope, Index n) {
  return {.name = fmt::format("logits, weights and output with RoPE, N = {}", n),
          .peer = fmt::format("attention_map {}", n),
          .limit = Limit::multiply_add,
          .work = products(n, false),
          .target = {.times_peer = 1.85},
          .prepare = with_head(n, [rope](const Head& head) {
            return softmax_attention<float>(head.inputs(), SoftmaxDoors<float>::of(*rope));
          })};
}

Operation rope_applied(Index n, Index width, RopePairing pairing) {
  RopeConvention config{.d_head = width};
  config.pairing = pairing;
  const bool halves = pairing == RopePairing::half_split;
  const auto bytes = static_cast<std::size_t>(n * width) * sizeof(float);
  return {.name = fmt::format("RoPE with its tables, {}, [{}, {}]",
                              halves ? "halves" : "interleaved", n, width),
          .peer = fmt::format("rope {} {}", n, width),
          .limit = Limit::copy,
          .work = 2.0 * static_cast<double>(bytes),
          .size = bytes,
          .target = {.times_peer = 6},
          .prepare = [n, width, config]() -> std::function<void()> {
            Random random(1, "benchmark");
            const auto x = std::make_shared<Matrix<float>>(normal_matrix<float>(random, n, width));
            return [x, config, at = consecutive_positions(n)] {
              Rope<float>(config).transform_queries(at, *x);
              use(*x);
            };
          }};
}

/// The tables made before, as for every layer after the first.
Operation rope_again(Index n, Index width, RopePairing pairing) {
  RopeConvention config{.d_head = width};
  config.pairing = pairing;
  const bool halves = pairing == RopePairing::half_split;
  const auto bytes = static_cast<std::size_t>(n * width) * sizeof(float);
  return {.name = fmt::format("RoPE in place, {}, [{}, {}]", halves ? "halves" : "interleaved", n,
                              width),
          .limit = Limit::copy,
          .work = 2.0 * static_cast<double>(bytes),
          .size = bytes,
          .target = {.share = 0.92},
          .prepare = [n, width, config]() -> std::function<void()> {
            Random random(1, "benchmark");
            const auto x = std::make_shared<Matrix<float>>(normal_matrix<float>(random, n, width));
            const auto rope = std::make_shared<Rope<float>>(config);
            return [x, rope, at = consecutive_positions(n)] {
              rope->transform_queries(at, *x);
              use(*x);
            };
          }};
}

Operation linear_with(const std::shared_ptr<const Rope<float>>& rope, Index n, bool causal) {
  return {
      .name = fmt::format("linear attention with RoPE, {}, N = {}", causal ? "causal" : "full", n),
      .peer = {},
      .limit = Limit::multiply_add,
      .work = 4.0 * static_cast<double>(n) * d * d,
      .target = {.milliseconds = causal ? 1.1 : 0.5},
      .prepare = with_head(n, [rope, causal](const Head& head) {
        return linear_attention<float>(head.inputs(), EluPlusOne<float>(), rope.get(),
                                       {.variant = LinearVariant::paper, .causal = causal});
      })};
}

/// Whether the cells of a logit map depend on m − n alone, as RoPE's do.
Operation toeplitz_check(const std::shared_ptr<const Encoding>& rope, Index n) {
  return {.name = fmt::format("largest spread along diagonals, N = {}", n),
          .peer = fmt::format("toeplitz_residual {}", n),
          .target = {.times_peer = 3.7},
          .prepare = [rope, n]() -> std::function<void()> {
            const Head head(n);
            const auto logits = std::make_shared<Matrix<float>>(
                softmax_attention<float>(head.inputs(), SoftmaxDoors<float>::of(*rope)).logits);
            return [logits, at = head.at] { use(toeplitz_residual(*logits, at, at)); };
          }};
}

Operation decay_bound(std::int64_t distances) {
  return {.name = fmt::format("decay bound, fp64, d = 128, {} distances", distances),
          .peer = fmt::format("decay_bound {} 128", distances),
          .target = {.times_peer = 20},
          .prepare = [distances]() -> std::function<void()> {
            return [distances, theta = inverse_frequencies(128, 10000)] {
              use(decay_curve(theta, 0, distances));
            };
          }};
}

}  // namespace

int& threads() {
  static int count = 1;
  return count;
}

std::vector<Operation> operations() {
  std::vector<Operation> all;
  for (const Index n : {1024, 4096, 8192})
    for (const bool causal : {false, true}) all.push_back(attention(n, causal));
  const auto rope = std::make_shared<Rope<float>>(RopeConvention{.d_head = d});
  for (const Index n : {1024, 4096})
    all.push_back(attention_with("RoPE", "attention_rope", rope, n, true, 2.2));
  all.push_back(
      attention_with("ALiBi", "attention_alibi", std::make_shared<Alibi<float>>(8), 1024, true, 4));
  for (const Index n : {1024, 4096})
    for (Operation& operation : attention_with_terms(n)) all.push_back(std::move(operation));
  all.push_back(map_with(rope, 1024));
  for (const RopePairing pairing : {RopePairing::interleaved, RopePairing::half_split})
    for (const auto& rotated : {rope_applied(4096, 128, pairing), rope_again(65536, 128, pairing)})
      all.push_back(rotated);
  for (const bool causal : {false, true}) all.push_back(linear_with(rope, 4096, causal));
  all.push_back(toeplitz_check(rope, 4096));
  all.push_back(decay_bound(1000000));
  for (Operation& operation : prefills()) all.push_back(std::move(operation));
  for (Operation& operation : training_steps()) all.push_back(std::move(operation));
  return all;
}

}  // namespace orrery::bench
