#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/encodings/alibi.h"
#include "core/encodings/t5.h"
#include "core/precision.h"
#include "core/types.h"
#include "experiments/identify/rotation_sample.h"

namespace orrery {

/// The families of biases.
enum class BiasFamily {
  none,          ///< 0
  constant,      ///< one number per head
  alibi,         ///< a slope per head times a distance
  kerple_log,    ///< −r1 log(1 + r2 |r|)
  kerple_power,  ///< −r1 |r|^r2
  sandwich,      ///< Σ cos(r theta_t) by a factor per head
  t5,            ///< a number per bucket and head
  table,         ///< a number per distance up to a clip, and head
};

/// A bias b_h(m, n) as one program has written it, r = m − n.
struct WrittenBias {
  BiasFamily family{BiasFamily::none};
  AlibiForm form{AlibiForm::symmetric};  ///< alibi: the distance is |r|, r, or −n
  Position offset{0};                    ///< alibi: added to the distance
  Position padding{0};                   ///< alibi by key: keys count from here, those before are 0
  std::vector<double> size{};            ///< [heads]: constant, slope, r1, or 1/c_h of Sandwich
  std::vector<double> shape{};           ///< [heads]: r2 of KERPLE
  Index channels{0};                     ///< sandwich: D
  double base{10000};                    ///< sandwich
  bool centred{false};                   ///< sandwich: less D/2, so that it is 0 at distance 0
  T5Buckets buckets{};
  bool swapped{false};     ///< t5: of n − m
  Position clip{0};        ///< table: distances beyond it are it
  Matrix<double> table{};  ///< [rows, heads] of buckets or distances; NaN where none was seen
};

/// b_h(m, n), in fp64. NaN where the table has no number.
double bias_at(const WrittenBias& bias, Index head, Position m, Position n);

/// The row of the table that (m, n) takes: of families t5 and table.
Index table_row(const WrittenBias& bias, Position m, Position n);

/// Σ_t cos(r base^(−2t/D)), t < D/2.
double sinusoid_product(Position r, Index channels, double base);

/// Slopes that a formula gives, and what it is called.
struct NamedSlopes {
  std::vector<double> slopes{};  ///< [heads]
  std::string words{};           ///< "2^(−8(h+1)/H)"
  std::string defect{};          ///< what is wrong with them in one sentence; or empty
  double bias_max{0};            ///< of alibi_slopes; 0 where they are not its
  bool over_root{false};         ///< divided by √d: alibi.bias_scale=root
  double cost{0};
};

/// The formulas whose slopes are the fitted ones to within two roundings, the usual ones first:
/// ALiBi's with any exponent, without its rule for heads that are no power of two, begun at head 0,
/// each also with the sign reversed, divided by √d, or times log₂e for a softmax of powers of two.
/// The fitted numbers themselves are last. Of one head alone every power of two may be the slope.
std::vector<NamedSlopes> named_slopes(const std::vector<double>& fitted, Precision format);

/// The cells of a bias that are seen, with their positions and the units of their residuals.
struct BiasCells {
  struct Cell {
    Index head;
    Position m, n;
    double value;
    double unit;   ///< u·√((y² + x̄²)/2), x̄² the mean square of its head
    double slack;  ///< half a unit in the last place
  };
  Index heads{};
  Precision format{};
  std::vector<Cell> cells{};         ///< head by head
  std::vector<std::size_t> begin{};  ///< [heads + 1]: the first cell of each head
};

/// A bias that may have made a matrix.
struct BiasHypothesis {
  WrittenBias bias{};
  double cost{};        ///< how unusual it is, and how many numbers of it were fitted
  Residual residual{};  ///< over the cells that the mask leaves
  double evidence{};    ///< by how much worse it fits than the best, in squared standard errors
  bool tied{false};
};

/// Every family with the numbers that leave the least, not measured yet: nothing, a constant, ALiBi in each form with
/// the offset that the heads agree on, KERPLE, Sandwich of usual widths, T5's buckets of usual
/// numbers and lengths, and a table by clipped distance.
std::vector<BiasHypothesis> fitted_biases(const BiasCells& cells);

/// The residual of the cells after a bias.
Residual residual_of(const WrittenBias& bias, const BiasCells& cells);

}  // namespace orrery
