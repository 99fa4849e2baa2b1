#include "experiments/setup/provenance.h"

#include <fmt/format.h>

#include <utility>

#include "experiments/setup/check_settings.h"

namespace orrery::setup {

Provenance provenance_of(const ExperimentInfo& info, const ParamSet& params) {
  Provenance provenance{.experiment = info.name, .version = info.version};
  for (const ParamSpec& spec : params.specs())
    if (params.is_stated(spec.key))
      provenance.params.emplace_back(spec.key, params.to_text(spec.key));
  if (params.has("seed")) provenance.seed = params.integer("seed");
  return provenance;
}

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
                Result result = compute(params, inputs, progress);
                result.provenance = provenance_of(source, params);
                return result;
              },
          .check = check_all};
}

std::string setting_text(const ParamSpec& spec, const std::string& value) {
  // An encoding's own parameter keeps its key: two encodings may both call theirs k.
  const bool by_key = spec.symbol.empty() || spec.key.find('.') != std::string::npos;
  return fmt::format("{} = {}{}{}", by_key ? spec.key : spec.symbol, value,
                     spec.unit.empty() ? "" : " ", spec.unit);
}

std::string caption_of(const ParamSet& params) {
  std::string caption;
  for (const ParamSpec& spec : params.specs()) {
    const std::string value = params.to_text(spec.key);
    if (!params.is_stated(spec.key) || value.empty()) continue;
    if (!caption.empty()) caption += " · ";
    caption += setting_text(spec, value);
  }
  return caption;
}

}  // namespace orrery::setup
