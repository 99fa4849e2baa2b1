#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model_files/model_types.h"

namespace orrery {

using Json = nlohmann::ordered_json;

/// Largest configuration that is read.
inline constexpr std::uintmax_t max_config_bytes = std::uintmax_t{8} << 20;

/// A configuration as Python's json module reads it: Infinity and NaN outside of texts become null,
/// the last of equal keys counts. Throws DataError: not JSON, no object, nested deeper than
/// most_levels; models need 5.
Json parse_config(std::string_view text, std::string_view name);

/// A value that a file may not give, and why it is what it is.
template <class T>
struct Valued {
  std::optional<T> value{};
  std::string reason{};
};

/// The values of a configuration by key, then those of the class that the model type names.
/// Each throws DataError, naming the key, for a value of another kind or outside its range.
class ConfigValues {
 public:
  /// @param prefix  of keys in reasons: "text_config."; @param file  in messages and reasons
  ConfigValues(Json values, const ModelType* type, std::string file, std::string prefix);

  /// The value of a key or of one of its other names; null where the file has null, or where
  /// neither the file nor the class has the key, or where the class does not read it.
  const Json* find(std::string_view key) const;
  /// The same without the defaults of the class.
  const Json* find_in_file(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Whether the file has the key, be its value null.
  bool is_given(std::string_view key) const;
  /// Whether the class has a value of its own for a key.
  bool has_default(std::string_view key) const;
  /// Whether a key says nothing to the class. Where the class has a default for it, it has the
  /// value under another name.
  bool is_unread(std::string_view key) const;
  /// "code of gemma3_text in Transformers".
  std::string code() const;
  /// "config.json: head_dim is not read by the code of gpt_neox in Transformers".
  std::string not_read(std::string_view key) const;
  /// "config.json: text_config.n_head", "default of gemma3_text".
  std::string reason(std::string_view key) const;

  Valued<double> number(std::string_view key) const;
  Valued<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most) const;
  /// False where it is neither in the file nor a default.
  bool flag(std::string_view key) const;
  std::string text(std::string_view key) const;  ///< empty where there is none
  const Json* object(std::string_view key) const;
  const Json* list(std::string_view key) const;

  /// The values of a layer: those of per_layer_config of its number in the place of the model's.
  ConfigValues of_layer(int layer) const;

  /// The class that `architectures` names first; empty where it names none.
  std::string class_name() const;
  /// Whether that is one of a decoder alone, "BartForCausalLM".
  bool has_causal_class() const;

  const ModelType* type() const { return type_; }
  const std::string& file() const { return file_; }
  /// "config.json: text_config.KEY", whether or not the file has it.
  std::string key_name(std::string_view key) const;

  /// The keys of the file that were asked for so far, as it spells them.
  const std::set<std::string>& asked() const { return *asked_; }
  /// The keys of the file that neither this nor `others` were asked for, and that may say something of a pass: those of
  /// training, of generation and of bookkeeping do not.
  std::vector<std::string> unread(const std::set<std::string>& others) const;

  /// Throws DataError: the value of that key is not what was expected. Of an unknown type it may
  /// mean something else.
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;

 private:
  std::string spelling_of(std::string_view key) const;
  std::string asked_spelling(std::string_view key) const;

  /// The value that the file has for this layer, or for all; null where it has none.
  const Json* stored(std::string_view key) const;

  std::shared_ptr<const Json> values_;
  std::shared_ptr<const Json> defaults_;
  const ModelType* type_;
  std::string file_;
  std::string prefix_;
  const Json* own_{};  ///< a layer's, within values_
  std::string own_prefix_{};
  std::shared_ptr<std::set<std::string>> asked_{std::make_shared<std::set<std::string>>()};
};

/// The class that `architectures` of a file names first; empty where it names none.
std::string class_in(const Json& values);

/// A number that is finite, or nothing.
std::optional<double> finite_number(const Json& value);

/// The type, or for an unknown name one that does as most do.
const ModelType& type_of(const ConfigValues& config);

/// The keys of a Hugging Face config.json; of a multimodal model those of its text. Throws DataError:
/// not JSON.
ConfigValues text_config(std::string_view text, const std::string& file);

}  // namespace orrery
