#include "app/views/comparison.h"

#include "experiments/figure/plot/difference.h"

namespace orrery::views {
namespace {

std::vector<Figure> differences(const std::vector<Figure>& figures,
                                const std::vector<Figure>& reference) {
  std::vector<Figure> differing;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure* other = counterpart(reference, figures[i], i, figures.size());
    const auto difference = other ? difference_of(figures[i], *other) : std::nullopt;
    differing.push_back(difference.value_or(figures[i]));
  }
  return differing;
}

}  // namespace

const std::vector<Figure>& Comparison::figures(const std::shared_ptr<const Result>& result,
                                               const ViewState& shown, bool flipped) {
  kind_ = Kind::result;
  if (!shown.reference) return result->figures;
  if (flipped) {
    kind_ = Kind::reference;
    return shown.reference->figures;
  }
  if (!shown.difference) return result->figures;
  kind_ = Kind::difference;
  if (result_ != result || reference_ != shown.reference) {
    differences_ = std::make_shared<const std::vector<Figure>>(
        differences(result->figures, shown.reference->figures));
    result_ = result;
    reference_ = shown.reference;
  }
  return *differences_;
}

}  // namespace orrery::views
