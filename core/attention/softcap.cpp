#include "core/attention/softcap.h"

namespace orrery {

template <class T>
void cap_logits(double c, Matrix<T>& logits) {
  if (c > 0) logits = ((logits.array() / static_cast<T>(c)).tanh() * static_cast<T>(c)).matrix();
}

template <class T>
void pull_cap_back(double c, const Matrix<T>& capped, Matrix<T>& d) {
  if (c > 0) d.array() *= 1 - (capped.array() / static_cast<T>(c)).square();
}

template void cap_logits(double, Matrix<float>&);
template void cap_logits(double, Matrix<double>&);
template void pull_cap_back(double, const Matrix<float>&, Matrix<float>&);
template void pull_cap_back(double, const Matrix<double>&, Matrix<double>&);

}  // namespace orrery
