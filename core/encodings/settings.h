#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "core/encoding.h"
#include "core/formula.h"
#include "core/params.h"
#include "core/precision.h"
#include "core/types.h"

namespace orrery {

/// A table or vector that a paper trains.
struct TableSpec {
  std::string name{};         ///< "shaw.key_table"
  std::string shape{};        ///< "[2·clip + 1, d_head]"
  std::string description{};  ///< one sentence
  std::string initial{};      ///< its values when it is not given, as its authors start it
  bool drawn{true};           ///< whether those are drawn by seed
  double least{std::numeric_limits<double>::lowest()};  ///< training keeps its numbers at or above,
  double most{std::numeric_limits<double>::max()};      ///< and at or below
  bool biases{false};  ///< whether it is [rows, heads], added to the logits by TableIndex
};

/// The settings from which an encoding is made: the shape of the head it serves, its parameters,
/// its tables, and where low precision rounds.
struct EncodingSettings {
  Index d_model{};
  Index d_head{};
  int heads{1};
  const ParamSet& params;
  StageRounding rounding{};
  std::int64_t seed{0};           ///< of tables that are not given
  const Tables* tables{nullptr};  ///< the user's own; may be null
  /// Gets every table that the encoding is made of and that is trained, given or drawn.
  Tables* made{nullptr};
};

/// Deviation of the tables in most papers: BERT's, and init_std of Transformer-XL.
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

/// The gradient by that table, [rows, columns]: zeros where it is not there yet.
Matrix<double>& gradient_of(Tables& d_tables, const std::string& name, Index rows, Index columns);

/// The most numbers in one table: 256 MiB in fp64, drawn in a second.
inline constexpr double most_table_numbers = 0x1p25;
/// Throws UsageError when a table of that shape has more; `remedy` names what to lower.
void check_table_size(std::string_view name, Index rows, Index columns, std::string_view remedy);

/// Throws UsageError when the user gave that table, which only the setting `reader` reads.
void refuse_table(const EncodingSettings& settings, const std::string& name,
                  std::string_view reader);

/// The one number that sets how fast the mean logit of like tokens falls with distance.
struct DecaySetting {
  std::string param{};   ///< key of a parameter, the larger the slower; empty: a factor on the
                         ///< terms that depend on position
  bool is_slope{false};  ///< those terms are proportional to the distance: the factor is a slope
};

/// A named term of the logits as TeX, without the scale of the logits.
struct TermSymbol {
  std::string term{};    ///< ScoreTerm::name
  std::string symbol{};  ///< "-s_h |m - n|"
};

/// The description of an encoding, for readers and for programs that show it.
struct EncodingInfo {
  /// The time that an encoding takes, in operations of which one core does some 10^10 a second, as
  /// measured.
  struct Cost {
    /// Per channel: the mean logit of like contents at one distance and head, see mean_logits.
    double mean_logit{8};
    bool joins_channels{
        false};  ///< mean_logit is per pair of channels, which planes across all turn
    /// Per channel: one query or key at one position. Sine and cosine of an exact angle, as most.
    double content{250};

    double of_mean_logit(double d) const { return mean_logit * d * (joins_channels ? d : 1.0); }
  };

  std::string name{};       ///< "rope"
  std::string label{};      ///< "RoPE": in legends
  std::string title{};      ///< "RoPE, rotary position embedding"
  std::string statement{};  ///< one sentence: what it does
  std::string source{};     ///< paper, section, equation
  /// The formulas of what it adds, rotates or biases between two tokens, the main one first.
  std::vector<Formula> formulas{};
  /// Its logits, where `formulas` do not say them.
  std::vector<Formula> score_formulas{};
  std::vector<SymbolMeaning> symbols{};
  std::vector<ParamSpec> params{};
  std::vector<TableSpec> tables{};
  DecaySetting decay{};
  /// Key of the parameter that ends its positions, 0 to its value − 1; empty where a formula goes
  /// on.
  std::string length_param{};
  std::vector<Stage> stages{};  ///< where it rounds, beside attention_stages
  std::vector<TermSymbol> term_symbols{};
  Cost cost{};
  bool same_heads{false};  ///< whether all heads of a layer are encoded alike

  /// Whether it computes with tables that are drawn by seed and say nothing about trained ones.
  bool draws_tables() const {
    return std::any_of(tables.begin(), tables.end(),
                       [](const TableSpec& table) { return table.drawn; });
  }
};

/// The parameter "base", which every encoding with geometric frequencies shares.
ParamSpec base_param();

}  // namespace orrery
