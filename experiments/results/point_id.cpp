#include "experiments/results/point_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/setup/plugins.h"

namespace orrery {
namespace {

constexpr std::size_t id_digits = 12;

std::string content_of(const std::string& key, const std::vector<InputFile>& files) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const InputFile& file) { return file.key == key; });
  check_invariant(found != files.end(), "a point's files are read before it is named");
  return content_id(*found);
}

std::map<std::string, std::string> effective(const ParamSet& params,
                                             const std::vector<InputFile>& files) {
  std::map<std::string, std::string> values;
  for (const ParamSpec& spec : params.specs()) {
    if (!params.is_stated(spec.key)) continue;
    const std::string text = params.to_text(spec.key);
    const bool names_file = spec.kind == ParamKind::file && !text.empty();
    values[spec.key] = names_file ? content_of(spec.key, files) : text;
  }
  return values;
}

}  // namespace

std::string point_id(const ExperimentInfo& info, const ParamSet& params,
                     const std::vector<InputFile>& files) {
  std::string text = fmt::format("{}\n{}\n", info.name, info.version);
  std::vector<std::string> settings;
  for (const auto& [key, value] : effective(params, files)) settings.push_back(key + "=" + value);
  for (const std::string& setting : settings) text += setting + "\n";
  for (const Plugin& plugin : plugins_named_in(settings)) text += plugin.sha256 + "\n";
  return sha256_hex(text).substr(0, id_digits);
}

}  // namespace orrery
