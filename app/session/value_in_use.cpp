#include "app/session/value_in_use.h"

#include "app/session/number_scale.h"

namespace orrery {
namespace {

/// Known while the parameter has the value that the result was made with, or plays no part.
const ValueInUse* found_in_result(const Session& session, std::string_view key) {
  const ExperimentState& state = session.current();
  if (!state.result || !state.result_params) return nullptr;
  for (const ValueInUse& found : state.result->in_use) {
    if (found.key != key) continue;
    const bool same = state.result_params->value(key) == state.params.value(key);
    return !found.why.empty() || same ? &found : nullptr;
  }
  return nullptr;
}

}  // namespace

std::optional<double> number_in_use(const Session& session, std::string_view key) {
  const ValueInUse* found = found_in_result(session, key);
  return found ? found->value : std::nullopt;
}

std::string why_fixed(const Session& session, std::string_view key) {
  const ValueInUse* found = found_in_result(session, key);
  return found ? found->why : "";
}

ParamSpec within_files(const Session& session, const ParamSpec& spec) {
  ParamSpec within = spec;
  const ExperimentState& state = session.current();
  if (!state.result || !state.result_params) return within;
  for (const ParamSpec& other : state.params.specs())
    if (other.kind == ParamKind::file &&
        state.result_params->value(other.key) != state.params.value(other.key))
      return within;  // nothing is known of another file yet
  for (const ValueInUse& found : state.result->in_use)
    if (found.key == spec.key && found.most) within.max = *found.most;
  return within;
}

std::string value_shown(const Session& session, const ParamSpec& spec) {
  const std::optional<double> number = number_in_use(session, spec.key);
  return number ? number_text(*number) : session.current().params.to_text(spec.key);
}

double number_shown(const Session& session, const ParamSpec& spec) {
  return number_in_use(session, spec.key).value_or(number_of(session.current().params, spec));
}

}  // namespace orrery
