#include "experiments/sweeps/sweep_yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <sstream>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/text/nesting.h"

namespace orrery::sweeps {
namespace {

constexpr std::size_t most_bytes = std::size_t{1}
                                   << 20;  // a few lines of aliases can name billions
constexpr int most_depth = 16;

[[noreturn]] void refuse_at(const std::string& display_name, const YAML::Mark& at,
                            std::string_view rule, std::string_view remedy) {
  throw DataError(fmt::format("{}, line {}, column {}", display_name, at.line + 1, at.column + 1),
                  rule, remedy);
}

/// Ends parsing where a document goes too deep: yaml-cpp recurses into each level.
class LevelGuard final : public YAML::EventHandler {
 public:
  explicit LevelGuard(const std::string& display_name) : display_name_(display_name) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark& at, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    go_deeper(at);
  }
  void OnSequenceEnd() override { --levels_; }
  void OnMapStart(const YAML::Mark& at, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    go_deeper(at);
  }
  void OnMapEnd() override { --levels_; }

 private:
  void go_deeper(const YAML::Mark& at) {
    if (++levels_ > most_levels)
      refuse_at(display_name_, at, too_deep(), "write fewer lists and keys within each other");
  }

  const std::string& display_name_;
  std::size_t levels_{0};
};

YAML::Node bounded_yaml(std::string_view yaml, const std::string& display_name) {
  const std::string text(yaml);
  std::istringstream stream(text);
  LevelGuard guard(display_name);
  YAML::Parser(stream).HandleNextDocument(guard);
  return YAML::Load(text);
}

/// Writes nodes as TOML.
class Writer {
 public:
  explicit Writer(const std::string& display_name) : display_name_(display_name) {}

  /// Values first, as in TOML whatever follows a table's heading belongs to it.
  std::string write(const YAML::Node& root) {
    if (!root.IsMap()) refuse(root, "is not a list of keys", "begin with experiment: NAME");
    require_distinct(root);
    std::string tables;
    for (const auto& entry : root) {
      const std::string key = key_of(entry.first);
      if (entry.second.IsMap())
        tables += fmt::format("[{}]\n", key) + entries(entry.second, "");
      else
        values_ += fmt::format("{} = {}\n", key, value(entry.second));
    }
    return values_ + tables;
  }

 private:
  [[noreturn]] void refuse(const YAML::Node& at, std::string_view rule,
                           std::string_view remedy) const {
    refuse_at(display_name_, at.Mark(), rule, remedy);
  }

  void require_distinct(const YAML::Node& map) const {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) refuse(entry.first, "is not a name", "write key: value");
      if (!seen.insert(entry.first.Scalar()).second)
        refuse(entry.first, fmt::format("gives {} again", entry.first.Scalar()),
               "give each key once");
    }
  }

  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\')
        out += fmt::format("\\{}", c);
      else if (byte < 0x20 || byte == 0x7f)
        out += fmt::format("\\u{:04X}", byte);
      else
        out += c;
    }
    return out + "\"";
  }

  std::string key_of(const YAML::Node& key) const { return quoted(key.Scalar()); }

  std::string entries(const YAML::Node& map, const std::string& before, int depth = 1) {
    require_distinct(map);
    count(map, 1, depth);
    std::string text;
    for (const auto& entry : map) {
      const std::string key = before + key_of(entry.first);
      text += entry.second.IsMap() ? entries(entry.second, key + ".", depth + 1)
                                   : fmt::format("{} = {}\n", key, value(entry.second, depth + 1));
    }
    return text;
  }

  std::string value(const YAML::Node& node, int depth = 1) {
    std::string text;
    if (node.IsScalar()) {
      text = scalar(node);
    } else if (node.IsSequence()) {
      count(node, 1, depth);
      for (const auto& item : node) text += (text.empty() ? "" : ", ") + value(item, depth + 1);
      text = "[" + text + "]";
    } else {
      refuse(node, "is neither a value nor a list", "give it a value or remove it");
    }
    count(node, text.size(), depth);
    return text;
  }

  /// An alias may stand within what it names, and so may many aliases of aliases.
  void count(const YAML::Node& node, std::size_t bytes, int depth) {
    if (depth > most_depth)
      refuse(node, fmt::format("is more than {} levels deep", most_depth),
             "write what is meant without an alias within what it names");
    written_ += bytes;
    if (written_ > most_bytes) refuse(node, "is more than a MiB", "write fewer values");
  }

  /// A plain scalar is a truth value or a number where it reads as one; everything else is text.
  std::string scalar(const YAML::Node& node) const {
    const std::string& text = node.Scalar();
    const bool is_quoted = node.Tag() == "!";
    if (is_quoted) return quoted(text);
    if (text == "true" || text == "false") return text;
    std::int64_t whole{};
    const char* end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), end, whole);
        read.ec == std::errc() && read.ptr == end)
      return fmt::format("{}", whole);
    double real{};
    if (const auto read = std::from_chars(text.data(), end, real);
        read.ec == std::errc() && read.ptr == end && std::isfinite(real))
      return quoted(number_text(real));
    return quoted(text);
  }

  const std::string& display_name_;
  std::string values_{};
  std::size_t written_{0};
};

}  // namespace

std::string toml_of_yaml(std::string_view yaml, const std::string& display_name) try {
  return Writer(display_name).write(bounded_yaml(yaml, display_name));
} catch (const YAML::Exception& error) {
  refuse_at(display_name, error.mark, fmt::format("is neither YAML nor JSON ({})", error.msg),
            "correct that line");
}

}  // namespace orrery::sweeps
