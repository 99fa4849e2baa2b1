#include "experiments/cli/name_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "experiments/reports/report_parts.h"
#include "experiments/results/manifest.h"
#include "experiments/results/saved_result.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/text/ascii.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// What papers and other programs call an encoding.
constexpr std::array<std::pair<const char*, const char*>, 8> other_encodings{{
    {"rotary", "rope"},
    {"roformer", "rope"},
    {"nope", "none"},
    {"absolute", "learned"},
    {"fourier", "sinusoidal"},
    {"relative", "shaw"},
    {"mrope", "axis_rope"},
    {"forgetting", "fox"},
}};

bool has_choice(const ParamSpec& spec, const std::string& name) {
  return std::any_of(spec.choices.begin(), spec.choices.end(), [&](const Choice& choice) {
    return lower_ascii(choice.name) == lower_ascii(name);
  });
}

/// An encoding's parameter that has this choice, and the encoding.
std::optional<std::pair<std::string, std::string>> setting_with_choice(const std::string& name) {
  for (const EncodingSummary& encoding : encoding_list())
    for (const ParamSpec& spec : encoding.params)
      if (has_choice(spec, name)) return std::pair(encoding.name, spec.key);
  return std::nullopt;
}

std::string encoding_called(const std::string& name) {
  for (const EncodingSummary& encoding : encoding_list())
    if (encoding.name == lower_ascii(name)) return encoding.name;
  for (const auto& [other, encoding] : other_encodings)
    if (lower_ascii(name) == other) return encoding;
  return {};
}

void suggest_for_folder(const std::string& name) {
  const std::string quoted = shell_line({name});
  if (is_sweep_folder(name))
    throw UsageError(name, "is the folder of a sweep",
                     fmt::format("orrery resume {0} computes what is left, orrery report {0} and "
                                 "orrery plot {0} show it",
                                 quoted));
  std::error_code failure;
  if (fs::exists(fs::path(name) / "manifest.json", failure))
    throw UsageError(
        name, "is the folder of a result",
        fmt::format("orrery redraw {0} draws it again, orrery report {0} shows it, and "
                    "its settings with other values are orrery run again",
                    quoted));
}

/// "orrery run rotation dim=64 …" of the result in this folder.
std::string command_of(const fs::path& folder) {
  return run_command_line(experiment_of(SavedFolder(folder).manifest()), "");
}

void suggest_for_manifest(const std::string& name) {
  const fs::path path(name);
  std::error_code failure;
  if (path.filename() != "manifest.json" || !fs::exists(path, failure)) return;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (is_sweep_folder(folder)) suggest_for_folder(folder.string());
  std::string command;
  try {
    command = command_of(folder);
  } catch (const std::exception&) {
    return;  // not one of ours
  }
  throw UsageError(name, "says how a result was made, and is no sweep file",
                   fmt::format("make it again with {}", command));
}

void suggest_for_parameter(const std::string& name) {
  for (const EncodingSummary& encoding : encoding_list())
    for (const ParamSpec& spec : encoding.params)
      if (spec.key == name)
        throw UsageError(name, fmt::format("is a parameter of {}", encoding.name),
                         fmt::format("orrery describe {} explains it", encoding.name));
  for (const Experiment* experiment : experiment_catalogue())
    for (const ParamSpec& spec : experiment->info.params)
      if (spec.key == name)
        throw UsageError(name, fmt::format("is a parameter of {}", experiment->info.name),
                         fmt::format("orrery describe {} explains it", experiment->info.name));
}

}  // namespace

void suggest_for_name(const std::string& name) {
  if (name == "model_answers")
    throw UsageError(name, "was parted into four experiments",
                     "type lens, patch, repeat or needle in place of ask=");
  suggest_for_folder(name);
  suggest_for_manifest(name);
  if (const std::string encoding = encoding_called(name); !encoding.empty())
    throw UsageError(name, fmt::format("is an encoding, {}", encoding),
                     fmt::format("orrery describe {0} explains it, and orrery run long_term_decay "
                                 "encoding={0} runs an experiment with it",
                                 encoding));
  suggest_for_parameter(name);
  if (const auto setting = setting_with_choice(name))
    throw UsageError(
        name, fmt::format("is a choice of {}", setting->second),
        fmt::format("orrery describe {0} explains it, and encoding={0} {1}={2} sets it",
                    setting->first, setting->second, lower_ascii(name)));
}

void suggest_for_value(const std::string& message) {
  const std::size_t equals = message.find('=');
  const std::size_t colon = message.find(": must be one of ");
  if (equals == std::string::npos || colon == std::string::npos || equals > colon) return;
  const std::string key = message.substr(0, equals);
  const std::string value = message.substr(equals + 1, colon - equals - 1);
  if (key != "encoding") return;
  const std::string rule = "is not an encoding";
  if (const std::string encoding = encoding_called(value); !encoding.empty())
    throw UsageError(message.substr(0, colon), rule,
                     fmt::format("did you mean encoding={}?", encoding));
  if (const auto setting = setting_with_choice(value))
    throw UsageError(message.substr(0, colon), rule,
                     fmt::format("did you mean encoding={} {}={}?", setting->first, setting->second,
                                 lower_ascii(value)));
}

}  // namespace orrery
