#include "core/param_specs.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace orrery {

ParamSpec count_param(const ParamName& name, const std::string& description, std::int64_t value,
                      double min, double max) {
  return {.key = name.key,
          .symbol = name.symbol,
          .unit = name.unit,
          .description = description,
          .kind = ParamKind::integer,
          .default_value = value,
          .min = min,
          .max = max};
}

ParamSpec log_count_param(const ParamName& name, const std::string& description, std::int64_t value,
                          double min, double max) {
  ParamSpec spec = count_param(name, description, value, min, max);
  spec.logarithmic = true;
  return spec;
}

ParamSpec real_param(const ParamName& name, const std::string& description, double value,
                     double min, double max) {
  ParamSpec spec = count_param(name, description, 0, min, max);
  spec.kind = ParamKind::real;
  spec.default_value = value;
  return spec;
}

ParamSpec log_real_param(const ParamName& name, const std::string& description, double value,
                         double min, double max) {
  ParamSpec spec = real_param(name, description, value, min, max);
  spec.logarithmic = true;
  return spec;
}

ParamSpec flag_param(const ParamName& name, const std::string& description, bool value) {
  return {.key = name.key,
          .symbol = name.symbol,
          .description = description,
          .kind = ParamKind::boolean,
          .default_value = value};
}

ParamSpec choice_param(const ParamName& name, const std::string& description,
                       const std::string& value, std::vector<Choice> choices) {
  return {.key = name.key,
          .symbol = name.symbol,
          .description = description,
          .kind = ParamKind::choice,
          .default_value = value,
          .choices = std::move(choices)};
}

ParamSpec choices_param(const ParamName& name, const std::string& description,
                        std::vector<std::string> values, std::vector<Choice> choices) {
  ParamSpec spec = choice_param(name, description, "", std::move(choices));
  spec.kind = ParamKind::choice_list;
  spec.default_value = std::move(values);
  return spec;
}

ParamSpec with_role(ParamRole role, ParamSpec spec) {
  spec.role = role;
  return spec;
}

ParamSpec read_while(const std::string& key, std::vector<std::string> any_of, ParamSpec spec) {
  spec.used_when = Condition{key, std::move(any_of)};
  return spec;
}

ParamSpec stated_if_set(ParamSpec spec) {
  spec.stated_if_set = true;
  return spec;
}

std::vector<ParamSpec> joined(std::initializer_list<JoinedParams> lists) {
  std::size_t count = 0;
  for (const JoinedParams& list : lists) count += list.specs.size();
  std::vector<ParamSpec> specs;
  specs.reserve(count);
  for (const JoinedParams& list : lists) std::ranges::move(list.specs, std::back_inserter(specs));
  return specs;
}

}  // namespace orrery
