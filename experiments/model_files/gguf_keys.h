#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/gguf_file.h"

namespace orrery {

/// Keys of a GGUF beneath its architecture's name. Each throws DataError, naming the key, for a
/// value of another kind or outside its range.
class GgufKeys {
 public:
  /// @param name  of the file, in messages; file and name must outlive this
  GgufKeys(const GgufFile& file, std::string architecture, std::string_view name);

  /// "llama.rope.freq_base" for "rope.freq_base".
  std::string full(const std::string& key) const;
  /// Null where there is none.
  const GgufValue* find(const std::string& key) const;
  [[noreturn]] void refuse(const std::string& key, std::string_view expected) const;
  /// A number; of a list per layer that of the layer.
  Valued<double> number(const std::string& key, std::size_t layer = 0) const;
  Valued<std::int64_t> integer(const std::string& key, std::int64_t least, std::int64_t most,
                               std::size_t layer = 0) const;
  std::string text(const std::string& key) const;                 ///< empty where there is none
  std::optional<bool> flag(const std::string& key) const;         ///< of a bool, or a number ≠ 0
  const std::vector<double>* list(const std::string& key) const;  ///< null where there is none
  /// A list of factors in a tensor of the layer, or of the whole model; empty where there is none.
  std::vector<double> tensor(const std::string& name, int layer, std::string& reason) const;

  bool has_tensor(const std::string& name) const;
  /// The keys of rope and attention that nothing asked for, and that no pass needs beside positions.
  std::vector<std::string> unread() const;

  std::string_view name() const { return name_; }

 private:
  const GgufFile& file_;
  std::string architecture_;
  std::string_view name_;
  mutable std::set<std::string> asked_{};
};

}  // namespace orrery
