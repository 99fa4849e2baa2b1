#include "experiments/tokenizers/component.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/text/printable.h"

namespace orrery {

Component::Component(const SortedJson& json, std::string where, std::string_view file)
    : json_(json), where_(std::move(where)), file_(file) {
  if (!json_.is_object()) refuse("no object");
}

std::string Component::type() { return text("type"); }

std::string Component::text(const std::string& key) {
  const SortedJson& value = any(key);
  if (!value.is_string()) refuse_value(key, "a text");
  return value.get<std::string>();
}

std::optional<std::string> Component::optional_text(const std::string& key) {
  if (any(key).is_null()) return std::nullopt;
  return text(key);
}

bool Component::flag(const std::string& key, bool otherwise) {
  return optional_flag(key).value_or(otherwise);
}

std::optional<bool> Component::optional_flag(const std::string& key) {
  const SortedJson& value = any(key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_boolean()) refuse_value(key, "true or false");
  return value.get<bool>();
}

std::int64_t Component::whole(const std::string& key) {
  const SortedJson& value = any(key);
  if (!value.is_number_integer()) refuse_value(key, "a whole number");
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> Component::optional_whole(const std::string& key) {
  if (any(key).is_null()) return std::nullopt;
  return whole(key);
}

double Component::number(const std::string& key, double otherwise) {
  const SortedJson& value = any(key);
  if (value.is_null()) return otherwise;
  if (!value.is_number()) refuse_value(key, "a number");
  return value.get<double>();
}

const SortedJson& Component::list(const std::string& key) {
  const SortedJson& value = any(key);
  if (!value.is_array()) refuse_value(key, "a list");
  return value;
}

const SortedJson& Component::object(const std::string& key) {
  const SortedJson& value = any(key);
  if (!value.is_object()) refuse_value(key, "an object");
  return value;
}

const SortedJson& Component::any(const std::string& key) {
  static const SortedJson null;
  known_.insert(key);
  const auto found = json_.find(key);
  return found == json_.end() ? null : *found;
}

bool Component::has(const std::string& key) const { return json_.contains(key); }

void Component::ignore(std::initializer_list<const char*> keys) {
  for (const char* key : keys) known_.insert(key);
}

void Component::finish() const {
  for (const auto& [key, value] : json_.items())
    if (!known_.contains(key)) refuse(fmt::format("the unknown key {}", in_quotes(key)));
}

void Component::refuse(std::string_view what) const {
  throw DataError(file_, fmt::format("has {} in its {}", what, where_),
                  "give a tokenizer of a kind that is read, as it was downloaded");
}

void Component::refuse_type(std::string_view type) const {
  refuse(fmt::format("the type {}, which is not known,", in_quotes(type)));
}

void Component::refuse_value(const std::string& key, std::string_view wanted) const {
  const auto found = json_.find(key);
  if (found == json_.end()) refuse(fmt::format("no key {}", in_quotes(key)));
  refuse(fmt::format("{} for {}, which must be {},", found->type_name(), in_quotes(key), wanted));
}

}  // namespace orrery
