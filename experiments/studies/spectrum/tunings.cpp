#include "experiments/studies/spectrum/tunings.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/analysis/decay.h"
#include "core/analysis/largest.h"
#include "core/encodings/sinusoidal.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/rope_params.h"

namespace orrery {
namespace {

constexpr Index tuned_at_once = 1 << 14;
constexpr double bins_an_octave = 24;  // fine enough for every oscillation that a slide can show

/// Mean, least and greatest of what falls into each bin of a logarithmic axis.
class LogBins {
 public:
  void add(double x, double y) {
    const auto bin = static_cast<Index>(std::floor(bins_an_octave * std::log2(x)));
    if (bin != bin_) flush();
    bin_ = bin;
    ++count_;
    x_ += x;
    y_ += y;
    low_ = smaller(low_, y);
    high_ = larger(high_, y);
  }
  Series finish() && {
    flush();
    return std::move(series_);
  }

 private:
  void flush() {
    if (count_ > 0) {
      series_.x.push_back(x_ / static_cast<double>(count_));
      series_.y.push_back(y_ / static_cast<double>(count_));
      series_.band_low.push_back(low_);
      series_.band_high.push_back(high_);
    }
    count_ = 0;
    x_ = y_ = 0;
    low_ = std::numeric_limits<double>::infinity();
    high_ = -low_;
  }

  Series series_{};
  Index bin_{-1};
  Index count_{0};
  double x_{}, y_{};
  double low_{std::numeric_limits<double>::infinity()};
  double high_{-std::numeric_limits<double>::infinity()};
};

}  // namespace

Tuning unscaled_tuning(const ParamSet& params) {
  ParamSet plain = params;
  plain.set("rope.scaling", "none");
  return {.key = "unscaled",
          .label = "without scaling",
          .theta = rope_of(plain, params.integer("dim")).theta(),
          .shade = 0.3};
}

std::vector<Tuning> tunings_of(const ParamSet& params) {
  const Index d = params.integer("dim");
  const double base = params.real("base");
  const Rope<double> rope = rope_of(params, d);
  const std::string& scaling = params.text("rope.scaling");
  std::vector<Tuning> tunings{{.label = fmt::format("RoPE, base {}", number_text(base)) +
                                        (scaling == "none" ? "" : ", " + scaling),
                               .theta = rope.theta(),
                               .color = encoding_color("rope")}};
  for (const std::string& name : params.list("compare")) {
    if (name == "base") {
      ParamSet other = params;
      other.set_value("base", params.real("compare_base"));
      tunings.push_back({.key = "other_base",
                         .label = fmt::format("base {}", number_text(params.real("compare_base"))),
                         .theta = rope_of(other, d).theta(),
                         .shade = 0.0});
    } else if (name == "interpolation") {
      const double factor = params.real("factor");
      tunings.push_back({.key = "interpolated",
                         .label = fmt::format("interpolated, $θ/{}$", number_text(factor)),
                         .brief = fmt::format("$θ/{}$", number_text(factor)),
                         .theta = interpolated(rope.theta(), factor),
                         .shade = 0.9,
                         .style = LineStyle::dashed});
    } else if (name == "unscaled") {
      tunings.push_back(unscaled_tuning(params));
    } else if (name == "tensor2tensor") {
      tunings.push_back(
          {.key = "tensor2tensor",
           .label = "tensor2tensor",
           .theta = Sinusoidal<double>(d, base, SinusoidalLayout::tensor2tensor).theta(),
           .color = encoding_color("sinusoidal"),
           .style = LineStyle::dotted});
    }
  }
  return tunings;
}

void follow_B(Tuning& tuning, Index last, Progress& progress) {
  const auto pairs = static_cast<double>(tuning.theta.size());
  LogBins bins;
  for (Index first = 1; first <= last; first += tuned_at_once) {
    checkpoint(progress, static_cast<double>(first - 1) / static_cast<double>(last),
               "B_m of " + plain_text(tuning.label));
    const Index count = std::min<Index>(tuned_at_once, last + 1 - first);
    const std::vector<double> B = decay_curve(tuning.theta, first, count).B;
    for (std::size_t i = 0; i < B.size(); ++i)
      bins.add(static_cast<double>(first) + static_cast<double>(i), B[i] / pairs);
    const auto negative = first_negative(B);
    if (negative && !tuning.first_negative)
      tuning.first_negative = first + static_cast<Position>(*negative);
  }
  tuning.B = named(std::move(bins).finish(), tuning.label);
  tuning.B.color = tuning.color;
  tuning.B.shade = tuning.shade;
}

}  // namespace orrery
