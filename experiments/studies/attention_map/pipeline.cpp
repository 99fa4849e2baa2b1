#include "experiments/studies/attention_map/pipeline.h"

#include <utility>

#include "experiments/setup/encoding_style.h"

namespace orrery {
namespace {
namespace in_pipeline {

constexpr const char* arrow = R"(\to)";

class Parts {
 public:
  Parts(double relative_rounding, const MapFrame& frame)
      : relative_rounding_(relative_rounding), of_cells_(frame.cell > 1 ? "mean " : "") {}

  EquationPart& add(GivenMap given, const std::string& quantity) {
    given.map.quantity = of_cells_ + quantity;
    given.map.symbol.clear();
    const double rounding = relative_rounding_ * given.profile.largest();
    return parts_.emplace_back(EquationPart{
        .map = std::move(given.map), .profile = std::move(given.profile), .rounding = rounding});
  }

  std::vector<EquationPart> finish() && { return std::move(parts_); }

 private:
  double relative_rounding_;
  std::string of_cells_;
  std::vector<EquationPart> parts_{};
};

}  // namespace in_pipeline
}  // namespace

Figure pipeline_figure(PipelineMaps maps, const MapFrame& frame) {
  using namespace in_pipeline;
  Parts parts(maps.relative_rounding, frame);
  const bool sum = maps.terms.size() > 1;
  for (std::size_t t = 0; t < maps.terms.size(); ++t) {
    TermMap& term = maps.terms[t];
    EquationPart& part = parts.add(std::move(term.given), "logit");
    part.relation = t > 0 ? "+" : "";
    part.symbol = term_symbol(maps.encoding, term.name);
    part.name = term_words(term.name);
  }
  // A single term that no mask changes is the logits.
  if (sum || maps.masked || maps.terms.empty()) {
    EquationPart& part = parts.add(std::move(maps.logits), "logit");
    if (!maps.terms.empty()) part.relation = maps.masked ? arrow : "=";
    part.step = maps.masked ? "mask" : "";
    part.symbol = R"(\ell_{m,n})";
    part.name = maps.masked ? "logit, masked" : "logit";
  }
  EquationPart& weights = parts.add(std::move(maps.weights), "weight");
  weights.relation = arrow;
  weights.step = "softmax";
  weights.symbol = "a_{m,n}";
  weights.name = "weight";
  return equation_figure(
      "pipeline", maps.encoding, encoding_label(maps.encoding) + ": from scores to weights",
      frame.caption + cells_text(frame) + " · symbols without the scale of the logits",
      map_equation(std::move(parts).finish(), encoding_color(maps.encoding)));
}

}  // namespace orrery
