#include "tests/nan/nan_injection.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "core/analysis/mean_logits.h"
#include "core/encodings/frequencies.h"
#include "core/random.h"

// With the linker's --wrap=SYMBOL every call of SYMBOL from another file goes to __wrap_SYMBOL, and
// __real_SYMBOL is the original. A symbol that no longer exists does not link.
#define ORRERY_REAL(symbol) __asm__("__real_" symbol)
#define ORRERY_WRAP(symbol) __asm__("__wrap_" symbol)
#define ORRERY_DRAW(letter)                           \
  "_ZN6orrery13normal_matrixI" letter                 \
  "EEN5Eigen6MatrixIT_Lin1ELin1ELi1ELin1ELin1EEERNS_" \
  "6RandomElld"
#define ORRERY_TOEPLITZ                                                                    \
  "_ZN6orrery17toeplitz_residualIdEEdRKN5Eigen6MatrixIT_Lin1ELin1ELi1ELin1ELin1EEESt4span" \
  "IKlLm18446744073709551615EES9_"

#define ORRERY_MEAN_LOGITS \
  "_ZN6orrery11mean_logitsERKNS_8EncodingEldSt4spanIKlLm18446744073709551615EEi"

namespace orrery::test {
namespace {

std::optional<Nan> injected;

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

template <class T>
Matrix<T> spoilt(Matrix<T> values) {
  if (!injected || values.size() == 0) return values;
  if (*injected == Nan::everywhere) values.setConstant(nan<T>);
  if (*injected == Nan::first_of_drawn) values(0, 0) = nan<T>;
  if (*injected == Nan::last_of_drawn) values(values.rows() - 1, values.cols() - 1) = nan<T>;
  return values;
}

bool everything() { return injected == Nan::everywhere; }

}  // namespace

NanInjection::NanInjection(Nan where) { injected = where; }
NanInjection::~NanInjection() { injected.reset(); }

Matrix<double> real_draw(Random&, Index, Index, double) ORRERY_REAL(ORRERY_DRAW("d"));
Matrix<double> wrap_draw(Random&, Index, Index, double) ORRERY_WRAP(ORRERY_DRAW("d"));
Matrix<double> wrap_draw(Random& random, Index rows, Index columns, double deviation) {
  return spoilt(real_draw(random, rows, columns, deviation));
}

Matrix<float> real_narrow_draw(Random&, Index, Index, double) ORRERY_REAL(ORRERY_DRAW("f"));
Matrix<float> wrap_narrow_draw(Random&, Index, Index, double) ORRERY_WRAP(ORRERY_DRAW("f"));
Matrix<float> wrap_narrow_draw(Random& random, Index rows, Index columns, double deviation) {
  return spoilt(real_narrow_draw(random, rows, columns, deviation));
}

CosSin real_rotation_at(Position, double) ORRERY_REAL("_ZN6orrery11rotation_atEld");
CosSin wrap_rotation_at(Position, double) ORRERY_WRAP("_ZN6orrery11rotation_atEld");
CosSin wrap_rotation_at(Position position, double theta) {
  return everything() ? CosSin{nan<double>, nan<double>} : real_rotation_at(position, theta);
}

MeanLogits real_mean_logits(const Encoding&, Index, double, PositionsIn, int)
    ORRERY_REAL(ORRERY_MEAN_LOGITS);
MeanLogits wrap_mean_logits(const Encoding&, Index, double, PositionsIn, int)
    ORRERY_WRAP(ORRERY_MEAN_LOGITS);
MeanLogits wrap_mean_logits(const Encoding& encoding, Index d, double squared_norm,
                            PositionsIn queries, int head) {
  MeanLogits mean = real_mean_logits(encoding, d, squared_norm, queries, head);
  if (everything()) mean.total.assign(mean.total.size(), nan<double>);
  return mean;
}

using Frequencies = std::vector<double>;

Frequencies real_frequencies(Index, double) ORRERY_REAL("_ZN6orrery19inverse_frequenciesEld");
Frequencies wrap_frequencies(Index, double) ORRERY_WRAP("_ZN6orrery19inverse_frequenciesEld");
Frequencies wrap_frequencies(Index d, double base) {
  Frequencies theta = real_frequencies(d, base);
  if (everything()) theta.assign(theta.size(), nan<double>);
  return theta;
}

Frequencies real_wavelengths(std::span<const double>)
    ORRERY_REAL("_ZN6orrery11wavelengthsESt4spanIKdLm18446744073709551615EE");
Frequencies wrap_wavelengths(std::span<const double>)
    ORRERY_WRAP("_ZN6orrery11wavelengthsESt4spanIKdLm18446744073709551615EE");
Frequencies wrap_wavelengths(std::span<const double> theta) {
  Frequencies lambda = real_wavelengths(theta);
  if (everything()) lambda.assign(lambda.size(), nan<double>);
  return lambda;
}

/// Of a map with a NaN in it: ALiBi's biases and the rows of tables come from no other of these.
double real_toeplitz(const Matrix<double>&, PositionsIn, PositionsIn) ORRERY_REAL(ORRERY_TOEPLITZ);
double wrap_toeplitz(const Matrix<double>&, PositionsIn, PositionsIn) ORRERY_WRAP(ORRERY_TOEPLITZ);
double wrap_toeplitz(const Matrix<double>& values, PositionsIn m, PositionsIn n) {
  return real_toeplitz(spoilt(values), m, n);
}

}  // namespace orrery::test
