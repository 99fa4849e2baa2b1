#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/files/atomic_write.h"
#include "experiments/reports/report_parts.h"
#include "experiments/results/csv.h"
#include "experiments/results/params_json.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/sweeps/measure_titles.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_table.h"

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
    const auto found = std::ranges::find(table.measures, name);
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

/// A LaTeX table (with the package booktabs) of a sweep: a row per setting and encoding, a column
/// per measure; over repeats the mean ± half of its 95 % interval. What is the same everywhere is
/// in the caption. @param measures  those shown; empty: all that differ
/// Throws UsageError for one that the sweep does not have.
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

struct ExportCommandOptions {
  std::string folder{}, form{"csv"}, out{};
  Words measures{};
  bool summary{false}, force{false};
};

namespace fs = std::filesystem;

/// Throws IoError before anything is read: nothing is replaced unasked.
void require_free(const ExportCommandOptions& options) {
  std::error_code failure;
  if (options.force || options.out.empty() || !fs::exists(options.out, failure)) return;
  throw IoError(options.out, "already exists",
                "replace it with --force, or choose another file with --out");
}

std::string text_of(const SavedSweep& sweep, const TidyTable& tidy,
                    const ExportCommandOptions& options) {
  if (options.form == "latex") return latex_table(tidy, options.measures, sweep.experiment);
  if (options.form == "jsonl") return tidy_jsonl(tidy, specs_of(sweep.experiment));
  return csv_text(options.summary ? summary_table(tidy) : results_table(tidy));
}

int export_sweep(const ExportCommandOptions& options) {
  if (!is_sweep_folder(options.folder))
    throw UsageError(options.folder, "is not the folder of a sweep",
                     "give the folder that orrery sweep wrote");
  require_free(options);
  const SavedSweep sweep = load_sweep(options.folder);
  const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
  if (options.out.empty())
    print_data(text_of(sweep, tidy, options));
  else
    atomic_write(options.out, text_of(sweep, tidy, options));
  return warn_each(sweep.problems) ? exit_ok : exit_failed;
}

}  // namespace

Command export_command() {
  const auto o = std::make_shared<ExportCommandOptions>();
  Command command{"export", "Export the numbers of a sweep as CSV, JSON lines or LaTeX",
                  [o] { return export_sweep(*o); }};
  command.options = {
      {"DIR", &o->folder, "Folder of a sweep", required()},
      {"--as", &o->form, "csv, jsonl or latex", one_of({"csv", "jsonl", "latex"})},
      {"--measures", &o->measures, "Of a LaTeX table: a,b; default: all", {.commas = true}},
      {"--summary", &o->summary, "Of CSV: means over repeats"},
      {"--out", &o->out, "A file; default: standard output"},
      {"--force", &o->force, "Replace the file"}};
  command.footer = R"(One row per point and encoding; LaTeX has mean and interval over repeats.

Examples:
  orrery sweep decay_over_bases --format none --out bases
  orrery export bases --as latex --measures change,rises --out table.tex)";
  return command;
}

}  // namespace orrery
