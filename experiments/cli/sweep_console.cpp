#include "experiments/cli/sweep_console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "experiments/cli/console.h"

namespace orrery::cli {
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

std::string checks_text(const PointRow& row) {
  if (row.status != "done") return row.status;
  const auto holding = std::count_if(row.checks.begin(), row.checks.end(),
                                     [](const Check& check) { return check.holds(); });
  return fmt::format("{}/{}", holding, row.checks.size());
}

std::string value_of(const PointRow& row, const std::string& key) {
  for (const auto& [name, value] : row.point->swept)
    if (name == key) return value;
  return "–";
}

std::string short_number(double value) {
  return std::isnan(value) ? "none" : fmt::format("{:.6g}", value);
}

using Cells = std::vector<std::string>;

/// One column a list, its heading first.
std::vector<Cells> columns_of(const Plan& plan, const std::vector<PointRow>& rows) {
  std::vector<Cells> columns;
  const auto add = [&](const std::string& heading, auto cell) {
    Cells cells{heading};
    for (const PointRow& row : rows) cells.push_back(cell(row));
    columns.push_back(std::move(cells));
  };
  for (const std::string& key : plan.swept)
    add(key, [&](const PointRow& row) { return value_of(row, key); });
  if (plan.repeats > 1)
    add("repeat", [](const PointRow& row) { return fmt::format("{}", row.point->repeat); });
  add("checks", checks_text);
  Cells names;
  for (const PointRow& row : rows)
    for (const Scalar& scalar : row.scalars)
      if (std::find(names.begin(), names.end(), scalar.name) == names.end())
        names.push_back(scalar.name);
  for (const std::string& name : names)
    add(name, [&](const PointRow& row) -> std::string {
      for (const Scalar& scalar : row.scalars)
        if (scalar.name == name) return short_number(scalar.value);
      return "";
    });
  return columns;
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

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} min", (whole + 30) / 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::size_t output_width() {
  winsize size{};
  constexpr std::size_t usual = 100;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return size.ws_col;
}

std::string sweep_table(const Plan& plan, const std::vector<PointRow>& rows, std::size_t width,
                        std::size_t max_rows) {
  const std::vector<Cells> columns = columns_of(plan, rows);
  std::vector<std::size_t> widths;
  std::size_t used = 0;
  for (const Cells& cells : columns) {
    const std::size_t next = width_of(cells) + 2;
    if (!widths.empty() && used + next > width) break;
    widths.push_back(next);
    used += next;
  }
  const std::size_t shown = std::min(rows.size(), max_rows);
  std::string text;
  for (std::size_t i = 0; i <= shown; ++i) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) line += padded(columns[c][i], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += (i == 0 ? bold(line) : line) + "\n";
  }
  if (shown < rows.size()) text += fmt::format("… and {} more points\n", rows.size() - shown);
  if (widths.size() < columns.size())
    text += fmt::format("… and {} more columns in results.csv\n", columns.size() - widths.size());
  return text;
}

SweepConsole::SweepConsole(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

SweepConsole::~SweepConsole() { clear(); }

void SweepConsole::clear() {
  if (drawn_) say("\r\033[K");
  drawn_ = false;
}

void SweepConsole::draw(const SweepProgress& p) {
  const double done = static_cast<double>(p.before + p.finished) + p.running;
  const double fraction = p.total > 0 ? done / static_cast<double>(p.total) : 1;
  const int filled = std::clamp(static_cast<int>(fraction * bar_width), 0, bar_width);
  say(fmt::format("\r\033[K[{:█>{}}{:·>{}}] {:3.0f}% {}", "", filled, "", bar_width - filled,
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
  if (entry.outcome == JournalEntry::Outcome::failed) {
    clear();
    say(fmt::format("{} {} {}: {}\n", red("failed"), point.id, point.label, entry.error));
  }
  tick(progress);
}

}  // namespace orrery::cli
