#include "experiments/reports/latex_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/reports/report_parts.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/sweeps/measure_titles.h"

namespace orrery {
namespace {

/// "1.25", "1.2 \times 10^{-7}", in mathematics.
std::string number(double value, int digits) {
  std::string text = fmt::format("{:.{}g}", value, digits);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  return fmt::format("{} \\times 10^{{{}}}", text.substr(0, exponent),
                     std::stoi(text.substr(exponent + 1)));
}

std::string cell(const SampleMoments& of) {
  if (of.n == 0) return "--";
  const double reach = mean_interval(of).high - of.mean;
  constexpr double rounding = 1e-12;
  if (std::isnan(reach) || reach <= rounding * std::abs(of.mean))
    return fmt::format("${}$", number(of.mean, 6));
  return fmt::format("${} \\pm {}$", number(of.mean, 4), number(reach, 2));
}

std::vector<std::size_t> places_of(const TidyTable& table, const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto found = std::find(table.measures.begin(), table.measures.end(), name);
    if (found == table.measures.end())
      throw UsageError(
          name, "is not among the measures of this sweep",
          remedy_for_unknown(name, table.measures,
                             fmt::format("its measures are {}", fmt::join(table.measures, ", "))));
    places.push_back(static_cast<std::size_t>(found - table.measures.begin()));
  }
  return names.empty() ? varied_measures(table) : places;
}

std::string caption_of(const TidyTable& table, const std::string& title, bool repeated) {
  std::string text = latex_words(title);
  if (repeated) text += ", mean $\\pm$ half of its 95\\,\\% interval over repeats";
  std::string constants;
  for (const auto& [key, value] : table.constants)
    if (key != "seed" && key.str().find('.') == std::string::npos)
      constants += fmt::format("{}{} = {}", constants.empty() ? "" : ", ", latex_words(key),
                               latex_words(value));
  return constants.empty() ? text + "." : text + "; " + constants + ".";
}

}  // namespace

std::string latex_table(const TidyTable& table, const std::vector<std::string>& measures,
                        const std::string& title) {
  const std::vector<std::size_t> places = places_of(table, measures);
  std::vector<std::string> header;
  for (const std::string& key : table.keys) header.push_back(latex_words(key));
  if (table.has_encodings) header.emplace_back("encoding");
  const std::size_t settings = header.size();
  for (const std::size_t m : places) header.push_back(latex_words(words_of(table.measures[m])));
  std::string rows;
  bool repeated = false;
  for (const RepeatGroup& group : repeat_groups(table)) {
    repeated = repeated || group.rows.size() > 1;
    std::vector<std::string> cells;
    for (const std::string& key : table.keys) {
      const std::string value = group.rows.front()->point->param(key);
      cells.push_back(value.empty() ? "--" : latex_words(value));
    }
    if (table.has_encodings)
      cells.push_back(latex_words(label_of_encoding(group.rows.front()->encoding)));
    for (const std::size_t m : places) cells.push_back(cell(group.moments[m]));
    rows += fmt::format("    {} \\\\\n", fmt::join(cells, " & "));
  }
  return fmt::format(
      "% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n  \\centering\n  \\caption{{{}}}\n"
      "  \\begin{{tabular}}{{{}{}}}\n    \\toprule\n    {} \\\\\n    \\midrule\n{}"
      "    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n",
      caption_of(table, title, repeated), std::string(settings, 'l'),
      std::string(places.size(), 'r'), fmt::join(header, " & "), rows);
}

}  // namespace orrery
