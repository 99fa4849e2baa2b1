#pragma once

#include <memory>

#include "core/encoding.h"
#include "core/encodings/settings.h"

namespace orrery {

/// Learned absolute positions: row i of a trained table is added to the input at position i. Knows
/// no position beyond its table. x_i + p_i, p_i row i of a table [L, d_model]. Source: Gehring et
/// al. 2017 §3.1; Devlin et al. 2019 (BERT), whose tables are drawn with deviation 0.02.
template <class T>
class Learned final : public Encoding, public InputTerm<T> {
 public:
  /// Rounding is of the table and of x + p.
  explicit Learned(Matrix<T> table, StageRounding rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Learned> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override {
    return {.relative = false, .last_position = table_.rows() - 1};
  }
  /// Throws UsageError for a position outside [0, L) or another width.
  void add_to_input(PositionsIn positions, MatrixOut<T> x) const override;
  void add_input_gradients(PositionsIn positions, const MatrixIn<T>& d_x,
                           Tables& d_tables) const override;

 private:
  /// Throws UsageError for another width.
  void check_width(const MatrixIn<T>& x) const;
  /// The row of a position. Throws UsageError for a position outside [0, L).
  Index row_of(Position position) const;

  Matrix<T> table_;
  StageRounding rounding_;
};

}  // namespace orrery
