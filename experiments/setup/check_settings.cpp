#include "experiments/setup/check_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/trained_head.h"

namespace orrery {
namespace {

struct Channels {
  Index d_model{}, d_head{};
};

/// From "dim", from the trained model or from the user's queries; nothing where neither is given
/// and where the file is not one that can be rotated: the experiment says what is wrong with it.
std::optional<Channels> channels_of(const ParamSet& params, const Inputs& inputs) {
  const auto of_head = [](Index d) { return Channels{d, d}; };
  if (params.has("dim") && params.is_used("dim")) return of_head(params.integer("dim"));
  if (has_trained_contents(params)) return Channels{trained_d_model, trained_d_head};
  const auto q = inputs.find("q");
  if (q == inputs.end()) return std::nullopt;
  const auto* tensor = std::get_if<Tensor>(&q->second);
  if (!tensor || tensor->shape.empty()) return std::nullopt;
  const auto channels = static_cast<Index>(tensor->shape.back());
  return channels > 0 && channels % 2 == 0 ? std::optional(of_head(channels)) : std::nullopt;
}

}  // namespace

void check_acts_on_qk(const ParamSet& params) {
  for (const std::string& name : params.list("encoding")) {
    if (!find_encoding(name).uses(Door::input_term)) continue;
    throw UsageError(fmt::format("encoding={} with q and k", name),
                     "it adds to x before W_q and W_k, which are unknown when q and k are given",
                     "leave q and k out, or choose an encoding that acts on q, k or the scores");
  }
}

ParamSet with_every_encoding_param(const ParamSet& params) {
  ParamSet all(with_encoding_params({encodings_param({"none"})}));
  for (const ParamSpec& spec : params.specs())
    if (all.has(spec.key)) all.set_value(spec.key, params.value(spec.key));
  return all;
}

void check_encodings(const ParamSet& params, const Inputs& inputs) {
  const bool layer = params.has("heads");
  if (layer && params.has("head")) head_of(params);
  if (has_trained_contents(params)) check_trained_head(params.integer("head"));
  const bool compares =
      params.has("encoding") && params.spec("encoding").kind == ParamKind::choice_list;
  if (!compares) return;
  if (inputs.find("q") != inputs.end()) check_acts_on_qk(params);
  const std::optional<Channels> d = channels_of(params, inputs);
  if (!d) return;
  const int heads = layer ? static_cast<int>(params.integer("heads")) : 1;
  const ParamSet all = with_every_encoding_param(params);
  for (const std::string& name : params.list("encoding"))
    check_encoding(name,
                   {.d_model = d->d_model, .d_head = d->d_head, .heads = heads, .params = all});
}

void check_last_position(const ParamSet& params, Position last) {
  const ParamSet all = with_every_encoding_param(params);
  for (const std::string& name : params.list("encoding")) {
    const std::string& key = find_encoding(name).info.length_param;
    if (key.empty() || last < all.integer(key)) continue;
    throw UsageError(fmt::format("{}={} with positions up to {}", key, all.integer(key), last),
                     fmt::format("{} has positions 0 to {}", name, all.integer(key) - 1),
                     fmt::format("raise {}, take fewer tokens, or start earlier", key));
  }
}

double drawn_projections(const std::string& encoding) {
  const std::vector<TableSpec>& tables = find_encoding(encoding).info.tables;
  const auto is_projection = [](const TableSpec& table) {
    return table.drawn && table.shape == "[d_model, heads·d_head]";
  };
  return static_cast<double>(std::ranges::count_if(tables, is_projection));
}

void check_operations(const std::string& settings, double operations, const std::string& remedy) {
  if (operations <= most_operations) return;
  throw UsageError(settings,
                   fmt::format("takes {:.2g} operations, and the most in one run is {:.2g}",
                               operations, most_operations),
                   remedy);
}

void check_obeyed(const ParamSet& params, const Result& result) {
  for (const ValueInUse& found : result.in_use)
    if (!found.why.empty() && params.has(found.key) && params.is_used(found.key) &&
        !params.is_default(found.key))
      throw UsageError(fmt::format("{}={}", found.key, params.to_text(found.key)),
                       "changes nothing: " + found.why, fmt::format("leave {} out", found.key));
}

}  // namespace orrery
