#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/params.h"
#include "core/precision.h"
#include "core/types.h"

namespace orrery {

/// A table or vector that a paper trains.
struct TableSpec {
  std::string name{};         ///< "shaw.key_table"
  std::string shape{};        ///< "[2·clip + 1, d_head]"
  std::string description{};  ///< one sentence
  std::string initial{};      ///< how it is drawn when it is not given: its authors' scale
};

/// The user's own tables by name; vectors are matrices of one row.
using Tables = std::map<std::string, Matrix<double>, std::less<>>;

/// What an encoding is made from: the shape of the head it serves, its parameters, its tables, and
/// where low precision rounds.
struct EncodingSettings {
  Index d_model{};
  Index d_head{};
  int heads{1};
  const ParamSet& params;
  StageRounding rounding{};
  std::int64_t seed{0};           ///< of tables that are not given
  const Tables* tables{nullptr};  ///< may be null
};

/// Of the tables that most papers draw: BERT's, and init_std of Transformer-XL.
inline constexpr double initial_deviation = 0.02;

/// The user's table of that name, or normals of that deviation by seed and name: the same for every
/// precision. Throws UsageError when a given table has another shape.
template <class T>
Matrix<T> table_of(const EncodingSettings& settings, const std::string& name, Index rows,
                   Index columns, double deviation);

/// The user's table of that name, or `value` in every cell: 0 for biases, 1 for the gain of a
/// LayerNorm, as their authors start them. Throws UsageError when a given table has another shape.
template <class T>
Matrix<T> table_or(const EncodingSettings& settings, const std::string& name, Index rows,
                   Index columns, double value);

/// Throws UsageError when the user gave that table, which only the setting `reader` reads.
void refuse_table(const EncodingSettings& settings, const std::string& name,
                  std::string_view reader);

/// What people read about an encoding.
struct EncodingInfo {
  std::string name{};       ///< "rope"
  std::string label{};      ///< "RoPE": in legends
  std::string title{};      ///< "RoPE, rotary position embedding"
  std::string statement{};  ///< one sentence: what it does
  std::string formula{};    ///< "f(x_m, m) = R_m W x_m"
  std::string source{};     ///< paper, section, equation
  std::vector<ParamSpec> params{};
  std::vector<TableSpec> tables{};
  std::vector<Stage> stages{};  ///< where it rounds, beside attention_stages
};

/// The parameter "base", which every encoding with geometric frequencies shares.
ParamSpec base_param();

}  // namespace orrery
