#pragma once

#include "core/params.h"
#include "core/precision.h"
#include "core/types.h"

namespace orrery {

/// What an encoding is made from: the shape of the head it serves, its parameters, and where low
/// precision rounds.
struct EncodingSettings {
  Index d_model{};
  Index d_head{};
  int heads{1};
  const ParamSet& params;
  StageRounding rounding{};
};

/// What people read about an encoding.
struct EncodingInfo {
  std::string name{};       ///< "rope"
  std::string label{};      ///< "RoPE": in legends
  std::string title{};      ///< "RoPE, rotary position embedding"
  std::string statement{};  ///< one sentence: what it does
  std::string formula{};    ///< "f(x_m, m) = R_m W x_m"
  std::string source{};     ///< paper, section, equation
  std::vector<ParamSpec> params{};
};

/// The parameter "base", which every encoding with geometric frequencies shares.
ParamSpec base_param();

}  // namespace orrery
