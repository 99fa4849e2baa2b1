// Cost of the core. Each time is compared with a reference measured in the same run: for RoPE a
// copy of the bytes that it reads and writes, for attention a plain matrix product.
#include <benchmark/benchmark.h>

#include "core/analysis/decay.h"
#include "core/attention/head.h"
#include "core/encodings/alibi.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/random.h"

namespace {

using namespace orrery;

Matrix<float> noise(Index rows, Index columns) {
  Random random(1, "benchmark");
  return normal_matrix<float>(random, rows, columns);
}

void copy_anchor(benchmark::State& state) {
  const Matrix<float> x = noise(state.range(0), 128);
  Matrix<float> y = x;
  for (auto _ : state) {
    y = x;
    benchmark::DoNotOptimize(y.data());
  }
  state.SetBytesProcessed(state.iterations() * x.size() * 8);
}
BENCHMARK(copy_anchor)->Arg(4096);

void rope_applied(benchmark::State& state) {
  const Rope<float> rope({.d_head = 128});
  Matrix<float> x = noise(state.range(0), 128);
  const Positions at = consecutive_positions(x.rows());
  for (auto _ : state) {
    rope.transform_queries(at, x);
    benchmark::DoNotOptimize(x.data());
  }
  state.SetBytesProcessed(state.iterations() * x.size() * 8);
}
BENCHMARK(rope_applied)->Arg(4096);

void product_anchor(benchmark::State& state) {
  const Matrix<float> q = noise(state.range(0), 64);
  for (auto _ : state) {
    const Matrix<float> logits = q * q.transpose();
    benchmark::DoNotOptimize(logits.data());
  }
}
BENCHMARK(product_anchor)->Arg(1024)->Unit(benchmark::kMillisecond);

template <class Method>
void attention(benchmark::State& state, const Method& method) {
  const Matrix<float> q = noise(state.range(0), 64);
  const Positions at = consecutive_positions(q.rows());
  const Mask mask = Mask::causal(at, at);
  for (auto _ : state) {
    const auto out = attention_from_qkv<float>(method, {q, q, q, at, at}, mask);
    benchmark::DoNotOptimize(out.output.data());
  }
}

void attention_none(benchmark::State& state) { attention(state, NoEncoding<float>()); }
BENCHMARK(attention_none)->Arg(1024)->Unit(benchmark::kMillisecond);

void attention_rope(benchmark::State& state) { attention(state, Rope<float>({.d_head = 64})); }
BENCHMARK(attention_rope)->Arg(1024)->Unit(benchmark::kMillisecond);

void attention_alibi(benchmark::State& state) { attention(state, Alibi<float>(8)); }
BENCHMARK(attention_alibi)->Arg(1024)->Unit(benchmark::kMillisecond);

void decay_bound(benchmark::State& state) {
  const auto theta = inverse_frequencies(128, 10000);
  for (auto _ : state) benchmark::DoNotOptimize(decay_curve(theta, 0, state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0) * 64);
}
BENCHMARK(decay_bound)->Arg(256)->Arg(1000000)->Unit(benchmark::kMillisecond);

}  // namespace
