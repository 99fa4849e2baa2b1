#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formula.h"
#include "core/params.h"

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

}  // namespace orrery
