#pragma once

#include "experiments/batch/runner.h"

namespace orrery::cli {

/// A sweep on stderr: at a terminal a bar with rate and time left, elsewhere a line every two
/// seconds; a line for every point that failed.
class SweepConsole : public SweepObserver {
 public:
  explicit SweepConsole(bool quiet);
  ~SweepConsole() override;
  void tick(const SweepProgress& progress) override;
  void finished(const PlanPoint& point, const JournalEntry& entry,
                const SweepProgress& progress) override;

 private:
  void clear();
  void draw(const SweepProgress& progress);

  bool quiet_;
  bool terminal_;
  bool drawn_{false};
  double last_line_{0};
};

/// The points in rows: swept values, scalars as far as the width allows, checks. At most max_rows.
std::string sweep_table(const Plan& plan, const std::vector<PointRow>& rows, std::size_t width,
                        std::size_t max_rows);

/// Columns of the terminal behind stdout, or 100 where there is none.
std::size_t output_width();

/// "3.2 points/s", "12 s", "1 h 05 min".
std::string rate_text(double points_per_second);
std::string duration_text(double seconds);

}  // namespace orrery::cli
