#include "experiments/combine/parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/axis_map.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_pages = 12;

/// Smallest and largest of what a scale can show.
struct Extent {
  double low{infinity};
  double high{-infinity};

  void add(const std::vector<double>& values, bool positive) {
    for (const double value : values) {
      if (!std::isfinite(value) || (positive && value <= 0.0)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  bool empty() const { return !(low < high); }
};

/// With a margin, so that a curve does not lie on the frame.
Range with_margin(const Extent& extent, AxisScale scale) {
  constexpr double margin = 0.04;
  if (is_log(scale)) {
    const double ratio = std::pow(extent.high / extent.low, margin);
    return {extent.low / ratio, extent.high * ratio};
  }
  if (scale == AxisScale::symlog) return {1.1 * extent.low, 1.1 * extent.high};
  const double room = margin * (extent.high - extent.low);
  const bool from_zero = extent.low >= 0.0 && extent.low <= 0.35 * extent.high;
  return {from_zero ? 0.0 : extent.low - room, extent.high + room};
}

bool is_of_encoding(const std::string& key) { return key.find('.') != std::string::npos; }

/// Whether a setting of an encoding is at its default: captions leave it out.
bool is_usual(const std::string& experiment, const std::string& key, const std::string& value) {
  const ParamSpec* spec = is_of_encoding(key) ? spec_of(experiment, key) : nullptr;
  return spec && to_text(spec->default_value) == value;
}

/// Settings that have one value at all points that have them, as tidy_table() has them.
Settings constants_of(const SavedSweep& sweep) {
  struct Known {
    const SharedText* value{};
    bool differs{};
  };
  std::vector<std::string> order;
  std::map<std::string, Known> known;
  for (const PointRecord& point : sweep.points)
    for (const auto& [key, value] : point.params) {
      Known& one = known[key];
      if (!one.value) order.push_back(key);
      if (!one.value) one.value = &value;
      one.differs = one.differs || *one.value != value;
    }
  Settings constants;
  for (const std::string& key : order)
    if (!known[key].differs && std::ranges::find(sweep.swept, key) == sweep.swept.end())
      constants.emplace_back(key, *known[key].value);
  return constants;
}

}  // namespace

bool same_value(const std::string& a, const std::string& b) {
  const auto x = number_in(a), y = number_in(b);
  return x && y ? *x == *y : a == b;
}

const ParamSpec* spec_of(const std::string& experiment, const std::string& key) {
  const Experiment* known = known_experiment(experiment);
  if (!known) return nullptr;
  const std::vector<ParamSpec>& specs = known->info.params;
  const auto found = std::ranges::find(specs, key, &ParamSpec::key);
  return found == specs.end() ? nullptr : &*found;
}

std::string experiment_title(const std::string& name) {
  const Experiment* known = known_experiment(name);
  return known ? known->info.title : name;
}

std::string repeats_text(std::size_t repeats, SpreadBand band) {
  if (repeats < 2) return {};
  std::string mean = fmt::format("mean of {} repeats", repeats);
  switch (band) {
    case SpreadBand::interval:
      return mean + ", shaded: 95 % interval of the mean";
    case SpreadBand::deviation:
      return mean + ", shaded: one standard deviation";
    case SpreadBand::range:
      return mean + ", shaded: from smallest to largest";
    case SpreadBand::none:
      break;
  }
  return mean;
}

Captions::Captions(const SavedSweep& sweep) : title_(experiment_title(sweep.experiment)) {
  for (const auto& [key, value] : constants_of(sweep))
    if (key != encoding_key && key != "seed" && !is_usual(sweep.experiment, key, value)) {
      const ParamSpec* spec = spec_of(sweep.experiment, key);
      rest_ += " · " + setting_text(spec ? *spec : ParamSpec{.key = key}, value);
    }
  const std::size_t all = sweep.points.size(), done = count_with(sweep.points, PointStatus::done);
  if (done < all)
    rest_ += fmt::format(" · {} of {} points {} no result", all - done, all,
                         all - done == 1 ? "has" : "have");
}

std::string Captions::of(const Place& page, const std::string& repeats) const {
  std::string caption = title_;
  if (!page.empty()) caption += " · " + as_marked(text_of(page));
  if (!repeats.empty()) caption += " · " + repeats;
  return caption + rest_;
}

Axis setting_axis(const SavedSweep& sweep, const std::string& key) {
  const ParamSpec* spec = spec_of(sweep.experiment, key);
  if (!spec) return {.label = key};
  const bool has_symbol = !is_of_encoding(key) && plain_text(spec->symbol) != key;
  return {.label = key, .symbol = has_symbol ? spec->symbol : "", .unit = spec->unit};
}

AxisScale scale_for(const std::vector<double>& values) {
  constexpr double decades = 100.0;  ///< ratio from which a logarithmic axis is easier to read
  double low = infinity, high = 0.0;
  bool powers_of_two = true;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (value <= 0.0) return AxisScale::linear;
    low = std::min(low, value);
    high = std::max(high, value);
    int exponent = 0;
    powers_of_two = powers_of_two && std::frexp(value, &exponent) == 0.5;
  }
  if (powers_of_two && high >= 4.0 * low) return AxisScale::log2;
  return high >= decades * low ? AxisScale::log10 : AxisScale::linear;
}

void share_axes(std::vector<Figure>& panels, const PlotRequest& request) {
  if (panels.size() < 2 || !request.shared.value_or(true)) return;
  Extent x, y;
  AxisScale x_scale{}, y_scale{};
  for (const Figure& panel : panels) {
    const auto* plot = std::get_if<LinePlot>(&panel.content);
    if (!plot) return;
    x_scale = plot->x.scale;
    y_scale = plot->y.scale;
    for (const Series& series : plot->series) {
      x.add(series.x, is_log(x_scale));
      for (const auto* values : {&series.y, &series.band_low, &series.band_high})
        y.add(*values, is_log(y_scale));
    }
  }
  for (Figure& panel : panels) {
    auto& plot = std::get<LinePlot>(panel.content);
    if (!x.empty()) plot.x.range = Range{x.low, x.high};
    if (!y.empty()) plot.y.range = with_margin(y, y_scale);
  }
}

bool is_asked_for(const Setting& setting, const PlotRequest& request) {
  return std::ranges::all_of(request.where, [&](const auto& one) {
    const auto found = setting.find(one.first);
    return found == setting.end() || same_value(found->second, one.second);
  });
}

Setting setting_of(const PointRecord& point, const std::vector<std::string>& keys,
                   const std::string& encoding) {
  Setting setting;
  for (const std::string& key : keys)
    if (const std::string value = point.param(key); !value.empty()) setting[key] = value;
  setting.erase(encoding_key);
  if (!encoding.empty()) setting[encoding_key] = encoding;
  return setting;
}

bool has_too_many_pages(const std::vector<Setting>& settings, const Arrangement& arrangement) {
  // Each value is on a page, and the places of one dimension are its values.
  const auto& pages = arrangement.pages;
  if (std::ranges::any_of(pages,
                          [](const Dimension& one) { return one.values.size() > most_pages; }))
    return true;
  return pages.size() > 1 && places_of(settings, pages).size() > most_pages;
}

std::vector<std::string> without_crowd(const std::vector<Setting>& settings,
                                       Arrangement& arrangement) {
  constexpr std::size_t most_bands = 6;
  const auto is_kind = [](const Dimension& one) {
    return one.key == encoding_key || one.key == curve_key;
  };
  std::vector<std::string> gone;
  if (arrangement.hue && !is_kind(*arrangement.hue) &&
      arrangement.hue->values.size() > most_bands) {
    gone.push_back(arrangement.hue->key);
    arrangement.hue.reset();
  }
  if (!has_too_many_pages(settings, arrangement)) return gone;
  std::erase_if(arrangement.pages, [&](const Dimension& one) {
    if (!is_kind(one)) gone.push_back(one.key);
    return !is_kind(one);
  });
  return gone;
}

std::string bands_text(const std::vector<std::string>& gone) {
  const std::string text = "median, shaded: 25 % to 75 %, and 5 % to 95 %, of all points";
  return gone.empty() ? text : fmt::format("{} over {}", text, fmt::join(gone, " and "));
}

Points finished_points(const SavedSweep& sweep) {
  Points points;
  for (const PointRecord& point : sweep.points)
    if (point.is_done()) points.push_back(&point);
  return points;
}

Points sample_of(Points points, std::size_t most) {
  if (points.size() <= most) return points;
  // Ids are hashes, so that the smallest are drawn evenly.
  const auto by_id = [](const PointRecord* a, const PointRecord* b) { return a->id < b->id; };
  std::nth_element(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(most), points.end(),
                   by_id);
  points.resize(most);
  std::ranges::sort(points);  // by address: all are in one list
  return points;
}

std::vector<Panels> pages_of(const std::vector<Setting>& settings, const Arrangement& arrangement,
                             const PlotRequest& request, const std::string& id,
                             const std::string& title,
                             const std::function<std::string(const Place&)>& caption,
                             const MakePanel& panel) {
  const auto& over = arrangement.pages;
  const bool alone = over.size() == 1;  // each value is a place then
  const std::vector<Place> pages = alone && over.front().values.size() > most_pages
                                       ? std::vector<Place>(over.front().values.size())
                                       : places_of(settings, over);
  if (pages.size() > most_pages)
    throw UsageError(fmt::format("{} pages", pages.size()),
                     fmt::format("are more than {}: a page per combination of {}", most_pages,
                                 arrangement.pages.front().key),
                     fmt::format("choose some points, as in {}={}", arrangement.pages.front().key,
                                 arrangement.pages.front().values.front()));
  std::vector<Dimension> facets;
  if (arrangement.facet) facets.push_back(*arrangement.facet);
  std::vector<Panels> made;
  for (const Place& page : pages) {
    Panels one{.id = id + file_part(page),
               .title = page.empty() ? title : title + " at " + as_marked(text_of(page)),
               .caption = caption(page)};
    for (const Place& facet : places_of(settings, facets)) {
      Place place = page;
      place.insert(place.end(), facet.begin(), facet.end());
      std::optional<Figure> figure = panel(place);
      if (!figure) continue;
      figure->id = one.id;
      figure->title =
          facet.empty() ? "" : as_marked(value_name(*arrangement.facet, facet.front().second));
      one.panels.push_back(std::move(*figure));
    }
    if (one.panels.empty()) continue;
    share_axes(one.panels, request);
    if (one.panels.size() == 1) {
      Figure& only = one.panels.front();
      only.title = only.title.empty() ? one.title : one.title + ", " + only.title;
      only.caption = one.caption;
    }
    made.push_back(std::move(one));
  }
  return made;
}

}  // namespace orrery
