#include "app/session/saved_results.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>

#include "app/session/folder_listing.h"
#include "experiments/combine/sweep_overview.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

ParamSpec text_param(const char* key, const char* description) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::file,
          .default_value = std::string(),
          .file_types = {"*"}};
}

constexpr int first_scalar_column = static_cast<int>(PointOrder::Column::first_scalar);

bool passes(const PointRecord& point, const std::vector<std::string>& words) {
  const std::string all =
      lower_ascii(point.label + " " + std::string(name_of(point.status)) + " " + point.error);
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return all.find(word) != std::string::npos; });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Below 0 when a comes before b: "dim=64" before "dim=128".
int compare_naturally(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    double x = 0, y = 0;
    const auto end_of = [](std::string_view s) { return s.data() + s.size(); };
    const auto [a_end, a_status] =
        is_digit(a[0]) ? std::from_chars(a.data(), end_of(a), x)
                       : std::from_chars_result{a.data(), std::errc::invalid_argument};
    const auto [b_end, b_status] =
        is_digit(b[0]) ? std::from_chars(b.data(), end_of(b), y)
                       : std::from_chars_result{b.data(), std::errc::invalid_argument};
    if (a_status == std::errc() && b_status == std::errc()) {
      if (x != y) return x < y ? -1 : 1;
      a.remove_prefix(static_cast<std::size_t>(a_end - a.data()));
      b.remove_prefix(static_cast<std::size_t>(b_end - b.data()));
      continue;
    }
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() == b.empty() ? 0 : (a.empty() ? -1 : 1);
}

/// Below 0 when a comes before b, NaN after everything in both directions.
int compare_numbers(double a, double b, bool descending) {
  if (std::isnan(a) || std::isnan(b))
    return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
  if (a == b) return 0;
  return (a < b) != descending ? -1 : 1;
}

/// The share of the checks that hold; NaN without checks.
double share_holding(const PointRecord& point) {
  return static_cast<double>(point.holding_checks()) / static_cast<double>(point.checks.size());
}

int compare(const SweepIndex& folder, const PointRecord& a, const PointRecord& b,
            const PointOrder& order) {
  const int sign = order.descending ? -1 : 1;
  if (order.column == static_cast<int>(PointOrder::Column::label))
    return sign * compare_naturally(a.label, b.label);
  if (order.column == static_cast<int>(PointOrder::Column::status))
    return sign * name_of(a.status).compare(name_of(b.status));
  if (order.column == static_cast<int>(PointOrder::Column::checks))
    return compare_numbers(share_holding(a), share_holding(b), order.descending);
  const std::string& name =
      folder.scalars.at(static_cast<std::size_t>(order.column - first_scalar_column));
  return compare_numbers(a.scalar(name), b.scalar(name), order.descending);
}

}  // namespace

Experiment saved_source() {
  return {.info = {.name = "saved_results",
                   .title = "Saved results",
                   .question = "What did an earlier run or sweep find?",
                   .params = {text_param(saved_folder_key, "Where the result lies."),
                              text_param(saved_hue_key, "What colours tell."),
                              text_param(saved_facet_key, "What panels tell.")}},
          .run = [](const ParamSet& params, const Inputs&, Progress& progress) {
            const std::string& folder = params.text(saved_folder_key);
            return path_kind(folder) == PathKind::sweep_folder
                       ? sweep_overview(folder,
                                        {.hue = params.text(saved_hue_key),
                                         .facet = params.text(saved_facet_key)},
                                        progress)
                       : saved_result(folder);
          }};
}

std::vector<std::size_t> ordered_points(const SweepIndex& folder, const PointOrder& order) {
  std::vector<std::string> words;
  std::istringstream typed(lower_ascii(order.filter));
  for (std::string word; typed >> word;) words.push_back(word);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < folder.points.size(); ++i)
    if (passes(folder.points[i], words)) places.push_back(i);
  const bool known = order.column >= 0 &&
                     order.column < first_scalar_column + static_cast<int>(folder.scalars.size());
  if (known)
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return compare(folder, folder.points[a], folder.points[b], order) < 0;
    });
  return places;
}

}  // namespace orrery
