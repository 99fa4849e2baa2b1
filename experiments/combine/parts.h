#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/combine/dimensions.h"
#include "experiments/model/figure.h"
#include "experiments/model/panels.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery {

/// With more curves or more points than these in a panel, no eye tells them apart: bands are drawn
/// in their place.
inline constexpr std::size_t most_curves = 40, most_points = 2000;

/// With more places along x, neighbours share one.
inline constexpr std::size_t most_places = 100;

/// The numbers at each place along x.
using NumbersOver = std::map<double, std::vector<double>>;

/// Adds their median, in a band from the 25 % to the 75 % quantile; and, as a part of it, the band
/// from the 5 % to the 95 % quantile: in the colours, the dashes and the name of `look`, or as
/// "median" where it has none. Of more than most_places those in a step of equal width along the
/// axis are one, at the mean of its places: with the means of their quantiles, where each has 20
/// numbers or more, and else with the quantiles of all.
void add_bands(const NumbersOver& numbers, const Series& look, LinePlot& plot);

/// ", in 100 steps of dim" where so many places are more than are drawn; else empty.
std::string steps_text(std::size_t places, const std::string& x);

/// The q-quantile of numbers in ascending order, linear between two of them; NaN of none.
double quantile(const std::vector<double>& ascending, double q);

// Which curves and numbers of the points of a sweep become one curve of a panel, and that curve.

/// What has one look in a panel.
struct Group {
  Setting look{};
  std::vector<std::size_t> members{};  ///< places in the list of settings
};

/// The groups of a panel in the order of their hue, then of their first members; those that do not
/// read the hue come last.
/// @param x  setting along the axis: what does not read it is told apart by its encoding; empty
///           where curves have an axis of their own
std::vector<Group> groups_at(const Place& place, const std::vector<Setting>& settings,
                             const Arrangement& arrangement, const std::string& x = {});

/// A mean over repeats, and the band around it.
struct Spread {
  double mean{};
  double low{};
  double high{};
};
/// Of the finite values; NaN without any. The band is NaN for a single value.
Spread spread_of(const std::vector<double>& values, SpreadBand band);

/// The means of the numbers at each place along x, in their order; with a band where any has one.
template <class NumbersAtPlaces>
Series mean_over(const NumbersAtPlaces& numbers, SpreadBand band) {
  Series series;
  bool any_band = false;
  for (const auto& [x, values] : numbers) {
    const Spread spread = spread_of(values, band);
    series.x.push_back(x);
    series.y.push_back(spread.mean);
    series.band_low.push_back(spread.low);
    series.band_high.push_back(spread.high);
    any_band = any_band || !std::isnan(spread.low);
  }
  if (!any_band) series.band_low = series.band_high = {};
  return series;
}

// What curves laid over one another and measures over settings have in common.

/// "mean of 5 repeats, shaded: 95 % interval of the mean"; empty for one repeat.
std::string repeats_text(std::size_t repeats, SpreadBand band);

/// What stands below the pages of a sweep.
class Captions {
 public:
  explicit Captions(const SavedSweep& sweep);

  /// "Long-term decay · dim=64, … · mean of 5 repeats", the settings that are the same everywhere,
  /// and how many points have no result.
  std::string of(const Place& page, const std::string& repeats) const;

 private:
  std::string title_;
  std::string rest_{};
};

/// A setting's key with its symbol and unit: "dim d (channels)".
Axis setting_axis(const SavedSweep& sweep, const std::string& key);

/// Linear, or logarithmic where numbers above 0 span two decades or are powers of two.
AxisScale scale_for(const std::vector<double>& values);

/// Gives all panels of lines the same axes, if so asked.
void share_axes(std::vector<Figure>& panels, const PlotRequest& request);

/// Whether two values are the same text or the same number: 1e4 and 10000.
bool same_value(const std::string& a, const std::string& b);

/// Whether the setting has the values that the request asks for; numbers are compared as such.
bool is_asked_for(const Setting& setting, const PlotRequest& request);

/// The title of an experiment; its name where this program does not know it.
std::string experiment_title(const std::string& name);

/// The specification of a setting; null where this program does not know it.
const ParamSpec* spec_of(const std::string& experiment, const std::string& key);

/// The settings of a row: what of the keys its point reads, and its encoding.
Setting setting_of(const PointRecord& point, const std::vector<std::string>& keys,
                   const std::string& encoding);

/// Whether pages_of would refuse to make as many.
bool has_too_many_pages(const std::vector<Setting>& settings, const Arrangement& arrangement);

/// Takes out of the arrangement what makes more curves and pages than can be told apart: a hue of
/// more than six values, and pages where they are too many; but neither encodings nor names of
/// curves. Returns the keys that are left without a part: bands are over their values.
std::vector<std::string> without_crowd(const std::vector<Setting>& settings,
                                       Arrangement& arrangement);

/// "median, shaded …, over base and dim".
std::string bands_text(const std::vector<std::string>& gone);

/// The pages of an arrangement; `panel` makes the content of one panel, or an empty optional where
/// it has nothing to show.
using MakePanel = std::function<std::optional<Figure>(const Place&)>;
std::vector<Panels> pages_of(const std::vector<Setting>& settings, const Arrangement& arrangement,
                             const PlotRequest& request, const std::string& id,
                             const std::string& title,
                             const std::function<std::string(const Place&)>& caption,
                             const MakePanel& panel);

/// Points of one list.
using Points = std::vector<const PointRecord*>;

Points finished_points(const SavedSweep& sweep);

/// So many of the points, drawn evenly, the same each time, in their order.
Points sample_of(Points points, std::size_t most);

/// The figure of a point whose curves are asked for; empty where it has none of that name. Called
/// from several threads.
using FigureOfPoint = std::function<std::optional<Figure>(const PointRecord&)>;

/// The two kinds of combined(): by figure and by measure.
std::vector<Panels> overlay(const SavedSweep& sweep, const PlotRequest& request,
                            std::vector<LeftOut>* left_out);
std::vector<Panels> overlay(const SavedSweep& sweep, const PlotRequest& request,
                            const FigureOfPoint& figure_of,
                            std::vector<LeftOut>* left_out = nullptr);
std::vector<Panels> measure_plot(const SavedSweep& sweep, const TidyTable& tidy,
                                 const PlotRequest& request);

}  // namespace orrery
