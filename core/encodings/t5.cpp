#include "core/encodings/t5.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

int buckets_a_side(const T5Buckets& c) { return c.bidirectional ? c.buckets / 2 : c.buckets; }

void check_buckets(const T5Buckets& c) {
  const int side = buckets_a_side(c);
  const bool even = !c.bidirectional || c.buckets % 2 == 0;
  if (!even || side < 2)
    throw UsageError(fmt::format("t5.buckets={}", c.buckets),
                     c.bidirectional ? "must be even and at least 4" : "must be at least 2",
                     "T5 uses 32");
  if (c.max_distance <= side / 2)
    throw UsageError(
        fmt::format("t5.max_distance={} with t5.buckets={}", c.max_distance, c.buckets),
        fmt::format("max_distance must exceed {}, the distances with a bucket each", side / 2),
        fmt::format("take t5.max_distance={} or more, or fewer buckets", side / 2 + 1));
}

T5Buckets buckets_of(const ParamSet& params) {
  return {.buckets = static_cast<int>(params.integer("t5.buckets")),
          .max_distance = params.integer("t5.max_distance"),
          .bidirectional = params.boolean("t5.bidirectional")};
}

Index bucket_of_distance(Position distance, int side, Position max_distance,
                         const StageRounding& rounding) {
  const int exact = side / 2;
  if (distance < exact) return distance;
  // Shortcut: most distances of a long text share the last bucket, which needs no logarithm.
  const bool rounds = rounding.rounds(Stage::log) || rounding.rounds(Stage::distance);
  if (!rounds && distance >= max_distance) return side - 1;
  // A small format may round the distance down to one that has a bucket of its own.
  const double place = std::max(
      log_place(distance, exact, static_cast<double>(max_distance), side - exact, rounding), 0.0);
  if (!(place < side - exact)) return side - 1;  // also when a small format overflowed
  return exact + static_cast<Index>(place);
}

}  // namespace

Index t5_bucket(Position r, const T5Buckets& config, const StageRounding& rounding) {
  check_buckets(config);
  const int side = buckets_a_side(config);
  if (!config.bidirectional)
    return bucket_of_distance(std::max<Position>(r, 0), side, config.max_distance, rounding);
  return (r < 0 ? side : 0) + bucket_of_distance(std::abs(r), side, config.max_distance, rounding);
}

template <class T>
T5<T>::T5(const T5Buckets& config, Matrix<T> table, const StageRounding& rounding)
    : config_(config),
      table_(rounding.rounded<T>(Stage::table, std::move(table))),
      rounding_(rounding) {
  check_buckets(config_);
  if (table_.rows() != config_.buckets)
    throw UsageError(fmt::format("a bias table of {} rows", table_.rows()),
                     fmt::format("must have one a bucket, {}", config_.buckets),
                     "give [buckets, heads]");
}

template <class T>
EncodingInfo T5<T>::info() {
  ParamSpec buckets{
      .key = "t5.buckets",
      .description = "Buckets in all; half of them for keys ahead when bidirectional.",
      .kind = ParamKind::integer,
      .default_value = std::int64_t{32},
      .min = 4,
      .max = 4096,
      .multiple_of = 2};
  ParamSpec max_distance =
      log_count_param({"t5.max_distance", "", "tokens"},
                      "Sets how fast the buckets widen; the last of $e$ exact and $w$ wider "
                      "ones a side begins at $⌈e·(\\mathrm{max_distance}/e)^{(w − 1)/w}⌉$, "
                      "which is 91 by default and 113 when causal.",
                      128, 2, 1e6);
  ParamSpec bidirectional = flag_param(
      "t5.bidirectional", "Whether keys ahead have buckets of their own (encoders).", true);
  return {
      .name = "t5",
      .label = "T5",
      .title = "T5's bucketed relative bias",
      .statement = "Adds a trained number per bucket of the distance, by head, to unscaled logits.",
      .source = "Raffel et al. 2020 §2.1; RoFormer eq. (8)",
      .formulas = {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n + b_{\mathrm{bucket}(m-n),h})",
                    "eq. (8)"}},
      .params = {std::move(buckets), std::move(max_distance), std::move(bidirectional)},
      .tables = {{.name = "t5.table",
                  .shape = "[buckets, heads]",
                  .description = "The bias of each bucket and head.",
                  .initial = "normal, deviation $d_\\mathrm{model}^{−1/2}$ (Hugging Face, mesh)",
                  .biases = true}},
      .stages = {Stage::distance, Stage::log, Stage::table},
      .term_symbols = {{"relative_bias", R"(b_{\mathrm{bucket}(m-n)})"}}};
}

template <class T>
void T5<T>::check(const EncodingSettings& s) {
  check_buckets(buckets_of(s.params));
}

template <class T>
std::unique_ptr<T5<T>> T5<T>::make(const EncodingSettings& s) {
  const T5Buckets config = buckets_of(s.params);
  const double deviation = 1.0 / std::sqrt(static_cast<double>(s.d_model));
  return std::make_unique<T5>(
      config, table_of<T>(s, "t5.table", config.buckets, s.heads, deviation), s.rounding);
}

template <class T>
IndexMatrix T5<T>::table_index(PositionsIn m, PositionsIn n) const {
  return index_matrix(m, n, [this](Position r) { return t5_bucket(r, config_, rounding_); });
}

template <class T>
ScoreTerm<T> T5<T>::bias(const ScoreInputs<T>& in) const {
  check_head(in.head, table_.cols());
  return {"relative_bias", gather_bias<T>(table_, table_index(in.m, in.n), in.head)};
}

template <class T>
void T5<T>::add_bias_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                               Tables& d_tables) const {
  add_gathered_gradients<T>(d_logits, table_index(in.m, in.n), in.head,
                            gradient_of(d_tables, "t5.table", table_.rows(), table_.cols()));
}

template class T5<float>;
template class T5<double>;

}  // namespace orrery
