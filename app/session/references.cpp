#include "app/session/references.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

using Words = std::vector<std::string>;

const SharedText* value_of(const Provenance& of, const std::string& key) {
  const auto found = std::find_if(of.params.begin(), of.params.end(),
                                  [&](const auto& param) { return param.first == key; });
  return found == of.params.end() ? nullptr : &found->second;
}

/// "RoPE + ALiBi" for "rope+alibi".
std::string encodings_text(std::string_view list) {
  Words titles;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find('+'), list.size());
    titles.push_back(encoding_title(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return fmt::format("{}", fmt::join(titles, " + "));
}

/// A value as people write it: numbers in groups of digits, files without their folders.
std::string spoken_value(const std::string& value) {
  if (value.empty()) return "none";
  if (value == "true") return "on";
  if (value == "false") return "off";
  if (const std::optional<double> number = number_in(value)) return grouped_number(*number);
  const std::size_t slash = value.find_last_of('/');
  return slash == std::string::npos ? value : value.substr(slash + 1);
}

/// "max distance 512" for a parameter max_distance.
std::string spoken_setting(std::string key, const std::string& value) {
  std::replace_if(
      key.begin(), key.end(), [](char c) { return c == '_' || c == '.'; }, ' ');
  return fmt::format("{} {}", key, spoken_value(value));
}

}  // namespace

std::string key_of_role(const std::string& experiment, ParamRole role) {
  if (const Experiment* known = known_experiment(experiment))
    for (const ParamSpec& spec : known->info.params)
      if (spec.role == role) return spec.key;
  return {};
}

std::string encoding_title(std::string_view name) {
  const EncodingSummary* encoding = find_encoding_summary(name);
  return encoding ? encoding->label : std::string(name);
}

SettingsContrast contrast_of(const Provenance& shown, const Provenance& other) {
  SettingsContrast found;
  Words mine, its, its_values;
  const std::string encodings = key_of_role(shown.experiment, ParamRole::encodings);
  for (const auto& [key, value] : shown.params) {
    const SharedText* theirs = value_of(other, key);
    if (!theirs || *theirs == value) continue;
    if (key == encodings) {
      found.shown_encodings = encodings_text(value);
      found.other_encodings = encodings_text(*theirs);
      continue;
    }
    mine.push_back(spoken_setting(key, value));
    its.push_back(spoken_setting(key, *theirs));
    its_values.push_back(spoken_value(*theirs));
  }
  found.shown = joined_parts(mine);
  found.other = joined_parts(its);
  found.other_values = joined_parts(its_values);
  return found;
}

std::string joined_parts(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += text.empty() ? part : " · " + part;
  return text;
}

std::string reference_name(const SettingsContrast& contrast) {
  return contrast.same() ? "same settings"
                         : joined_parts({contrast.other_encodings, contrast.other});
}

std::string short_reference_name(const SettingsContrast& contrast) {
  return contrast.same() ? "same" : joined_parts({contrast.other_encodings, contrast.other_values});
}

std::string pin_reference(ViewState& shown, const std::shared_ptr<const Result>& result) {
  if (!result) return "There is no result to pin yet";
  std::vector<std::shared_ptr<const Result>>& pinned = shown.references;
  const auto known = std::find_if(pinned.begin(), pinned.end(), [&](const auto& reference) {
    return contrast_of(result->provenance, reference->provenance).same();
  });
  if (known != pinned.end()) {
    *known = result;
    std::rotate(known, known + 1, pinned.end());
    return "These settings are pinned already";
  }
  pinned.push_back(result);
  if (pinned.size() <= max_references)
    return fmt::format("Pinned as reference {} of at most {}", pinned.size(), max_references);
  const std::string oldest =
      reference_name(contrast_of(result->provenance, pinned.front()->provenance));
  pinned.erase(pinned.begin());
  return fmt::format("Pinned in place of the oldest reference, {}", oldest);
}

void unpin_reference(ViewState& shown, std::size_t index) {
  if (index >= shown.references.size()) return;
  shown.references.erase(shown.references.begin() + static_cast<std::ptrdiff_t>(index));
  if (shown.references.empty()) shown.difference = false;
}

}  // namespace orrery
