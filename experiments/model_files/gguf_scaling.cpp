#include "experiments/model_files/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "experiments/model_files/config_plan.h"

namespace orrery {
namespace {

using Architecture = GgufArchitecture;
using SlidingScale = Architecture::SlidingScale;
using LogMultiplier = Architecture::LogMultiplier;

/// The largest relative difference of attention factors that are equal: files hold fp32.
constexpr double same_factor = 1e-6;
constexpr double least_factor = 1e-3;

/// 1 + 0.1 ln s, which ggml puts on cos and sin with yarn.
double ggml_magnitude(double s) { return 1 + 0.1 * std::log(s); }

/// g(s, m) = 0.1 m ln s + 1; 1 for s ≤ 1.
double magnitude(double s, double m) { return s <= 1 ? 1 : 0.1 * m * std::log(s) + 1; }

/// What llama.cpp takes from the keys for the whole model.
struct Scaling {
  std::string type{};
  double stored{1};  ///< rope.scaling.factor
  double s{1};       ///< the same; 1 with type none
  std::string reason{};
  double blend{};                  ///< share of yarn's ramp; 0: every pair is divided by s
  double attention{1};             ///< before ggml multiplies it by ggml_magnitude
  std::string attention_reason{};  ///< of what is not yarn's own
  double log_multiplier{};
};

double log_multiplier_of(const GgufModel& model) {
  const LogMultiplier rule = model.architecture.log_multiplier;
  if (rule == LogMultiplier::unread) return 0;
  const double stored = model.keys.number("rope.scaling.yarn_log_multiplier").value.value_or(0);
  if (rule == LogMultiplier::as_given) return stored;
  return static_cast<float>(stored) / 0.1F;  // fp32 as there: a stored 0.1 gives 1
}

/// yarn's own attention factor.
double yarn_magnitude(const GgufModel& model, const Scaling& scaling) {
  const double all = scaling.log_multiplier;
  if (all == 0) return magnitude(scaling.s, 1);
  const double one = model.architecture.name == "deepseek2" ? all : 1;
  return magnitude(scaling.s, one) / magnitude(scaling.s, all);
}

Scaling scaling_of(const GgufModel& model) {
  const GgufKeys& keys = model.keys;
  Scaling scaling{.type = keys.text("rope.scaling.type")};
  if (scaling.type.empty()) scaling.type = "linear";
  constexpr const char* types[] = {"none", "linear", "yarn", "longrope"};
  if (std::find(std::begin(types), std::end(types), scaling.type) == std::end(types))
    keys.refuse("rope.scaling.type", "none, linear, yarn or longrope");
  Valued<double> factor = keys.number("rope.scaling.factor");
  if (!factor.value) factor = keys.number("rope.scale_linear");
  if (factor.value.value_or(0) != 0) scaling.stored = *factor.value;
  if (scaling.stored < least_factor) keys.refuse("rope.scaling.factor", "0, or at least 0.001");
  scaling.reason = factor.reason;
  scaling.s = scaling.type == "none" ? 1 : scaling.stored;
  scaling.blend = scaling.type == "yarn" ? 1 : 0;
  scaling.log_multiplier = log_multiplier_of(model);
  if (model.architecture.name == "grok") {
    const double own = keys.number("rope.scaling.yarn_ext_factor").value.value_or(-1);
    if (own >= 0) scaling.blend = own;
    scaling.attention = keys.number("rope.scaling.yarn_attn_factor").value.value_or(1);
    scaling.attention_reason = keys.full("rope.scaling.yarn_attn_factor");
  }
  if (scaling.blend != 0)
    scaling.attention = yarn_magnitude(model, scaling) / ggml_magnitude(scaling.s);
  if (const Valued<double> own = keys.number("rope.scaling.attn_factor"); own.value) {
    scaling.attention *= *own.value;
    scaling.attention_reason = own.reason;
  }
  if (!(scaling.attention > 0)) keys.refuse("rope.scaling.attn_factor", "above 0");
  return scaling;
}

/// The same for one layer, with ggml's part.
Scaling scaling_of_layer(const GgufModel& model, const LayerPlan& layer) {
  Scaling scaling = scaling_of(model);
  if (layer.type != "full_attention") {
    const SlidingScale rule = model.architecture.sliding_scale;
    if (rule == SlidingScale::stored) scaling.s = scaling.stored;
    if (rule == SlidingScale::one || rule == SlidingScale::plain) scaling.s = 1;
    if (rule == SlidingScale::plain) {
      scaling.attention = 1;
      scaling.blend = 0;
    }
  }
  if (model.architecture.name == "deepseek4") {
    if (!is_compressed(model, layer.layer)) return {};
    scaling.attention = 1;
    return scaling;
  }
  if (scaling.blend != 0) scaling.attention *= ggml_magnitude(scaling.s);
  return scaling;
}

std::int64_t original_length(const GgufModel& model, std::string& reason) {
  for (const char* key : {"rope.scaling.original_context_length", "context_length"})
    if (const auto length = model.keys.integer(key, 1, most_tokens); length.value) {
      reason = length.reason;
      return *length.value;
    }
  reason = "assumed";
  assume(model.assumed, "no key says the length of training: 4096 tokens are assumed");
  return 4096;
}

struct Betas {
  Valued<double> fast{}, slow{};
};

Betas betas_of(const GgufModel& model) {
  const auto beta = [&](const char* key, double usual) -> Valued<double> {
    Valued<double> given = model.keys.number(key);
    if (given.value && model.architecture.betas) return given;
    return {usual, given.value ? fmt::format("default of llama.cpp, which reads no {} of {}", key,
                                             model.architecture.name)
                               : "default of llama.cpp"};
  };
  return {beta("rope.scaling.yarn_beta_fast", model.architecture.beta_fast),
          beta("rope.scaling.yarn_beta_slow", 1)};
}

/// What yarn divides theta by, pair by pair: 1 for fast pairs, s for slow ones.
std::vector<double> yarn_divisors(const GgufModel& model, const LayerPlan& layer,
                                  const Scaling& scaling) {
  std::string unused;
  const auto length = static_cast<double>(original_length(model, unused));
  const Betas betas = betas_of(model);
  const auto r = static_cast<double>(layer.rope.rotary_dims);
  const auto pair_with = [&](double rotations) {
    return r * std::log(length / (rotations * 2 * std::numbers::pi)) /
           (2 * std::log(layer.rope.base));
  };
  constexpr double far = 1e9;  // ggml bounds each on one side alone
  const double low = std::clamp(std::floor(pair_with(*betas.fast.value)), 0.0, far);
  const double high = std::clamp(std::ceil(pair_with(*betas.slow.value)), -far, r - 1);
  const double width = std::clamp(high - low, 0.001, far);
  std::vector<double> divisors(static_cast<std::size_t>(layer.rope.rotary_dims / 2));
  for (std::size_t t = 0; t < divisors.size(); ++t) {
    const double along = (static_cast<double>(t) - low) / width;
    const double kept = (1 - std::clamp(along, 0.0, 1.0)) * scaling.blend;
    divisors[t] = 1 / (kept + (1 - kept) / scaling.s);
  }
  return divisors;
}

/// The lists of a layer's pairs in the tensors; empty where there is none.
struct Lists {
  std::vector<double> freqs{}, shorts{}, longs{};
  std::string reason{};
};

/// Names a tensor that llama.cpp makes no use of.
void note_unused(const GgufModel& model, const char* name) {
  if (model.keys.has_tensor(name))
    assume(model.assumed, fmt::format("tensor {} is left out: llama.cpp has no use for it in {}",
                                      name, model.architecture.name));
}

Lists lists_of(const GgufModel& model, const LayerPlan& layer, const std::string& type) {
  using Factors = Architecture::Factors;
  const Factors rule = model.architecture.factors;
  const bool by_length =
      rule == Factors::long_or_short || (rule == Factors::by_type && type == "longrope");
  Lists lists;
  const auto read = [&](const char* name) {
    std::string reason;
    std::vector<double> list = model.keys.tensor(name, layer.layer, reason);
    if (!list.empty()) lists.reason = reason;
    const auto pairs = static_cast<std::size_t>(layer.rope.rotary_dims / 2);
    if (list.size() > pairs && model.architecture.half_on_full) list.resize(pairs);
    return list;
  };
  if (by_length) {
    lists.longs = read("rope_factors_long.weight");
    lists.shorts = read("rope_factors_short.weight");
  } else {
    note_unused(model, "rope_factors_long.weight");
    note_unused(model, "rope_factors_short.weight");
  }
  const bool reads_freqs =
      rule == Factors::freqs || (rule == Factors::by_type && type != "longrope");
  if (!reads_freqs)
    note_unused(model, "rope_freqs.weight");
  else
    lists.freqs = read("rope_freqs.weight");
  if (model.architecture.factors_on_full && layer.type != "full_attention") return {};
  return lists;
}

void multiply(std::vector<double>& list, const std::vector<double>& by) {
  for (std::size_t t = 0; t < std::min<std::size_t>(list.size(), by.size()); ++t) list[t] *= by[t];
}

std::vector<double> divisors_of(const GgufModel& model, const LayerPlan& layer,
                                const Scaling& scaling) {
  if (scaling.blend != 0) return yarn_divisors(model, layer, scaling);
  return std::vector<double>(static_cast<std::size_t>(layer.rope.rotary_dims / 2), scaling.s);
}

bool is_one(double factor) { return std::abs(factor - 1) < same_factor; }

void put_attention(const GgufModel& model, const Scaling& scaling, LayerPlan& layer) {
  std::string reason = scaling.attention_reason;
  if (scaling.blend != 0)
    reason = reason.empty() ? "yarn of llama.cpp" : "yarn of llama.cpp, times " + reason;
  if (reason.empty()) reason = code_reason(model);
  put_param(layer, "rope.attention_factor", scaling.attention, std::move(reason));
}

void put_longrope(const GgufModel& model, Lists lists, const Scaling& scaling, LayerPlan& layer) {
  put_param(layer, "rope.scaling", std::string("longrope"), lists.reason);
  put_param(layer, "rope.factor", 1.0, "the factors are in the tensors");
  std::string reason;
  const std::int64_t original = original_length(model, reason);
  put_param(layer, "rope.original_length", original, reason);
  const bool asked = model.options.length > 0;
  put_param(layer, "rope.length", asked ? model.options.length : original,
            asked ? "the length asked for" : "the length of training; --length chooses another");
  if (!is_one(scaling.attention)) put_attention(model, scaling, layer);
  const std::vector<double> divisors = divisors_of(model, layer, scaling);
  for (std::vector<double>* list : {&lists.shorts, &lists.longs}) {
    if (list->empty()) list->assign(divisors.size(), 1.0);
    multiply(*list, divisors);
  }
  layer.rope.scaling.factors = std::move(lists.shorts);
  layer.rope.scaling.long_factors = std::move(lists.longs);
}

/// One number for each pair, in the place of a scaling that has no name.
void put_factors(const GgufModel& model, std::vector<double> list, std::string reason,
                 const Scaling& scaling, LayerPlan& layer) {
  multiply(list, divisors_of(model, layer, scaling));
  if (scaling.blend != 0 && !is_one(scaling.s)) reason += ", and yarn";
  put_param(layer, "rope.scaling", std::string("factors"), std::move(reason));
  if (!is_one(scaling.attention)) put_attention(model, scaling, layer);
  layer.rope.scaling.factors = std::move(list);
}

void put_yarn(const GgufModel& model, const Scaling& scaling, LayerPlan& layer) {
  put_param(layer, "rope.scaling", std::string("yarn"), model.keys.full("rope.scaling.type"));
  put_param(layer, "rope.factor", scaling.s, scaling.reason);
  std::string reason;
  const std::int64_t length = original_length(model, reason);
  put_param(layer, "rope.original_length", length, reason);
  const Betas betas = betas_of(model);
  put_param(layer, "rope.beta_fast", *betas.fast.value, betas.fast.reason);
  put_param(layer, "rope.beta_slow", *betas.slow.value, betas.slow.reason);
  const double own = yarn_magnitude(model, scaling);
  if (const double all = scaling.log_multiplier; all != 0) {
    const std::string key = model.keys.full("rope.scaling.yarn_log_multiplier");
    put_param(layer, "rope.mscale", model.architecture.name == "deepseek2" ? all : 1.0, key);
    put_param(layer, "rope.mscale_all_dim", all, key);
  }
  if (!is_one(scaling.attention / own)) put_attention(model, scaling, layer);
}

}  // namespace

bool is_compressed(const GgufModel& model, int layer) {
  const auto* ratios = model.keys.list("attention.compress_ratios");
  const auto at = static_cast<std::size_t>(layer);
  return ratios && at < ratios->size() && (*ratios)[at] != 0;
}

void read_gguf_scaling(const GgufModel& model, LayerPlan& layer) {
  const Scaling scaling = scaling_of_layer(model, layer);
  Lists lists = lists_of(model, layer, scaling.type);
  if (!lists.shorts.empty() || !lists.longs.empty())
    return put_longrope(model, std::move(lists), scaling, layer);
  if (!lists.freqs.empty())
    return put_factors(model, std::move(lists.freqs), lists.reason, scaling, layer);
  if (is_one(scaling.s) && is_one(scaling.attention)) return;
  if (scaling.blend == 1 && scaling.s > 1) return put_yarn(model, scaling, layer);
  if (scaling.blend == 0 && scaling.s > 1 && is_one(scaling.attention)) {
    put_param(layer, "rope.scaling", std::string("linear"), scaling.reason);
    put_param(layer, "rope.factor", scaling.s, scaling.reason);
    return;
  }
  const std::vector<double> ones(static_cast<std::size_t>(layer.rope.rotary_dims / 2), 1.0);
  put_factors(model, ones, is_one(scaling.s) ? "cos and sin alone are scaled" : scaling.reason,
              scaling, layer);
}

double latent_softmax_factor(const GgufModel& model) {
  const Scaling scaling = scaling_of(model);
  const double log_s = std::log(scaling.s);
  const double a =
      scaling.attention * ggml_magnitude(scaling.s) * (1 + 0.1 * scaling.log_multiplier * log_s);
  return a * a;
}

}  // namespace orrery
