#include <fmt/format.h>

#include "experiments/text/printable.h"
#include "experiments/tokenizers/categories.h"
#include "experiments/tokenizers/read_stages.h"
#include "experiments/tokenizers/regex_syntax.h"

namespace orrery {
namespace {

// Oniguruma's \w, which an ICU set writes out, lacks what Rust's has: joiners.
constexpr std::string_view whitespace_words = R"([\w\u200C\u200D]+|[^\w\s\u200C\u200D]+)";

PreTokenizer read_pre_tokenizer_at(const SortedJson& json, const std::string& where,
                                   std::string_view file);

PreTokenizer read_pre_tokenizers(Component& component) {
  std::vector<PreTokenizer> all;
  for (const SortedJson& each : component.list("pretokenizers"))
    all.push_back(read_pre_tokenizer_at(
        each, fmt::format("{}.pretokenizers[{}]", component.where(), all.size()),
        component.file()));
  return in_sequence(std::move(all));
}

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

PreTokenizer bert_pre_tokenizer() {
  return in_sequence({split_at(is_white_space, SplitBehavior::removed),
                      split_at(is_punctuation, SplitBehavior::isolated)});
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

PrependScheme scheme_named(const std::string& name, const Component& of) {
  if (name == "first") return PrependScheme::first;
  if (name == "always") return PrependScheme::always;
  if (name == "never") return PrependScheme::never;
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
  if (!prefix && options.prepend_scheme != PrependScheme::never)
    component.refuse("no add_prefix_space, and a prepend_scheme that adds one,");
  options.split = component.flag("split", true);
  return metaspace(options);
}

PreTokenizer pre_tokenizer_of_type(Component& component) {
  const std::string type = component.type();
  if (type == "Sequence") return read_pre_tokenizers(component);
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

PreTokenizer read_pre_tokenizer_at(const SortedJson& json, const std::string& where,
                                   std::string_view file) {
  return read_component(json, where, file, pre_tokenizer_of_type);
}

}  // namespace

PreTokenizer read_pre_tokenizer(const SortedJson& json, std::string_view file) {
  require_few_stages(json, "pre_tokenizer", file);
  return json.is_null() ? PreTokenizer() : read_pre_tokenizer_at(json, "pre_tokenizer", file);
}

}  // namespace orrery
