#include "experiments/setup/provenance.h"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <utility>

#include "experiments/data/array_codec.h"
#include "experiments/data/held_arrays.h"
#include "experiments/files/memory_limit.h"
#include "experiments/setup/check_settings.h"
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

}  // namespace orrery
