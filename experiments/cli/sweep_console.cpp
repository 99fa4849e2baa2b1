#include "experiments/cli/sweep_console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/cli/console.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/sweeps/tidy_table.h"
#include "experiments/text/display_width.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double line_interval = 2.0;  // seconds between lines where there is no terminal
constexpr int bar_width = 24;

struct Pace {
  double points_per_second{};
  double seconds_left{};
};

Pace pace_of(const SweepProgress& p) {
  const double worked = static_cast<double>(p.finished) + p.running;
  const double left = static_cast<double>(p.total - p.before) - worked;
  if (p.seconds <= 0 || worked <= 0) return {};
  const double rate = worked / p.seconds;
  return {rate, std::max(left, 0.0) / rate};
}

std::string progress_text(const SweepProgress& p) {
  const Pace pace = pace_of(p);
  std::string text = fmt::format("{}/{} points", p.before + p.finished, p.total);
  if (p.failed > 0) text += fmt::format(", {} failed", p.failed);
  if (pace.points_per_second > 0)
    text += fmt::format(", {}, {} left", rate_text(pace.points_per_second),
                        duration_text(pace.seconds_left));
  return text;
}

using Cells = std::vector<std::string>;

/// One line of the table: a row, or the rows that differ in their repeat alone.
struct Line {
  std::vector<const TidyRow*> rows{};
  std::vector<SampleMoments> moments{};  ///< of repeats; empty for a single row
};

std::vector<Line> lines_of(const TidyTable& tidy, int repeats) {
  std::vector<Line> lines;
  for (const TidyRow& row : tidy.rows)
    if (repeats == 1 || !row.point->is_done()) lines.push_back({{&row}, {}});
  if (repeats == 1) return lines;
  std::vector<Line> grouped;
  for (RepeatGroup& group : repeat_groups(tidy))
    grouped.push_back({std::move(group.rows), std::move(group.moments)});
  grouped.insert(grouped.end(), lines.begin(), lines.end());
  return grouped;
}

/// "5/5", of all rows of the line.
std::string cell_of_checks(const Line& line) {
  std::size_t all = 0, holding = 0;
  for (const TidyRow* row : line.rows) {
    if (!row->point->is_done()) return std::string(name_of(row->point->status));
    for (const Check* check : row->checks) {
      if (!check) continue;
      ++all;
      if (check->holds()) ++holding;
    }
  }
  return all == 0 ? "–" : fmt::format("{}/{}", holding, all);
}

std::string param_text(const PointRecord& point, const std::string& key) {
  const std::string value = point.param(key);
  return value.empty() ? "–" : value;
}

std::string number_or_none(double value) {
  return std::isnan(value) ? "none" : short_number(value);
}

/// "1.25", or "1.25 ± 0.04" with half of the 95 % interval of the mean over repeats.
std::string measure_text(const Line& line, std::size_t measure) {
  if (line.moments.empty()) return number_or_none(line.rows.front()->values[measure]);
  const SampleMoments& moments = line.moments[measure];
  const MeanInterval interval = mean_interval(moments);
  constexpr double rounding = 1e-12;  // less than this share of the mean is no spread
  const double reach = interval.high - moments.mean;
  if (std::isnan(reach) || reach <= rounding * std::abs(moments.mean))
    return number_or_none(moments.mean);
  return fmt::format("{} ± {:.2g}", short_number(moments.mean), reach);
}

/// The measures that differ; those that most rows have come first.
std::vector<std::size_t> varying_measures(const TidyTable& tidy) {
  std::vector<std::size_t> order, missing;
  for (std::size_t m = 0; m < tidy.measures.size(); ++m) {
    const auto lacks = [m](const TidyRow& row) { return std::isnan(row.values[m]); };
    missing.push_back(static_cast<std::size_t>(std::ranges::count_if(tidy.rows, lacks)));
    if (!is_constant(tidy, m)) order.push_back(m);
  }
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return missing[a] < missing[b]; });
  return order;
}

/// The cells of each column, its heading first.
std::vector<Cells> columns_of(const TidyTable& tidy, const std::vector<Line>& lines,
                              bool repeated) {
  std::vector<Cells> columns;
  const auto add = [&](const std::string& heading, auto cell) {
    Cells cells{heading};
    for (const Line& line : lines) cells.push_back(cell(line));
    columns.push_back(std::move(cells));
  };
  for (const std::string& key : tidy.keys)
    add(key, [&](const Line& line) { return param_text(*line.rows.front()->point, key); });
  if (tidy.has_encodings)
    add("encoding", [](const Line& line) { return line.rows.front()->encoding; });
  if (repeated) add("n", [](const Line& line) { return fmt::format("{}", line.rows.size()); });
  add("checks", cell_of_checks);
  for (const std::size_t m : varying_measures(tidy))
    add(tidy.measures[m], [m](const Line& line) { return measure_text(line, m); });
  return columns;
}

/// "the same everywhere: tokens 128, …"; empty where every measure differs.
std::string constants_text(const TidyTable& tidy) {
  std::string text;
  for (std::size_t m = 0; m < tidy.measures.size(); ++m) {
    if (!is_constant(tidy, m)) continue;
    text += fmt::format("{}{} {}", text.empty() ? "the same everywhere: " : ", ", tidy.measures[m],
                        number_or_none(tidy.rows.front().values[m]));
  }
  return text.empty() ? text : text + "\n";
}

std::size_t width_of(const Cells& cells) {
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, display_width(cell));
  return width;
}

}  // namespace

std::string rate_text(double rate) {
  if (rate >= 10) return fmt::format("{:.0f} points/s", rate);
  if (rate >= 0.1) return fmt::format("{:.1f} points/s", rate);
  return fmt::format("{:.1f} points/min", 60 * rate);
}

std::size_t output_width() {
  winsize size{};
  constexpr std::size_t usual = 100;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return size.ws_col;
}

std::string sweep_table(const Plan& plan, const std::vector<PointRecord>& points, std::size_t width,
                        std::size_t max_rows) {
  const TidyTable tidy = tidy_table(points, plan.swept);
  std::vector<Line> lines = lines_of(tidy, plan.repeats);
  const std::size_t all = lines.size(), shown = std::min(all, max_rows);
  lines.resize(shown);
  const std::vector<Cells> columns = columns_of(tidy, lines, plan.repeats > 1);
  std::vector<std::size_t> widths;
  std::size_t used = 0;
  for (const Cells& cells : columns) {
    const std::size_t next = width_of(cells) + 2;
    if (!widths.empty() && used + next > width) break;
    widths.push_back(next);
    used += next;
  }
  std::string text;
  for (std::size_t i = 0; i <= shown; ++i) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) line += padded(columns[c][i], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += (i == 0 ? bold(line) : line) + "\n";
  }
  if (shown < all) text += fmt::format("… and {} more rows\n", all - shown);
  if (widths.size() < columns.size())
    text += fmt::format("… and {} more columns in results.csv\n", columns.size() - widths.size());
  if (plan.repeats > 1) text += "mean ± half of its 95 % interval (Student's t) over n repeats\n";
  return text + constants_text(tidy);
}

SweepConsole::SweepConsole(bool quiet) : quiet_(quiet), terminal_(can_redraw_lines()) {}

SweepConsole::~SweepConsole() { clear(); }

void SweepConsole::clear() {
  if (drawn_) redraw_line("");
  drawn_ = false;
}

void SweepConsole::draw(const SweepProgress& p) {
  const double done = static_cast<double>(p.before + p.finished) + p.running;
  const double fraction = p.total > 0 ? done / static_cast<double>(p.total) : 1;
  const int filled = std::clamp(static_cast<int>(fraction * bar_width), 0, bar_width);
  redraw_line(fmt::format("[{:█>{}}{:·>{}}] {:3.0f}% {}", "", filled, "", bar_width - filled,
                          100 * fraction, progress_text(p)));
  drawn_ = true;
}

void SweepConsole::tick(const SweepProgress& progress) {
  if (quiet_) return;
  if (terminal_) return draw(progress);
  if (progress.seconds - last_line_ < line_interval) return;
  last_line_ = progress.seconds;
  say(progress_text(progress) + "\n");
}

void SweepConsole::finished(const PlanPoint& point, const JournalEntry& entry,
                            const SweepProgress& progress) {
  if (entry.status == PointStatus::failed) {
    clear();
    say(fmt::format("{} {} {}: {}\n", red("failed"), point.id, point.label, entry.error));
  }
  if (entry.status == PointStatus::done) {
    clear();
    detail(fmt::format("done {} {}\n", point.id, point.label));
  }
  tick(progress);
}

Standing standing_of(const Plan& plan, const std::filesystem::path& folder) {
  Standing standing;
  if (is_sweep_folder(folder)) standing.journal = read_journal(folder / journal_file);
  std::vector<PointState> states = point_states(folder, standing.journal, pointers_to(plan.points));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const PlanPoint& point = plan.points[i];
    PointState& found = states[i];
    (found.status == PointStatus::done     ? standing.done
     : found.status == PointStatus::failed ? standing.failed
                                           : standing.pending)
        .push_back(&point);
    if (!found.damage.empty()) standing.damaged.emplace_back(&point, std::move(found.damage));
  }
  return standing;
}

namespace {

/// With a heading, a finding and a line of checks these are twelve lines.
constexpr std::size_t most_scalars = 9;

std::string check_text(const Check& check) {
  return fmt::format("  {}  {}  {}: {} {} {}\n", check.holds() ? green("holds") : red("FAILS"),
                     plain_text(check.statement), plain_text(check.equation),
                     readable_number(check.measured), sign_of(check.relation),
                     readable_number(check.bound));
}

std::string checks_text(const Result& result, Shown shown) {
  std::string text;
  std::size_t holding = 0;
  for (const Check& check : result.checks) {
    if (check.holds() && shown == Shown::first)
      ++holding;
    else
      text += check_text(check);
  }
  if (holding > 0)
    text += fmt::format("  {} check{}\n", holding, holding == 1 ? " holds" : "s hold");
  return text;
}

/// Of the first scalars, `most` of them.
std::string scalars_text(const Result& result, std::size_t most) {
  std::size_t name_width = 0, value_width = 0;
  const std::size_t count = std::min(most, result.scalars.size());
  for (std::size_t i = 0; i < count; ++i) {
    name_width = std::max(name_width, result.scalars[i].name.str().size());
    value_width = std::max(value_width, readable_number(result.scalars[i].value).size());
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const Scalar& scalar = result.scalars[i];
    text += fmt::format("  {:{}}  {:>{}}  {}{}\n", scalar.name, name_width,
                        readable_number(scalar.value), value_width, plain_text(scalar.description),
                        scalar.unit.empty() ? "" : " [" + scalar.unit + "]");
  }
  return text;
}

std::string cell_text(const Column& column, std::size_t row) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.values))
    return readable_number((*numbers)[row]);
  return std::get<std::vector<std::string>>(column.values)[row];
}

/// A column with its heading: numbers to the right, words to the left.
std::vector<std::string> column_cells(const Column& column, std::size_t rows) {
  std::vector<std::string> cells{column.name};
  for (std::size_t row = 0; row < rows; ++row) cells.push_back(cell_text(column, row));
  return aligned(std::move(cells), std::holds_alternative<std::vector<double>>(column.values));
}

std::string table_text(const Table& table) {
  constexpr std::size_t most_rows = 48;
  const std::size_t all =
      std::visit([](const auto& values) { return values.size(); }, table.columns.front().values);
  const std::size_t rows = std::min(all, most_rows);
  std::vector<std::string> lines(rows + 1);
  for (const Column& column : table.columns) {
    const std::vector<std::string> cells = column_cells(column, rows);
    for (std::size_t line = 0; line <= rows; ++line) lines[line] += "  " + cells[line];
  }
  std::string text = plain_text(table.caption) + "\n";
  for (std::string& line : lines) text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  if (rows < all)
    text += fmt::format("  … and {} more rows: {}.csv has all\n", all - rows, table.name);
  return text;
}

/// What its first figure says, and the answers that are tables.
std::string answer_text(const Result& result) {
  std::string text;
  if (!result.figures.empty()) text = "  " + plain_text(result.figures.front().title) + "\n";
  for (const Table& table : result.tables)
    if (table.printed) text += table_text(table);
  return text;
}

}  // namespace

std::string result_text(const Result& result, Shown shown) {
  std::string text = answer_text(result);
  const std::string checks = checks_text(result, shown);
  if (shown == Shown::all) return text + scalars_text(result, result.scalars.size()) + checks;
  std::size_t room = most_scalars;
  if (result.scalars.size() > room) --room;
  text += scalars_text(result, room);
  if (result.scalars.size() > room)
    text += fmt::format("  … and {} more numbers: --all\n", result.scalars.size() - room);
  return text + checks;
}

}  // namespace orrery
