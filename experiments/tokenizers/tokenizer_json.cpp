#include "experiments/tokenizers/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/read_stages.h"

namespace orrery {
namespace {

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
  std::int64_t id{};
};

ReadToken read_added_token(const SortedJson& json, std::string_view name) {
  Component component(json, "added_tokens", name);
  ReadToken read;
  read.id = component.whole("id");
  read.token.content = component.text("content");
  read.token.single_word = component.flag("single_word", false);
  read.token.lstrip = component.flag("lstrip", false);
  read.token.rstrip = component.flag("rstrip", false);
  const bool special = component.flag("special", false);
  read.token.normalized = component.flag("normalized", !special);
  if (read.token.content.size() > longest_piece) component.refuse("a token that is too long");
  component.finish();
  return read;
}

/// Ids as the reference gives them: that of the vocabulary, else the next one behind it.
std::vector<AddedToken> read_added_tokens(Component& file, const Vocabulary& vocabulary) {
  std::vector<AddedToken> all;
  auto next = static_cast<std::int64_t>(vocabulary.size());
  if (file.any("added_tokens").is_null()) return all;
  for (const SortedJson& json : file.list("added_tokens")) {
    ReadToken read = read_added_token(json, file.file());
    if (read.token.content.empty()) continue;
    const auto known = vocabulary.id(read.token.content);
    const std::int64_t id = known ? *known : next;
    if (id != read.id)
      file.refuse(fmt::format("the added token {} with id {}, and its place is {},",
                              in_quotes(read.token.content), read.id, id));
    if (!known) ++next;
    read.token.id = static_cast<std::int32_t>(id);
    all.push_back(std::move(read.token));
  }
  if (next >= most_ids) file.refuse("too many added tokens");
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

std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view text, std::string_view name) {
  const SortedJson json = parsed(text, name);
  Component file(json, "file", name);
  file.ignore({"version", "truncation", "padding", "decoder"});
  TokenizerStages pipeline;
  pipeline.normalizer = read_normalizer(file.any("normalizer"), name);
  pipeline.pre_tokenizer = read_pre_tokenizer(file.any("pre_tokenizer"), name);
  pipeline.model = read_model(file.object("model"), name);
  pipeline.around = read_template(file.any("post_processor"), name);
  pipeline.added = read_added_tokens(file, pipeline.model->vocabulary());
  pipeline.writing = writing_of(file);
  file.finish();
  return pipeline_tokenizer(std::move(pipeline));
}

}  // namespace orrery
