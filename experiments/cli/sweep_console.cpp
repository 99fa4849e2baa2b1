#include "experiments/cli/sweep_console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "experiments/cli/console.h"
#include "experiments/text/number_text.h"
#include "experiments/text/printable.h"

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

std::string checks_text(const PointRecord& point) {
  if (!point.is_done()) return std::string(name_of(point.status));
  return fmt::format("{}/{}", point.holding_checks(), point.checks.size());
}

std::string param_text(const PointRecord& point, const std::string& key) {
  const std::string value = point.param(key);
  return value.empty() ? "–" : value;
}

std::string scalar_text(const PointRecord& point, const std::string& name) {
  for (const Scalar& scalar : point.scalars)
    if (scalar.name == name) return std::isnan(scalar.value) ? "none" : short_number(scalar.value);
  return "";
}

using Cells = std::vector<std::string>;

/// The cells of each column, its heading first.
std::vector<Cells> columns_of(const Plan& plan, const std::vector<PointRecord>& points) {
  std::vector<Cells> columns;
  const auto add = [&](const std::string& heading, auto cell) {
    Cells cells{heading};
    for (const PointRecord& point : points) cells.push_back(cell(point));
    columns.push_back(std::move(cells));
  };
  for (const std::string& key : plan.swept)
    add(key, [&](const PointRecord& point) { return param_text(point, key); });
  if (plan.repeats > 1)
    add("repeat", [](const PointRecord& point) { return fmt::format("{}", point.repeat); });
  add("checks", checks_text);
  for (const std::string& name : scalar_names(points))
    add(name, [&](const PointRecord& point) { return scalar_text(point, name); });
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

std::size_t output_width() {
  winsize size{};
  constexpr std::size_t usual = 100;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return size.ws_col;
}

std::string sweep_table(const Plan& plan, const std::vector<PointRecord>& points, std::size_t width,
                        std::size_t max_rows) {
  const std::vector<Cells> columns = columns_of(plan, points);
  std::vector<std::size_t> widths;
  std::size_t used = 0;
  for (const Cells& cells : columns) {
    const std::size_t next = width_of(cells) + 2;
    if (!widths.empty() && used + next > width) break;
    widths.push_back(next);
    used += next;
  }
  const std::size_t shown = std::min(points.size(), max_rows);
  std::string text;
  for (std::size_t i = 0; i <= shown; ++i) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) line += padded(columns[c][i], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += (i == 0 ? bold(line) : line) + "\n";
  }
  if (shown < points.size()) text += fmt::format("… and {} more points\n", points.size() - shown);
  if (widths.size() < columns.size())
    text += fmt::format("… and {} more columns in results.csv\n", columns.size() - widths.size());
  return text;
}

SweepConsole::SweepConsole(bool quiet) : quiet_(quiet), terminal_(can_redraw_lines()) {}

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
  if (entry.status == PointStatus::failed) {
    clear();
    say(fmt::format("{} {} {}: {}\n", red("failed"), point.id, without_controls(point.label),
                    without_controls(entry.error)));
  }
  if (entry.status == PointStatus::done) {
    clear();
    detail(fmt::format("done {} {}\n", point.id, without_controls(point.label)));
  }
  tick(progress);
}

}  // namespace orrery::cli
