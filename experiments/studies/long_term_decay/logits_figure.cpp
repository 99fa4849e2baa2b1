#include "experiments/studies/long_term_decay/logits_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/analysis/decay.h"
#include "core/analysis/largest.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {
namespace in_logits_figure {

constexpr double base_step = 10.0;  ///< bases that are compared, as a ratio
constexpr double least_standard_errors = 4.0;
constexpr double least_change = 1e-9;    ///< of the logit at 0; less is rounding
constexpr std::size_t most_rules = 3;    ///< vertical ones
constexpr std::size_t most_listed = 3;   ///< encodings that a title lists
constexpr double most_distances = 1024;  ///< with more, curves of other bases cover one another

/// How the mean logit of an encoding goes on from distance 0.
struct Course {
  enum class Kind { halved, kept, constant, unknown };
  std::string name{};
  Kind kind{};
  double half{};  ///< tokens; NaN unless halved
};

double first_at_half(const std::vector<double>& logits) {
  const auto place = first_at_or_below(logits, logits.front() / 2);
  return place ? std::ceil(*place) : std::numeric_limits<double>::quiet_NaN();
}

Course course_of(const Series& logits, double standard_error) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double first = logits.y.front();
  const std::string name = label_in_sentence(logits.choice);
  Largest change;
  for (const double logit : logits.y)
    if (!std::isnan(logit)) change.see(std::abs(logit - first));
  if (change.value() <= least_change * std::abs(first)) return {name, Course::Kind::constant, none};
  // What is 0 but for chance has no half.
  if (!(first > least_standard_errors * standard_error)) return {name, Course::Kind::unknown, none};
  const double half = first_at_half(logits.y);
  return {name, std::isnan(half) ? Course::Kind::kept : Course::Kind::halved, half};
}

/// "RoPE's logit first falls to half at 50 tokens"
std::string words_of(const Course& course, double last) {
  switch (course.kind) {
    case Course::Kind::halved:
      return fmt::format("{}'s logit first falls to half at {} tokens", course.name,
                         grouped_number(course.half));
    case Course::Kind::kept:
      return fmt::format("{}'s logit stays above half to {} tokens", course.name,
                         grouped_number(last));
    case Course::Kind::constant:
      return fmt::format("With {} the logit is the same at every distance", course.name);
    case Course::Kind::unknown:
      break;
  }
  return fmt::format("{}'s mean logit at distance 0 is 0 but for chance: nothing to fall from",
                     course.name);
}

/// "at 12 tokens with ALiBi, 50 with RoPE", the range where there are many.
std::string halved_words(std::vector<Course> halved) {
  std::ranges::stable_sort(halved,
                           [](const Course& a, const Course& b) { return a.half < b.half; });
  const auto one = [](const Course& course, const char* unit) {
    return fmt::format("{}{} with {}", grouped_number(course.half), unit, course.name);
  };
  std::string words = "at " + one(halved.front(), " tokens");
  if (halved.size() > most_listed) return fmt::format("{} to {}", words, one(halved.back(), ""));
  for (std::size_t i = 1; i < halved.size(); ++i) words += ", " + one(halved[i], "");
  return words;
}

std::string names_of(const std::vector<Course>& courses) {
  std::vector<std::string> names;
  for (const Course& course : courses) names.push_back(course.name);
  return listed(names);
}

std::string title_of(const std::vector<Course>& courses, double last) {
  if (courses.size() == 1) return words_of(courses.front(), last);
  std::vector<Course> halved, kept, unknown;
  for (const Course& course : courses)
    (course.kind == Course::Kind::halved    ? halved
     : course.kind == Course::Kind::unknown ? unknown
                                            : kept)
        .push_back(course);
  std::string title;
  if (!halved.empty()) title = "The logit first falls to half " + halved_words(std::move(halved));
  if (!kept.empty())
    title += fmt::format("{} to {} tokens with {}",
                         title.empty() ? "The logit does not fall to half" : "; not",
                         grouped_number(last), names_of(kept));
  if (unknown.empty()) return title;
  return fmt::format("{}{} 0 but for chance at distance 0 with {}", title,
                     title.empty() ? "The mean logit is" : "; it is", names_of(unknown));
}

/// The bound as it falls, from the logit at 0 on: it is so much larger that on its own scale the
/// logits would be a line at 0.
Series bound_shape(const DecayFindings& found, const Series& logits) {
  const std::vector<double>& curve = found.curve.mean_abs_S;
  Smallest lowest(0.0);
  for (const double logit : logits.y) lowest.see(logit);
  Series bound{
      .name = "shape of the bound (37)", .x = logits.x, .ghost = "bound (37)", .own_ghost = true};
  for (const double size : curve) {
    bound.y.push_back(logits.y.front() * size / curve.front());
    bound.band_low.push_back(larger(-bound.y.back(), lowest.value()));
  }
  bound.band_high = bound.y;
  return bound;
}

/// RoPE's logits with another base, named by where they are halved.
struct OtherBase {
  double half{};
  Series curve{};
};

std::optional<OtherBase> with_base(const DecayFindings& found, double factor,
                                   const std::optional<std::vector<double>>& theta,
                                   const Series& logits) {
  if (!theta) return std::nullopt;
  OtherBase other;
  const std::string base = "base " + grouped_number(found.params.real("base") * factor);
  other.curve = {.x = logits.x,
                 .y = mean_logits_with(found, *theta, logits.y.front()),
                 .ghost = base,
                 .own_ghost = true};
  other.half = first_at_half(other.curve.y);
  other.curve.name =
      base + (std::isnan(other.half) ? ": above half"
                                     : fmt::format(": half at {}", grouped_number(other.half)));
  return other;
}

/// "; ten times the base moves that to 131"
std::string effect_words(const OtherBase& other, const Course& own, double last) {
  if (std::isnan(own.half))
    return std::isnan(other.half) ? ""
                                  : fmt::format("; with a tenth of the base it is halved at {}",
                                                grouped_number(other.half));
  if (std::isnan(other.half))
    return fmt::format("; with ten times the base it stays above half to {}", grouped_number(last));
  return fmt::format("; ten times the base moves that to {}", grouped_number(other.half));
}

void add_rules(LinePlot& plot, const std::vector<Course>& courses) {
  std::vector<Rule> found;
  for (const Course& course : courses)
    if (course.kind == Course::Kind::halved)
      found.push_back(
          vertical(course.half, courses.size() == 1
                                    ? fmt::format("half at $r$ = {}", course.half)
                                    : fmt::format("{}: half at {}", course.name, course.half)));
  if (found.empty()) return;
  const double first = plot.series.front().y.front();
  const bool alike = std::all_of(
      plot.series.begin(), plot.series.begin() + static_cast<std::ptrdiff_t>(courses.size()),
      [&](const Series& one) { return std::abs(one.y.front() - first) <= least_change * first; });
  if (alike) plot.rules.push_back(horizontal(first / 2, "half of the logit at 0"));
  if (found.size() <= most_rules) plot.rules.insert(plot.rules.end(), found.begin(), found.end());
}

}  // namespace in_logits_figure
}  // namespace

void add_logits_figure(
    DecayLogits logits, const std::string& caption,
    const std::function<std::optional<std::vector<double>>(double factor)>& theta_at,
    Result& result) {
  using namespace in_logits_figure;
  LinePlot& plot = logits.plot;
  const double last = plot.series.front().x.back();
  std::vector<Course> courses;
  for (std::size_t e = 0; e < plot.series.size(); ++e) {
    const Series& series = plot.series[e];
    courses.push_back(course_of(series, logits.standard_errors[e]));
    FindingsOn(result, series.choice, untrained_label(series.choice))
        .scalar("half_distance", courses.back().half,
                std::isnan(courses.back().half)
                    ? fmt::format("no mean logit to {} is half of that at 0", last)
                    : "first distance at which the mean logit is at most half of that at 0",
                "tokens");
  }
  std::string title = title_of(courses, last), note;
  const auto rope = std::ranges::find(plot.series, "rope", &Series::choice);
  const Course own = courses[static_cast<std::size_t>(rope - plot.series.begin()) % courses.size()];
  if (logits.rope && own.kind != Course::Kind::unknown && own.kind != Course::Kind::constant) {
    const Series& of = *rope;
    std::vector<Series> behind{bound_shape(*logits.rope, of)};
    note = " · the bound (37) is drawn from the logit at 0 on";
    if (courses.size() == 1)
      for (const double factor : {base_step, 1 / base_step})
        if (auto other = with_base(*logits.rope, factor, theta_at(factor), of)) {
          if ((factor > 1) != std::isnan(own.half)) title += effect_words(*other, own, last);
          if (last <= most_distances) behind.push_back(std::move(other->curve));
        }
    plot.series.insert(plot.series.end(), behind.begin(), behind.end());
  }
  add_rules(plot, courses);
  result.figures.insert(result.figures.begin(),
                        {"decay_scores", std::move(title), caption + note, std::move(plot)});
}

}  // namespace orrery
