#include "experiments/studies/attend/attend_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/studies/attend/attend_projections.h"

namespace orrery {
namespace {

LinearVariant variant_of(const ParamSet& params) {
  const std::string& name = params.text("linear.variant");
  if (name == "both_rotated") return LinearVariant::both_rotated;
  if (name == "rotated_before_features") return LinearVariant::rotated_before_features;
  return LinearVariant::paper;
}

/// About d·ln d, as performers take, and even, because features are rotated in pairs.
Index favor_features(const ParamSet& params, Index d) {
  if (params.integer("linear.features") > 0) return params.integer("linear.features");
  const double width = static_cast<double>(d);
  return 2 * std::max<Index>(1, static_cast<Index>(std::ceil(width * std::log(width) / 2)));
}

/// The user's own, or one that is drawn by seed.
template <class T>
Favor<T> favor_of(const ParamSet& params, const Tables& tables, Index d) {
  const auto found = tables.find(favor_table_name);
  const Index wanted = params.integer("linear.features");
  if (found == tables.end())
    return Favor<T>::orthogonal(params.integer("seed"), favor_features(params, d), d);
  const Matrix<double>& w = found->second;
  if (w.cols() != d || (wanted > 0 && w.rows() != wanted))
    throw UsageError(fmt::format("{} of shape [{}, {}]", favor_table_name, w.rows(), w.cols()),
                     fmt::format("must be [{}, {}], one row per feature and one column per channel",
                                 wanted > 0 ? std::to_string(wanted) : "M", d),
                     wanted > 0 ? "leave linear.features out: it follows from the table"
                                : "give the projection of a head of this width");
  return Favor<T>(w.template cast<T>());
}

template <class T>
std::unique_ptr<FeatureMap<T>> feature_map_of(const ParamSet& params, const Tables& tables,
                                              Index d) {
  switch (feature_named(params.text("linear.feature_map")).kind) {
    case FeatureKind::elu:
      return std::make_unique<EluPlusOne<T>>();
    case FeatureKind::relu:
      return std::make_unique<Relu<T>>();
    case FeatureKind::favor:
      break;
  }
  return std::make_unique<Favor<T>>(favor_of<T>(params, tables, d));
}

/// An encoding that transforms q and k rotates features in pairs.
void check_features_pair_up(const ParamSet& params, const Tables& tables, Index features) {
  const EncodingEntry& encoding = find_encoding(params.text("encoding"));
  if (!encoding.uses(Door::qk_transform) || !params.is_used("linear.features") || features % 2 == 0)
    return;
  const bool given = tables.count(favor_table_name) > 0;
  throw UsageError(
      given ? fmt::format("{} of {} rows", favor_table_name, features)
            : fmt::format("linear.features={}", features),
      fmt::format("must be even, because {} rotates the features in pairs", encoding.info.name),
      fmt::format("{}, or set linear.variant=rotated_before_features",
                  given ? "give an even number of rows"
                        : fmt::format("try linear.features={}", features + 1)));
}

template <class T>
LinearDoors<T> linear_doors_of(const Encoding& encoding, const ParamSet& params, bool contents) {
  const auto refuse = [&](const char* why, const char* remedy) {
    throw UsageError(fmt::format("encoding={} with kernel=linear", params.text("encoding")), why,
                     remedy);
  };
  const LinearDoors<T> doors{dynamic_cast<const InputTerm<T>*>(&encoding),
                             dynamic_cast<const QkTransform<T>*>(&encoding)};
  if (dynamic_cast<const ScoreTerms<T>*>(&encoding))
    refuse("adds to scores, which linear attention never forms",
           "take rope or none, or with x=FILE sinusoidal or learned");
  if (params.is_used("rope.rotary_value") && params.text("rope.rotary_value") != "none")
    refuse("cannot rotate values: that needs the weights", "set rope.rotary_value=none");
  if (doors.input_term && !contents)
    refuse("acts before W_q and W_k, which are unknown when q and k are given",
           "give x and the projections");
  return doors;
}

/// q and k as they are projected in the format that precision names.
template <class T>
void round_qk(const StageRounding& rounding, LayerInputs<T>& layer) {
  for (Matrix<T>& q : layer.q) rounding.apply<T>(Stage::qk, q);
  for (Matrix<T>& k : layer.k) rounding.apply<T>(Stage::qk, k);
}

/// Passes on the arrays of a batch entry, and counts what is not finite in them.
template <class T>
class LinearArrays {
 public:
  LinearArrays(AttendOutput<T>& out, bool weights)
      : out_(out), weights_(weights), all_(out.layout()) {}

  bool weights_asked() const { return weights_; }

  void take(int head, const LinearOutput<T>& one) {
    if (!out_.has_begun()) begin(one.output.cols());
    out_.append_output(head, 0, one.output);
    out_.append("numerators", one.numerators);
    out_.append("normalizers", one.normalizers);
    all_.see(head, 0, one.output);
    all_.see(head, 0, one.numerators);
    UnusualRows& unusual = out_.unusual;
    unusual.zero_normalizers += static_cast<std::size_t>(one.zero_normalizers);
    unusual.nan_normalizers += static_cast<std::size_t>(one.normalizers.array().isNaN().count());
    unusual.infinite_normalizers +=
        static_cast<std::size_t>(one.normalizers.array().isInf().count());
  }
  void take_weights(int head, Index first, const Matrix<T>& weights) {
    out_.append("weights", weights);
    all_.see(head, first, weights);
  }
  void finish() { out_.unusual.overflowed_rows += all_.others(); }

 private:
  void begin(Index d_v) {
    std::vector<typename AttendOutput<T>::OfHeads> arrays{
        {"output", "channel", d_v}, {"numerators"}, {"normalizers"}};
    if (weights_) arrays.push_back({"weights", "key", static_cast<Index>(out_.layout().n.size())});
    out_.begin(arrays, d_v);
  }

  AttendOutput<T>& out_;
  bool weights_;
  FiniteRows all_;
};

/// Some queries at a time.
template <class T>
void give_weights(const LayerInputs<T>& layer, const FeatureMap<T>& map,
                  const QkTransform<T>* rotation, const LinearOptions& options,
                  const MaskSpec& spec, LinearArrays<T>& arrays) {
  const HeadGroups groups(static_cast<Index>(layer.q.size()), static_cast<Index>(layer.k.size()));
  const Mask mask = spec.build(layer.m, layer.n);
  const Index rows = rows_at_once(static_cast<Index>(layer.n.size()));
  const PositionsIn m = layer.m;
  for (int h = 0; h < groups.heads(); ++h) {
    const auto kv = static_cast<std::size_t>(groups.kv_head(h));
    const Matrix<T>& q = layer.q[static_cast<std::size_t>(h)];
    for (Index first = 0; first < q.rows(); first += rows) {
      const Index count = std::min<Index>(rows, q.rows() - first);
      arrays.take_weights(
          h, first,
          linear_attention_weights<T>(
              {q.middleRows(first, count), layer.k[kv], layer.v[kv],
               m.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
               layer.n},
              map, rotation, options, mask.of_queries(first, count)));
    }
  }
}

/// q, k and v of one batch entry, as the feature map takes them.
template <class T>
LayerInputs<T> layer_of(const ParamSet& params, const AttendInputs& in,
                        const std::optional<LayerProjections<T>>& projections,
                        const AttendLayer& layout, const LinearDoors<T>& doors, std::size_t batch) {
  LayerInputs<T> layer;
  if (projections) {
    const Matrix<T> x = matrix_in<T>(*in.x, batch);
    layer =
        projected<T>(doors.input_term, *projections, {x, x, layout.m, layout.n, layout.first_head});
  } else {
    layer = layer_of_qkv<T>(in, layout, batch);
  }
  round_qk(rounding_of(params), layer);
  return layer;
}

}  // namespace

std::vector<ParamSpec> linear_params() {
  const Condition linear{"kernel", {"linear"}};
  return {
      {.key = "linear.feature_map",
       .symbol = "$φ$",
       .description = "Features of queries and keys.",
       .kind = ParamKind::choice,
       .default_value = std::string("elu_plus_one"),
       .choices = feature_map_choices(),
       .used_when = linear,
       .retired_values = {{"elu1", "give linear.feature_map=elu_plus_one"}}},
      read_while(
          "linear.feature_map", {"favor"},
          count_param(
              {"linear.features", "$M$"},
              "Random features of favor; 0 takes the rows of a given linear.projection, or d·ln d.",
              0, 0, 65536)),
      {.key = "linear.variant",
       .description = "What RoPE rotates.",
       .kind = ParamKind::choice,
       .default_value = std::string("paper"),
       .choices = {{"paper", "eq. (19): the features in the numerator, not in the denominator"},
                   {"both_rotated", "the features in both: the denominator can vanish"},
                   {"rotated_before_features", "q and k: not a function of m − n; performer code"}},
       .used_when = linear},
      {.key = "linear.epsilon",
       .description = "Added to the normaliser; fast-transformers uses 1e-6.",
       .kind = ParamKind::real,
       .default_value = 0.0,
       .min = 0.0,
       .max = 1.0,
       .used_when = linear},
      {.key = "linear.weights",
       .description =
           "Whether to write the weights, $[N_q, N_k]$, that are never formed otherwise.",
       .kind = ParamKind::boolean,
       .default_value = false,
       .used_when = linear},
      read_while("linear.feature_map", {"favor"},
                 table_param(favor_table_name, "[M, d] The random features of a head."))};
}

template <class T>
std::function<void(std::size_t)> linear_kernel(const ParamSet& params, const AttendInputs& in,
                                               const Tables& tables, const UserMask& mask,
                                               AttendOutput<T>& out) {
  const AttendLayer& layout = out.layout();
  const LinearVariant variant = variant_of(params);
  const std::shared_ptr<FeatureMap<T>> map = feature_map_of<T>(params, tables, layout.d_head);
  const bool turns_features = variant != LinearVariant::rotated_before_features;
  if (turns_features) check_features_pair_up(params, tables, map->features(layout.d_head));
  const std::shared_ptr<Encoding> encoding = encoding_of<T>(
      params, layout, turns_features ? map->features(layout.d_head) : layout.d_head, tables);
  const LinearDoors<T> doors = linear_doors_of<T>(*encoding, params, in.x != nullptr);
  const LinearOptions options{variant, params.boolean("causal"), params.real("linear.epsilon")};
  return [&, map, encoding, doors, options,
          projections = projections_of<T>(params, in, tables, layout)](std::size_t batch) {
    const LayerInputs<T> layer = layer_of<T>(params, in, projections, out.layout(), doors, batch);
    const MaskSpec seen = mask.of_batch(batch);
    const auto heads = multi_head_linear_attention<T>(doors, *map, layer, seen, options);
    LinearArrays<T> arrays(out, params.boolean("linear.weights"));
    for (std::size_t h = 0; h < heads.size(); ++h) arrays.take(static_cast<int>(h), heads[h]);
    if (arrays.weights_asked())
      give_weights<T>(layer, *map, doors.qk_transform, options, seen, arrays);
    arrays.finish();
  };
}

template std::function<void(std::size_t)> linear_kernel(const ParamSet&, const AttendInputs&,
                                                        const Tables&, const UserMask&,
                                                        AttendOutput<float>&);
template std::function<void(std::size_t)> linear_kernel(const ParamSet&, const AttendInputs&,
                                                        const Tables&, const UserMask&,
                                                        AttendOutput<double>&);

}  // namespace orrery
