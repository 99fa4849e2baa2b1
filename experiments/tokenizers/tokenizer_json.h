#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tokenizers/added_beside.h"
#include "experiments/tokenizers/pipeline.h"

namespace orrery {

/// Largest tokenizer.json that is read: those of 2^18 tokens have half of it.
inline constexpr std::uintmax_t max_tokenizer_bytes = std::uintmax_t{64} << 20;

/// JSON whose objects are sorted by key: those of a vocabulary have a hundred thousand.
using SortedJson = nlohmann::json;

/// An object of tokenizer.json whose keys are asked for one by one. What was not asked for is refused:
/// it might change ids.
class Component {
 public:
  /// @param where  its place in the file, in messages: "pre_tokenizer"
  /// @param file   the file
  /// Throws DataError: no object. The JSON must outlive the component.
  Component(const SortedJson& json, std::string where, std::string_view file);

  /// "type". Throws DataError: not there, or no text. So do the others, for a value of another type.
  std::string type();
  std::string text(const std::string& key);
  std::optional<std::string> optional_text(const std::string& key);
  bool flag(const std::string& key, bool otherwise);
  std::int64_t whole(const std::string& key);
  std::optional<std::int64_t> optional_whole(const std::string& key);
  double number(const std::string& key, double otherwise);
  const SortedJson& list(const std::string& key);
  const SortedJson& object(const std::string& key);
  /// The value of a key, or null.
  const SortedJson& any(const std::string& key);
  bool has(const std::string& key) const;
  /// Keys that change no id.
  void ignore(std::initializer_list<const char*> keys);

  /// Throws DataError: a key that was neither asked for nor ignored.
  void finish() const;

  /// Throws DataError: "FILE: has WHAT in WHERE".
  [[noreturn]] void refuse(std::string_view what) const;
  /// For a "type" that is not known.
  [[noreturn]] void refuse_type(std::string_view type) const;

  const std::string& where() const { return where_; }
  const std::string& file() const { return file_; }

 private:
  [[noreturn]] void refuse_value(const std::string& key, std::string_view wanted) const;

  const SortedJson& json_;
  std::string where_, file_;
  std::set<std::string, std::less<>> known_{};
};

/// What of_type makes of a component, which must read all of its keys. Throws as finish() does.
template <class OfType>
auto read_component(const SortedJson& json, const std::string& where, std::string_view file,
                    const OfType& of_type) {
  Component component(json, where, file);
  auto made = of_type(component);
  component.finish();
  return made;
}

/// The same of each component in the list of a key.
template <class OfType>
auto read_components(Component& component, const std::string& key, const OfType& of_type) {
  std::vector<decltype(of_type(component))> all;
  for (const SortedJson& each : component.list(key))
    all.push_back(read_component(each, fmt::format("{}.{}[{}]", component.where(), key, all.size()),
                                 component.file(), of_type));
  return all;
}

// The stages of tokenizer.json. Each throws DataError, naming the file and the component: a type or a
// key that is not known, a value of another type, or what the stage itself refuses.

/// Sequence, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, BertNormalizer, Replace, Prepend,
/// Precompiled, ByteLevel and Nmt; none for null.
Normalizer read_normalizer(const SortedJson& json, std::string_view file);

/// Sequence, ByteLevel, Split, Digits, Punctuation, BertPreTokenizer, Whitespace, WhitespaceSplit,
/// CharDelimiterSplit and Metaspace; none for null.
PreTokenizer read_pre_tokenizer(const SortedJson& json, std::string_view file);

/// BPE, WordPiece and Unigram. Dropout is refused: it draws at random.
std::unique_ptr<Model> read_model(const SortedJson& json, std::string_view file);

/// Throws DataError: more than 64 components in one another or in a row.
void require_few_stages(const SortedJson& json, std::string_view where, std::string_view file);

/// {"String": …} or {"Regex": …}.
Regex read_pattern(const SortedJson& json, const Component& of);

/// Adds the tokens of a list such as tokenizer.json's added_tokens. Throws DataError: an id that is not its place.
void add_tokens(const SortedJson& list, std::string_view name, const Vocabulary& vocabulary,
                std::vector<AddedToken>& all);
/// The same of those beside the file, without such as are there.
void add_tokens_beside(const AddedBeside& beside, const Vocabulary& vocabulary,
                       std::vector<AddedToken>& all);

/// See read_tokenizer.h.
std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view json, std::string_view name,
                                                const AddedBeside& beside);

}  // namespace orrery
