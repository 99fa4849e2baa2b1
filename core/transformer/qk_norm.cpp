#include "core/transformer/qk_norm.h"

namespace orrery {
namespace {

/// Channels that share a norm.
Index width_of(const QkNormDesign& design, Index d_head, Index all) {
  return design.over == QkNormSpan::layer ? all : d_head;
}

}  // namespace

template <class T>
Matrix<T> normed_heads(const QkNormDesign& design, const NormWeights<T>& w, Index d_head,
                       const Matrix<T>& all) {
  const Index width = width_of(design, d_head, all.cols());
  Matrix<T> out(all.rows(), all.cols());
  for (Index at = 0; at < all.cols(); at += width)
    normalise<T>(design.norm, w, all.middleCols(at, width), out.middleCols(at, width));
  return out;
}

template <class T>
void pull_back_heads(const QkNormDesign& design, const NormWeights<T>& w, Index d_head,
                     const Matrix<T>& all, Matrix<T>& d, NormWeights<T>& d_w) {
  const Index width = width_of(design, d_head, all.cols());
  for (Index at = 0; at < all.cols(); at += width)
    pull_back_norm<T>(design.norm, w, all.middleCols(at, width), d.middleCols(at, width), d_w,
                      d.middleCols(at, width));
}

#define ORRERY_INSTANTIATE(T)                                                        \
  template Matrix<T> normed_heads(const QkNormDesign&, const NormWeights<T>&, Index, \
                                  const Matrix<T>&);                                 \
  template void pull_back_heads(const QkNormDesign&, const NormWeights<T>&, Index,   \
                                const Matrix<T>&, Matrix<T>&, NormWeights<T>&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
