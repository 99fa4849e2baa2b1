#include "core/encodings/none.h"

namespace orrery {

template <class T>
EncodingInfo NoEncoding<T>::info() {
  return {
      .name = "none",
      .label = "none",
      .title = "No position encoding (NoPE)",
      .statement = "Attention sees contents only; a causal mask is the only source of order.",
      .source = "RoFormer eq. (2); Kazemnejad et al. 2023",
      .score_formulas = {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d})", "eq. (2)"}},
      .same_heads = true};
}

template <class T>
std::unique_ptr<NoEncoding<T>> NoEncoding<T>::make(const EncodingSettings&) {
  return std::make_unique<NoEncoding>();
}

template class NoEncoding<float>;
template class NoEncoding<double>;

}  // namespace orrery
