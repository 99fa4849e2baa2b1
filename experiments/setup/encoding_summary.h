#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formula.h"
#include "core/params.h"
#include "experiments/model/figure.h"

namespace orrery {

/// The shape, as `describe` lists it, of a table that is a projection: with weights=torch_linear it
/// is stored transposed.
inline constexpr const char* projection_shape = "[d_model, heads·d_head]";

/// An encoding as people read about it; for programs that show encodings without computing with
/// them.
struct EncodingSummary {
  std::string name{};
  std::string label{};
  std::string title{};
  std::string statement{};
  std::string source{};
  std::vector<Formula> formulas{};   ///< what it adds or turns, then its logits
  std::vector<std::string> doors{};  ///< names of those it uses
  std::vector<ParamSpec> params{};
  struct Table {
    std::string name{};
    std::string shape{};
    std::string description{};
    std::string initial{};
  };
  std::vector<Table> tables{};  ///< what its paper trains
};

/// In the order of the catalogue: the place is the colour slot.
const std::vector<EncodingSummary>& encoding_list();

/// nullptr when there is none such.
const EncodingSummary* find_encoding_summary(std::string_view name);

/// The label of the encoding; `name` itself where the catalogue has no such encoding.
std::string label_of_encoding(const std::string& name);

// Legend names and colours of encodings: the same in every figure.

std::string encoding_label(const std::string& name);
/// The label within a sentence: "no encoding" for none.
std::string label_in_sentence(const std::string& name);
/// "RoPE", "RoPE and ALiBi", "RoPE, ALiBi and 5 others".
std::string listed(const std::vector<std::string>& labels);
/// The label, with "(untrained tables)" where the encoding has tables: they are drawn by seed and
/// say nothing about what training would put there.
std::string untrained_label(const std::string& name);
/// The slot of the categorical palette; beyond its end lines are dashed, see figure/plot/curves.
int encoding_color(const std::string& name);
/// The curve of an encoding, without its numbers.
Series encoding_series(const std::string& name);

/// A value that a paper or a released model uses.
struct KnownValue {
  double value{};
  std::string_view users{};  ///< "Llama 3"
};

/// The best-known values of a parameter, ascending; none for most. Sources: the papers of the
/// encodings, and the configurations that were released with the models.
std::span<const KnownValue> known_values(std::string_view key);

}  // namespace orrery
