#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A family's row in words.
struct FamilyRow {
  std::string name{};           ///< "GPT-2"
  std::string model_types{};    ///< of config.json, between spaces
  std::string architectures{};  ///< of a GGUF; empty where none is read
  std::string norm{};           ///< "RMSNorm before"
  double epsilon{};             ///< of norms, where a file has none
  std::string blocks{};         ///< "sequential"
  std::string feed_forward{};   ///< "silu, gated"
  std::string qk_norm{};        ///< "by head", or empty
  bool tied{};                  ///< whether the head has the tokens' vectors, where no file says
};

/// The table of families.
std::vector<FamilyRow> family_rows();
/// The same as text: a heading, and a line for each.
std::string families_text();

/// The family of a model_type or of a GGUF's architecture; empty where there is none.
std::string family_of_model(std::string_view model_type);

}  // namespace orrery
