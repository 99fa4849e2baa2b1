#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/tokenizers/read_stages.h"
#include "experiments/tokenizers/regex_syntax.h"

namespace orrery {
namespace {

constexpr std::size_t most_stages = 64;

std::size_t count_stages(const SortedJson& json) {
  if (!json.is_structured()) return 0;
  std::size_t count = json.is_object() && json.contains("type") ? 1 : 0;
  for (const SortedJson& part : json) count += count_stages(part);
  return count;
}

Normalizer read_normalizer_at(const SortedJson& json, const std::string& where,
                              std::string_view file);

Normalizer read_normalizers(Component& component) {
  std::vector<Normalizer> all;
  for (const SortedJson& each : component.list("normalizers"))
    all.push_back(read_normalizer_at(
        each, fmt::format("{}.normalizers[{}]", component.where(), all.size()), component.file()));
  return in_sequence(std::move(all));
}

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
  if (type == "Sequence") return read_normalizers(component);
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

Normalizer read_normalizer_at(const SortedJson& json, const std::string& where,
                              std::string_view file) {
  return read_component(json, where, file, normalizer_of_type);
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
  return json.is_null() ? Normalizer() : read_normalizer_at(json, "normalizer", file);
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

}  // namespace orrery
