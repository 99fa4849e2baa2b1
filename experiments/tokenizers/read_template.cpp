#include <fmt/format.h>

#include <algorithm>

#include "experiments/text/printable.h"
#include "experiments/tokenizers/read_stages.h"

namespace orrery {
namespace {

constexpr std::size_t most_template_parts = 1024;

Template read_template_at(const SortedJson& json, const std::string& where, std::string_view file);

std::int32_t read_id(const SortedJson& json, const Component& of) {
  const std::int64_t id = json.is_number_integer() ? json.get<std::int64_t>() : -1;
  if (id < 0 || id >= most_ids) of.refuse("an id that is none");
  return static_cast<std::int32_t>(id);
}

/// ["[SEP]", 102].
std::int32_t read_named_id(const SortedJson& json, const Component& of) {
  if (!json.is_array() || json.size() != 2) of.refuse("a token without an id");
  return read_id(json[1], of);
}

TemplatePart read_special(const SortedJson& json, Component& component) {
  Component special(json, component.where() + ".SpecialToken", component.file());
  special.ignore({"type_id"});
  const std::string name = special.text("id");
  special.finish();
  const SortedJson& all = component.object("special_tokens");
  if (!all.contains(name)) component.refuse(fmt::format("no ids for {}", in_quotes(name)));
  Component token(all[name], component.where() + ".special_tokens", component.file());
  TemplatePart part{.is_text = false, .ids = {}};
  for (const SortedJson& id : token.list("ids")) part.ids.push_back(read_id(id, token));
  if (part.ids.size() > most_template_parts)
    token.refuse(fmt::format("more than {} ids", most_template_parts));
  return part;
}

TemplatePart read_part(const SortedJson& json, Component& component) {
  Component part(json, component.where() + ".single", component.file());
  const SortedJson& special = part.any("SpecialToken");
  const SortedJson& sequence = part.any("Sequence");
  part.finish();
  if (!special.is_null()) return read_special(special, component);
  Component text(sequence, part.where(), part.file());
  text.ignore({"type_id"});
  if (text.text("id") != "A") text.refuse("a second text");
  text.finish();
  return {};
}

Template read_single(Component& component) {
  component.ignore({"pair", "special_tokens"});
  Template parts;
  for (const SortedJson& part : component.list("single")) {
    parts.push_back(read_part(part, component));
    if (parts.size() > most_template_parts)
      component.refuse(fmt::format("more than {} parts", most_template_parts));
  }
  if (std::count_if(parts.begin(), parts.end(), [](const auto& part) { return part.is_text; }) > 1)
    component.refuse("the text more than once");
  return parts;
}

Template read_cls_and_sep(Component& component) {
  component.ignore({"trim_offsets", "add_prefix_space"});
  const std::int32_t cls = read_named_id(component.any("cls"), component);
  return template_around({cls}, {read_named_id(component.any("sep"), component)});
}

/// The outer template with the inner one for its text.
Template nested(const Template& inner, const Template& outer, const Component& of) {
  Template parts;
  for (const TemplatePart& part : outer) {
    if (part.is_text)
      parts.insert(parts.end(), inner.begin(), inner.end());
    else
      parts.push_back(part);
    if (parts.size() > most_template_parts)
      of.refuse(fmt::format("more than {} parts", most_template_parts));
  }
  return parts;
}

Template read_processors(Component& component) {
  Template parts{TemplatePart{}};
  std::size_t index = 0;
  for (const SortedJson& each : component.list("processors")) {
    const std::string where = fmt::format("{}.processors[{}]", component.where(), index++);
    parts = nested(parts, read_template_at(each, where, component.file()), component);
  }
  return parts;
}

Template template_of_type(Component& component) {
  const std::string type = component.type();
  if (type == "Sequence") return read_processors(component);
  if (type == "TemplateProcessing") return read_single(component);
  if (type == "BertProcessing" || type == "RobertaProcessing") return read_cls_and_sep(component);
  if (type != "ByteLevel") component.refuse_type(type);
  component.ignore({"trim_offsets", "add_prefix_space", "use_regex"});
  return {TemplatePart{}};
}

Template read_template_at(const SortedJson& json, const std::string& where, std::string_view file) {
  return read_component(json, where, file, template_of_type);
}

}  // namespace

Template read_template(const SortedJson& json, std::string_view file) {
  if (json.is_null()) return {TemplatePart{}};
  require_few_stages(json, "post_processor", file);
  return read_template_at(json, "post_processor", file);
}

}  // namespace orrery
