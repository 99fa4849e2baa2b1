#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/params.h"

namespace orrery {

/// The key of a parameter, and the symbol and unit with which figures name it.
struct ParamName {
  ParamName(const char* key_, const char* symbol_ = "", const char* unit_ = "")
      : key(key_), symbol(symbol_), unit(unit_) {}
  std::string key, symbol, unit;
};
/// A whole number in [min, max].
ParamSpec count_param(const ParamName& name, const std::string& description, std::int64_t value,
                      double min, double max);
/// The same with a logarithmic slider.
ParamSpec log_count_param(const ParamName& name, const std::string& description, std::int64_t value,
                          double min, double max);
/// A number in [min, max].
ParamSpec real_param(const ParamName& name, const std::string& description, double value,
                     double min, double max);
/// The same with a logarithmic slider.
ParamSpec log_real_param(const ParamName& name, const std::string& description, double value,
                         double min, double max);
/// True or false.
ParamSpec flag_param(const ParamName& name, const std::string& description, bool value);
/// One of the choices.
ParamSpec choice_param(const ParamName& name, const std::string& description,
                       const std::string& value, std::vector<Choice> choices);
/// One or several of them.
ParamSpec choices_param(const ParamName& name, const std::string& description,
                        std::vector<std::string> values, std::vector<Choice> choices);
/// The parameter as one of that role.
ParamSpec with_role(ParamRole role, ParamSpec spec);
/// The parameter as one that is read only while the one with that key is any of these.
ParamSpec read_while(const std::string& key, std::vector<std::string> any_of, ParamSpec spec);
/// The parameter as one whose default captions and manifests leave out.
ParamSpec stated_if_set(ParamSpec spec);
/// Parameters within the braces of joined(), which lets only what is mutable be moved out.
struct JoinedParams {
  JoinedParams(std::vector<ParamSpec> list) : specs(std::move(list)) {}  // NOLINT(*-explicit-*)
  JoinedParams(std::initializer_list<ParamSpec> list) : specs(list) {}
  mutable std::vector<ParamSpec> specs;
};
/// The lists one behind the other.
std::vector<ParamSpec> joined(std::initializer_list<JoinedParams> lists);

}  // namespace orrery
