#include "experiments/tokenizers/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::size_t most_template_parts = 1024;

Template template_of_type(Component& component);

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
  for (const Template& each : read_components(component, "processors", template_of_type))
    parts = nested(parts, each, component);
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

/// Sequence, TemplateProcessing (of single texts), BertProcessing, RobertaProcessing and ByteLevel.
Template read_template(const SortedJson& json, std::string_view file) {
  if (json.is_null()) return {TemplatePart{}};
  require_few_stages(json, "post_processor", file);
  return read_component(json, "post_processor", file, template_of_type);
}

[[noreturn]] void refuse_json(std::string_view name, std::string_view what) {
  throw DataError(name, fmt::format("is no tokenizer ({})", what),
                  "give a tokenizer.json as it was downloaded");
}

SortedJson parsed(std::string_view text, std::string_view name) {
  if (text.size() > max_tokenizer_bytes)
    refuse_json(name,
                fmt::format("{} bytes, and at most {} are read", text.size(), max_tokenizer_bytes));
  if (first_deep_place_in_json(text)) refuse_json(name, "it " + too_deep());
  // The parser takes a NUL for the end of the text.
  if (text.find('\0') != std::string_view::npos) refuse_json(name, "it holds a NUL");
  try {
    return SortedJson::parse(text);
  } catch (const SortedJson::parse_error& error) {
    refuse_json(name, fmt::format("no JSON at byte {}", error.byte));
  } catch (const SortedJson::exception& error) {
    refuse_json(name, error.what());
  }
}

struct ReadToken {
  AddedToken token{};
  std::optional<std::int64_t> id{};
};

ReadToken read_added_token(const SortedJson& json, std::string_view name) {
  Component component(json, "added_tokens", name);
  ReadToken read;
  read.id = component.optional_whole("id");
  read.token.content = component.text("content");
  read.token.single_word = component.flag("single_word", false);
  read.token.lstrip = component.flag("lstrip", false);
  read.token.rstrip = component.flag("rstrip", false);
  const bool special = component.flag("special", false);
  read.token.normalized = component.flag("normalized", !special);
  if (read.token.content.size() > longest_piece) component.refuse("a token that is too long");
  component.ignore({"__type"});
  component.finish();
  return read;
}

bool has_content(const std::vector<AddedToken>& all, const std::string& content) {
  return std::any_of(all.begin(), all.end(),
                     [&](const AddedToken& token) { return token.content == content; });
}

std::vector<AddedToken> read_added_tokens(Component& file, const Vocabulary& vocabulary) {
  std::vector<AddedToken> all;
  if (!file.any("added_tokens").is_null())
    add_tokens(file.list("added_tokens"), file.file(), vocabulary, all);
  return all;
}

/// Whether a component is of the type, or holds one that is.
bool holds_type(const SortedJson& json, std::string_view type) {
  if (json.is_string()) return json.get_ref<const std::string&>() == type;
  if (!json.is_structured()) return false;
  return std::any_of(json.begin(), json.end(),
                     [&](const SortedJson& part) { return holds_type(part, type); });
}

Writing writing_of(Component& file) {
  for (const char* stage : {"normalizer", "pre_tokenizer", "decoder"})
    if (holds_type(file.any(stage), "ByteLevel")) return Writing::byte_level;
  const SortedJson& model = file.any("model");
  const bool is_word_piece = model.is_object() && model.contains("max_input_chars_per_word");
  return is_word_piece ? Writing::word_piece : Writing::metaspace;
}

}  // namespace

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
  const SortedJson& value = any(key);
  if (value.is_null()) return otherwise;
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

// Ids as the reference gives them: that of the vocabulary, else the next one behind it.
void add_tokens(const SortedJson& list, std::string_view name, const Vocabulary& vocabulary,
                std::vector<AddedToken>& all) {
  auto next = static_cast<std::int64_t>(vocabulary.size());
  for (const AddedToken& token : all)
    next = std::max<std::int64_t>(next, std::int64_t{token.id} + 1);
  for (const SortedJson& json : list) {
    ReadToken read = read_added_token(json, name);
    if (read.token.content.empty() || (!read.id && has_content(all, read.token.content))) continue;
    const auto known = vocabulary.id(read.token.content);
    const std::int64_t id = known ? *known : next;
    if (read.id && id != *read.id)
      throw DataError(name,
                      fmt::format("has the added token {} with id {}, and its place is {}, in its "
                                  "added_tokens",
                                  in_quotes(read.token.content), *read.id, id),
                      "give a tokenizer of a kind that is read, as it was downloaded");
    if (!known) ++next;
    read.token.id = static_cast<std::int32_t>(id);
    all.push_back(std::move(read.token));
  }
  if (next >= most_ids)
    throw DataError(name, "has too many added tokens in its added_tokens",
                    "give a tokenizer of a kind that is read, as it was downloaded");
}

void add_tokens_beside(const AddedBeside& beside, const Vocabulary& vocabulary,
                       std::vector<AddedToken>& all) {
  if (beside.list.empty()) return;
  SortedJson news = SortedJson::array();
  for (const SortedJson& token : SortedJson::parse(beside.list)) {
    const auto content = token.find("content");
    const bool named = content != token.end() && content->is_string();
    if (!named || !has_content(all, content->get<std::string>())) news.push_back(token);
  }
  add_tokens(news, beside.file, vocabulary, all);
}

std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view text, std::string_view name,
                                                const AddedBeside& beside) {
  const SortedJson json = parsed(text, name);
  Component file(json, "file", name);
  file.ignore({"version", "truncation", "padding", "decoder"});
  TokenizerStages pipeline;
  pipeline.normalizer = read_normalizer(file.any("normalizer"), name);
  pipeline.pre_tokenizer = read_pre_tokenizer(file.any("pre_tokenizer"), name);
  pipeline.model = read_model(file.object("model"), name);
  pipeline.around = read_template(file.any("post_processor"), name);
  pipeline.added = read_added_tokens(file, pipeline.model->vocabulary());
  add_tokens_beside(beside, pipeline.model->vocabulary(), pipeline.added);
  pipeline.writing = writing_of(file);
  file.finish();
  return pipeline_tokenizer(std::move(pipeline));
}

}  // namespace orrery
