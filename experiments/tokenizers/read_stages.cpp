#include "experiments/tokenizers/tokenizer_json.h"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/models.h"
#include "experiments/tokenizers/regex.h"
#include "experiments/tokenizers/unicode.h"

namespace orrery {
namespace {

constexpr std::size_t most_stages = 64;

std::size_t count_stages(const SortedJson& json) {
  if (!json.is_structured()) return 0;
  std::size_t count = json.is_object() && json.contains("type") ? 1 : 0;
  for (const SortedJson& part : json) count += count_stages(part);
  return count;
}

Normalizer normalizer_of_type(Component& component);

Normalizer read_bert_normalizer(Component& component) {
  BertOptions options;
  options.clean_text = component.flag("clean_text", true);
  options.handle_chinese_chars = component.flag("handle_chinese_chars", true);
  options.lowercase = component.flag("lowercase", true);
  options.strip_accents = component.flag("strip_accents", options.lowercase);
  return bert_normalizer(options);
}

Normalizer read_replace(Component& component) {
  return replace(read_pattern(component.any("pattern"), component), component.text("content"));
}

Normalizer read_strip(Component& component) {
  const bool left = component.flag("strip_left", true);
  return strip(left, component.flag("strip_right", true));
}

Normalizer read_precompiled(Component& component) {
  const std::string blob = from_base64(component.text("precompiled_charsmap"), component.file());
  return precompiled(Charsmap(blob, component.file()));
}

Normalizer normalizer_of_type(Component& component) {
  const std::string type = component.type();
  if (type == "Sequence")
    return in_sequence(read_components(component, "normalizers", normalizer_of_type));
  if (type == "NFC") return normal_form(NormalForm::nfc);
  if (type == "NFD") return normal_form(NormalForm::nfd);
  if (type == "NFKC") return normal_form(NormalForm::nfkc);
  if (type == "NFKD") return normal_form(NormalForm::nfkd);
  if (type == "Lowercase") return lowercase();
  if (type == "StripAccents") return strip_accents();
  if (type == "Strip") return read_strip(component);
  if (type == "BertNormalizer") return read_bert_normalizer(component);
  if (type == "Replace") return read_replace(component);
  if (type == "Prepend") return prepended(component.text("prepend"));
  if (type == "Precompiled") return read_precompiled(component);
  if (type == "ByteLevel") return byte_level_normalizer();
  if (type == "Nmt") return nmt();
  component.refuse_type(type);
}

// Oniguruma's \w, which an ICU set writes out, lacks what Rust's has: joiners.
constexpr std::string_view whitespace_words = R"([\w\u200C\u200D]+|[^\w\s\u200C\u200D]+)";

PreTokenizer pre_tokenizer_of_type(Component& component);

SplitBehavior behavior_named(const std::string& name, const Component& of) {
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  of.refuse(fmt::format("the behaviour {}, which is not known,", in_quotes(name)));
}

PreTokenizer read_split(Component& component) {
  Regex pattern = read_pattern(component.any("pattern"), component);
  const SplitBehavior behavior = behavior_named(component.text("behavior"), component);
  return split_by(std::move(pattern), behavior, component.flag("invert", false));
}

PreTokenizer read_digits(Component& component) {
  return split_at(is_numeric, component.flag("individual_digits", false)
                                  ? SplitBehavior::isolated
                                  : SplitBehavior::contiguous);
}

PreTokenizer read_punctuation(Component& component) {
  const std::string behavior = component.optional_text("behavior").value_or("Isolated");
  return split_at(is_punctuation, behavior_named(behavior, component));
}

PreTokenizer read_byte_level(Component& component) {
  component.ignore({"trim_offsets"});
  const bool add_prefix_space = component.flag("add_prefix_space", true);
  return byte_level_pre_tokenizer(add_prefix_space, component.flag("use_regex", true));
}

PreTokenizer read_delimiter(Component& component) {
  return split_by(Regex(literal_pattern(component.text("delimiter")), component.file()),
                  SplitBehavior::removed, false);
}

MetaspaceOptions::PrependScheme scheme_named(const std::string& name, const Component& of) {
  if (name == "first") return MetaspaceOptions::PrependScheme::first;
  if (name == "always") return MetaspaceOptions::PrependScheme::always;
  if (name == "never") return MetaspaceOptions::PrependScheme::never;
  of.refuse(fmt::format("the prepend_scheme {}, which is not known,", in_quotes(name)));
}

PreTokenizer read_metaspace(Component& component) {
  component.ignore({"str_rep"});
  MetaspaceOptions options;
  options.replacement = component.text("replacement");
  if (options.replacement.empty() ||
      character_length(options.replacement, 0) != options.replacement.size())
    component.refuse("a replacement that is not one character");
  // Files before 2024 have add_prefix_space alone.
  const bool prefix = component.flag("add_prefix_space", true);
  const auto scheme = component.optional_text("prepend_scheme");
  options.prepend_scheme = scheme_named(scheme.value_or(prefix ? "always" : "never"), component);
  if (!prefix && options.prepend_scheme != MetaspaceOptions::PrependScheme::never)
    component.refuse("no add_prefix_space, and a prepend_scheme that adds one,");
  options.split = component.flag("split", true);
  return metaspace(options);
}

PreTokenizer pre_tokenizer_of_type(Component& component) {
  const std::string type = component.type();
  if (type == "Sequence")
    return in_sequence(read_components(component, "pretokenizers", pre_tokenizer_of_type));
  if (type == "ByteLevel") return read_byte_level(component);
  if (type == "Split") return read_split(component);
  if (type == "Digits") return read_digits(component);
  if (type == "Punctuation") return read_punctuation(component);
  if (type == "BertPreTokenizer") return bert_pre_tokenizer();
  if (type == "WhitespaceSplit") return split_at(is_white_space, SplitBehavior::removed);
  if (type == "Whitespace")
    return split_by(Regex(whitespace_words, component.file()), SplitBehavior::removed, true);
  if (type == "CharDelimiterSplit") return read_delimiter(component);
  if (type == "Metaspace") return read_metaspace(component);
  component.refuse_type(type);
}

constexpr std::size_t longest_affix = 64;

Vocabulary read_vocabulary(Component& component) {
  Vocabulary vocabulary(component.file());
  for (const auto& [piece, id] : component.object("vocab").items()) {
    if (!id.is_number_integer())
      component.refuse(fmt::format("token {} without an id", in_quotes(piece)));
    vocabulary.add(piece, id.get<std::int64_t>());
  }
  return vocabulary;
}

std::pair<std::string, std::string> pair_of_text(const std::string& merge, const Component& of) {
  const std::size_t space = merge.find(' ');
  if (space == std::string::npos || merge.find(' ', space + 1) != std::string::npos)
    of.refuse(fmt::format("the merge {}, which is not two pieces,", in_quotes(merge)));
  return {merge.substr(0, space), merge.substr(space + 1)};
}

std::pair<std::string, std::string> pair_of(const SortedJson& merge, const Component& of) {
  if (merge.is_string()) return pair_of_text(merge.get<std::string>(), of);
  if (!merge.is_array() || merge.size() != 2 || !merge[0].is_string() || !merge[1].is_string())
    of.refuse("a merge that is not two pieces");
  return {merge[0].get<std::string>(), merge[1].get<std::string>()};
}

MergeList read_merges(Component& component) {
  MergeList merges;
  for (const SortedJson& merge : component.list("merges")) {
    const bool is_heading = merge.is_string() && merge.get<std::string>().starts_with("#version");
    if (!is_heading) merges.push_back(pair_of(merge, component));
  }
  return merges;
}

std::unique_ptr<Model> read_bpe(Component& component) {
  if (component.number("dropout", 0) != 0) component.refuse("a dropout, which draws at random,");
  BpeOptions options;
  options.unknown = component.optional_text("unk_token");
  options.continuing_subword_prefix =
      component.optional_text("continuing_subword_prefix").value_or("");
  options.end_of_word_suffix = component.optional_text("end_of_word_suffix").value_or("");
  for (const std::string& affix : {options.continuing_subword_prefix, options.end_of_word_suffix})
    if (affix.size() > longest_affix) component.refuse("a prefix or suffix that is too long");
  options.fuse_unknown = component.flag("fuse_unk", false);
  options.byte_fallback = component.flag("byte_fallback", false);
  options.ignore_merges = component.flag("ignore_merges", false);
  Vocabulary vocabulary = read_vocabulary(component);
  return bpe_model(std::move(vocabulary), read_merges(component), std::move(options));
}

std::unique_ptr<Model> read_word_piece(Component& component) {
  WordPieceOptions options;
  options.unknown = component.text("unk_token");
  options.continuing_subword_prefix = component.text("continuing_subword_prefix");
  const std::int64_t most = component.whole("max_input_chars_per_word");
  if (most < 0) component.refuse("a negative max_input_chars_per_word");
  options.max_input_chars_per_word = static_cast<std::size_t>(most);
  return word_piece_model(read_vocabulary(component), options);
}

std::unique_ptr<Model> read_unigram(Component& component) {
  if (component.number("alpha", 0) != 0) component.refuse("an alpha, which draws at random,");
  component.ignore({"nbest_size"});
  Vocabulary vocabulary(component.file());
  std::vector<double> scores;
  for (const SortedJson& entry : component.list("vocab")) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
      component.refuse(fmt::format("no piece and score for token {}", scores.size()));
    scores.push_back(entry[1].get<double>());
    if (!std::isfinite(scores.back()))
      component.refuse(fmt::format("a score of token {} that is not finite", scores.size() - 1));
    vocabulary.add(entry[0].get<std::string>(), static_cast<std::int64_t>(scores.size()) - 1);
  }
  UnigramOptions options;
  const std::int64_t unknown = component.optional_whole("unk_id").value_or(-1);
  if (unknown < -1 || unknown >= static_cast<std::int64_t>(scores.size()))
    component.refuse(fmt::format("the unk_id {}, which is no token,", unknown));
  options.unknown = static_cast<std::int32_t>(unknown);
  options.byte_fallback = component.flag("byte_fallback", false);
  return unigram_model(std::move(vocabulary), std::move(scores), std::move(options));
}

/// Files before 2020 do not name the type.
std::string type_of_model(Component& component) {
  if (const auto type = component.optional_text("type")) return *type;
  if (component.has("merges")) return "BPE";
  return component.has("max_input_chars_per_word") ? "WordPiece" : "Unigram";
}

std::unique_ptr<Model> model_of_type(Component& component) {
  const std::string type = type_of_model(component);
  if (type == "BPE") return read_bpe(component);
  if (type == "WordPiece") return read_word_piece(component);
  if (type == "Unigram") return read_unigram(component);
  component.refuse_type(type);
}

}  // namespace

void require_few_stages(const SortedJson& json, std::string_view where, std::string_view file) {
  const std::size_t count = count_stages(json);
  if (count > most_stages)
    throw DataError(file,
                    fmt::format("has {} components in its {}, and at most {} are read", count,
                                where, most_stages),
                    "give a tokenizer.json as it was downloaded");
}

Normalizer read_normalizer(const SortedJson& json, std::string_view file) {
  require_few_stages(json, "normalizer", file);
  return json.is_null() ? Normalizer()
                        : read_component(json, "normalizer", file, normalizer_of_type);
}

Regex read_pattern(const SortedJson& json, const Component& of) {
  Component pattern(json, of.where() + ".pattern", of.file());
  const auto text = pattern.optional_text("String");
  const auto expression = pattern.optional_text("Regex");
  pattern.finish();
  if (text && !expression) return Regex(literal_pattern(*text), of.file());
  if (expression && !text) return Regex(*expression, of.file());
  pattern.refuse("neither a String nor a Regex");
}

PreTokenizer read_pre_tokenizer(const SortedJson& json, std::string_view file) {
  require_few_stages(json, "pre_tokenizer", file);
  return json.is_null() ? PreTokenizer()
                        : read_component(json, "pre_tokenizer", file, pre_tokenizer_of_type);
}

std::unique_ptr<Model> read_model(const SortedJson& json, std::string_view file) {
  return read_component(json, "model", file, model_of_type);
}

}  // namespace orrery
