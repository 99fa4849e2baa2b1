#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace orrery {

enum class ParamKind { boolean, integer, real, choice, choice_list, number_list, file, text };

/// The value of a parameter: boolean, integer, real, one name, path or free text, a list of names,
/// or a list of numbers.
using ParamValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                                std::vector<double>>;

struct Choice {
  std::string name;
  std::string description;
};

/// "Read only while parameter `key` is, or contains, one of `any_of`"; "*" is any value that is
/// set.
struct Condition {
  std::string key;
  std::vector<std::string> any_of;
};

/// A name that was given up, and what to write in its place.
struct Retired {
  std::string name;
  std::string remedy;
};

class ParamSet;

/// The meaning of a parameter for programs that show or move it in any experiment; its key and
/// description are for people.
enum class ParamRole {
  none,
  encodings,         ///< the encodings that are compared
  precision,         ///< the pipelines of numbers
  seed,              ///< of random draws
  distance,          ///< m − n, at which figures at one distance are drawn
  longest_distance,  ///< the largest m − n of figures by distance
  context,           ///< tokens that wavelengths are compared with
  read_length        ///< the length for which a model's file is read, in tokens
};

/// One parameter, declared once. Flag, configuration key, slider, tooltip, caption and manifest all
/// follow from it.
struct ParamSpec {
  std::string key{};          ///< as typed: "dim"
  std::string symbol{};       ///< as printed in the literature: "d"
  std::string unit{};         ///< "channels", "tokens", "rad per token"; empty when dimensionless
  std::string description{};  ///< one sentence
  ParamKind kind{ParamKind::integer};
  ParamValue default_value{};
  double min{-std::numeric_limits<double>::infinity()};
  double max{std::numeric_limits<double>::infinity()};
  std::int64_t multiple_of{1};            ///< integers only
  bool logarithmic{false};                ///< the slider moves by ratios
  std::vector<Choice> choices{};          ///< choice and choice_list only
  bool may_be_empty{false};               ///< lists only: naming none is allowed
  std::vector<std::string> file_types{};  ///< file only: extensions that are read, without the dot
  bool may_hide{false};                   ///< arrays only: −∞ is a value, as in additive masks
  bool by_matrix{false};  ///< arrays only: a large one stays in its file, matrix by matrix
  std::optional<Condition> used_when{};
  std::string group{};                    ///< heading under which descriptions and panels fold it
  bool stated_if_set{false};              ///< captions and manifests leave its default out
  std::vector<Retired> retired_keys{};    ///< keys that this parameter replaces
  std::vector<Retired> retired_values{};  ///< choices that it no longer has
  ParamRole role{ParamRole::none};
  /// Whether no value of it would change a number while the others are set like this, though it is
  /// read. Null: each value may.
  bool (*idle)(const ParamSet&){nullptr};
};

/// Values for a fixed list of parameters. Every value in it satisfies its ParamSpec at all times:
/// a setter that throws leaves the set unchanged.
class ParamSet {
 public:
  /// All parameters at their defaults.
  explicit ParamSet(std::vector<ParamSpec> specs);

  const std::vector<ParamSpec>& specs() const { return *specs_; }
  bool has(std::string_view key) const;
  /// Throws UsageError naming the nearest key when there is none such.
  const ParamSpec& spec(std::string_view key) const;
  /// The first parameter of that role; null without one.
  const ParamSpec* with_role(ParamRole role) const;

  /// Parses and sets. Booleans are true/false/yes/no/on/off/1/0; a list is "a+b+c", "1+1.5+2e+8".
  /// Throws UsageError: unknown key, not a number, out of range, not a multiple, unknown choice.
  void set(std::string_view key, std::string_view text);
  /// Sets a typed value. Throws as set() does, and when the type is not the parameter's.
  void set_value(std::string_view key, ParamValue value);
  void reset(std::string_view key);

  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;
  const std::string& text(std::string_view key) const;  ///< choice, file or text
  const std::vector<std::string>& list(std::string_view key) const;
  const std::vector<double>& numbers(std::string_view key) const;
  const ParamValue& value(std::string_view key) const;

  /// The value as set() reads it back, exactly (reals with 17 significant digits where needed).
  std::string to_text(std::string_view key) const;
  bool is_default(std::string_view key) const;
  /// Whether the parameter's condition is met by the present values (and its own condition's).
  bool is_used(std::string_view key) const;
  /// Whether captions, manifests and ids name it: it is used, and is neither an optional list
  /// without a name nor a default that is left out, which is as if there were no such parameter.
  bool is_stated(std::string_view key) const;
  /// Throws UsageError for a key that was set although nothing would read it.
  void require_all_set_are_used() const;
  /// "key=value …" of the parameters that are used and not at their default; set() per word
  /// restores this set.
  std::vector<std::string> overrides() const;

  /// Whether all values are the same, those at their defaults included.
  friend bool operator==(const ParamSet& a, const ParamSet& b);

 private:
  std::size_t index(std::string_view key) const;
  const ParamValue& value_at(std::size_t index) const;

  std::shared_ptr<const std::vector<ParamSpec>> specs_;
  /// What was set, by its place in the specs and in that order.
  std::vector<std::pair<std::size_t, ParamValue>> set_{};
};

/// The value as ParamSet::set reads it.
std::string to_text(const ParamValue& value);
/// Shortest decimal text that reads back as the same double, in any locale.
std::string number_text(double value);

}  // namespace orrery
