#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/encodings/rope_convention.h"
#include "core/encodings/settings.h"
#include "core/params.h"
#include "core/position.h"
#include "experiments/model/inputs.h"
#include "experiments/model/result.h"

namespace orrery {
class Encoding;

/// encoding, x, positions, dim, heads, side, defect, precision, seed, and all encodings' own with their
/// tables.
std::vector<ParamSpec> apply_params();

/// An encoding with its settings and tables, as it is applied to arrays, any number of times and by
/// several threads. It is made for d channels at the first array of so many.
class AppliedEncoding {
 public:
  /// @param params  of apply_params
  /// @param tables  the encoding's own; those that are missing are drawn by the seed
  AppliedEncoding(ParamSet params, Tables tables);
  ~AppliedEncoding();

  /// x with the encoding applied at its positions, in the same shape: x + p for an encoding that adds
  /// to the input, the rotated q (side=queries) or k (side=keys) for one that transforms them.
  /// @param x          [N, d], [heads, N, d] or [batch, heads, N, d]
  /// @param positions  of its rows, [N]
  /// Throws UsageError for an encoding that does neither and for another number of positions, and
  /// DataError for shapes that do not fit.
  std::shared_ptr<const Array> apply(const Tensor& x, const Positions& positions) const;

  /// What it adds to the logits of queries at m and keys at n, whatever their contents:
  /// [heads, N_q, N_k], with its own scale. Throws UsageError for an encoding that does not add to
  /// scores, or whose terms depend on contents.
  Array bias(const Positions& m, const Positions& n) const;

  /// Its constants, as tables: the frequencies θ_t, wavelengths and inv_freq of rope and sinusoidal,
  /// the slopes of alibi, and the matrix of rows that shaw, t5, tupe and deberta look up for queries
  /// and keys at the positions. Throws UsageError for an encoding that has none of these.
  Table constants(const Positions& positions) const;

  /// How it turns q and k of d channels. Throws UsageError for another encoding than rope.
  RopeConvention rope(std::ptrdiff_t d) const;

  const ParamSet& params() const { return params_; }

 private:
  struct Made;

  EncodingSettings settings(std::ptrdiff_t d) const;
  template <class T>
  std::shared_ptr<const Encoding> made_for(std::ptrdiff_t d) const;
  template <class T>
  std::shared_ptr<const Array> apply_in(const Tensor& x, const Positions& positions) const;
  template <class T>
  Array bias_in(const Positions& m, const Positions& n) const;

  ParamSet params_;
  std::unique_ptr<Made> made_;
};

}  // namespace orrery
