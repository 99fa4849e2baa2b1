#include "experiments/setup/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/held_arrays.h"
#include "experiments/files/memory_limit.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/trained_head.h"
#include "experiments/text/marked_text.h"

namespace orrery {

Provenance provenance_of(const ExperimentInfo& info, const ParamSet& params) {
  Provenance provenance{.experiment = info.name, .version = info.version};
  for (const ParamSpec& spec : params.specs())
    if (params.is_stated(spec.key))
      provenance.params.emplace_back(spec.key, params.to_text(spec.key));
  if (params.has("seed")) provenance.seed = params.integer("seed");
  return provenance;
}

namespace {

/// Says of what is shown while it is computed where it comes from.
class ProgressWithProvenance final : public Progress {
 public:
  ProgressWithProvenance(Progress& whole, Provenance provenance)
      : whole_(whole), provenance_(std::move(provenance)) {}

  void update(double fraction, std::string_view stage) override { whole_.update(fraction, stage); }
  void tell(std::string_view sentence) override { whole_.tell(sentence); }
  bool stop_requested() const override { return whole_.stop_requested(); }
  bool wants_to_see() const override { return whole_.wants_to_see(); }
  void see(std::shared_ptr<Result> so_far) override {
    so_far->provenance = provenance_;
    so_far->status = Status::stopped;
    whole_.see(std::move(so_far));
  }

 private:
  Progress& whole_;
  Provenance provenance_;
};

/// Arrays that are refused where they take more memory than there is.
class BoundedArrays final : public HeldArrays {
 public:
  void begin(std::span<const Array> arrays) override {
    double bytes = 0;
    for (const Array& array : arrays) bytes += static_cast<double>(value_bytes(array));
    require_memory(bytes, "holding the arrays",
                   "ask for fewer of them, or write them with orrery run and --out");
    HeldArrays::begin(arrays);
  }
};

}  // namespace

Experiment with_provenance(ExperimentInfo info,
                           Result (*compute)(const ParamSet&, const Inputs&, Progress&),
                           void (*check)(const ParamSet&)) {
  ExperimentInfo source{.name = info.name, .version = info.version};
  const auto check_all = [check](const ParamSet& params, const Inputs& inputs) {
    check_encodings(params, inputs);
    if (check) check(params);
  };
  return {.info = std::move(info),
          .run =
              [source = std::move(source), compute, check_all](
                  const ParamSet& params, const Inputs& inputs, Progress& progress) {
                check_all(params, inputs);
                ProgressWithProvenance named(progress, provenance_of(source, params));
                Result result = compute(params, inputs, named);
                result.provenance = provenance_of(source, params);
                progress.update(1.0, "done");
                return result;
              },
          .check = check_all};
}

Experiment streamed_with_provenance(ExperimentInfo info,
                                    Result (*compute)(const ParamSet&, const Inputs&, ArraySink&,
                                                      Progress&),
                                    void (*check)(const ParamSet&)) {
  const auto check_all = [check](const ParamSet& params, const Inputs&) {
    if (check) check(params);
  };
  const auto stream = [source = ExperimentInfo{.name = info.name, .version = info.version}, compute,
                       check_all](const ParamSet& params, const Inputs& inputs, ArraySink& sink,
                                  Progress& progress) {
    check_all(params, inputs);
    Result result = compute(params, inputs, sink, progress);
    result.provenance = provenance_of(source, params);
    progress.update(1.0, "done");
    return result;
  };
  return {.info = std::move(info),
          .run =
              [stream](const ParamSet& params, const Inputs& inputs, Progress& progress) {
                BoundedArrays held;
                Result result = stream(params, inputs, held, progress);
                result.arrays = held.take();
                return result;
              },
          .stream = stream,
          .check = check_all};
}

std::string setting_text(const ParamSpec& spec, const std::string& value) {
  // An encoding's own parameter keeps its key: two encodings may both call theirs k.
  const bool by_key = spec.symbol.empty() || spec.key.find('.') != std::string::npos;
  return fmt::format("{} = {}{}{}", by_key ? spec.key : spec.symbol, as_marked(value),
                     spec.unit.empty() ? "" : " ", spec.unit);
}

namespace {

constexpr std::string_view separator = " · ";

/// As text, or how many numbers there are, where a caption has no room for them.
std::string brief_value(const ParamSet& params, const ParamSpec& spec) {
  constexpr std::size_t most = 4;
  if (spec.kind != ParamKind::number_list || params.numbers(spec.key).size() <= most)
    return params.to_text(spec.key);
  const std::vector<double>& numbers = params.numbers(spec.key);
  return fmt::format("{} numbers from {} to {}", numbers.size(), number_text(numbers.front()),
                     number_text(numbers.back()));
}

/// "base = 10000 · d = 64 channels"
std::string settings_text(const ParamSet& params, bool changed_only) {
  std::string text;
  for (const ParamSpec& spec : params.specs()) {
    const std::string value = brief_value(params, spec);
    if (!params.is_stated(spec.key) || value.empty()) continue;
    if (changed_only && params.is_default(spec.key)) continue;
    if (!text.empty()) text += separator;
    text += setting_text(spec, value);
  }
  return text;
}

}  // namespace

std::string caption_of(const ParamSet& params) { return settings_text(params, false); }

std::string brief_caption(std::string caption, const ParamSet& params) {
  const std::string all = caption_of(params), brief = settings_text(params, true);
  const std::size_t at = caption.find(all);
  if (all.empty() || at == std::string::npos) return caption;
  caption.replace(at, all.size(), brief);
  if (!brief.empty()) return caption;
  // Nothing is left between what stood before and after.
  if (caption.compare(at, separator.size(), separator) == 0)
    caption.erase(at, separator.size());
  else if (at >= separator.size() && at == caption.size())
    caption.erase(at - separator.size());
  return caption;
}

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
