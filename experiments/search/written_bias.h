#pragma once

#include <string>
#include <vector>

#include "core/encodings/alibi.h"
#include "core/encodings/t5.h"
#include "core/types.h"

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

}  // namespace orrery
