#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/model/result.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/runner.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {

/// Reports a sweep on stderr: on a terminal a bar with rate and time left, elsewhere a line every
/// two seconds; one line per point that failed.
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

/// At most max_rows points in rows: swept values, checks, and as many scalars as fit the width.
std::string sweep_table(const Plan& plan, const std::vector<PointRecord>& points, std::size_t width,
                        std::size_t max_rows);

/// The width of the terminal on stdout; 100 when it is none.
std::size_t output_width();

/// "3.2 points/s", "4.5 points/min".
std::string rate_text(double points_per_second);

/// The points of a folder by status, read without locking it.
struct Standing {
  std::vector<const PlanPoint*> done{};
  std::vector<const PlanPoint*> failed{};
  std::vector<const PlanPoint*> pending{};
  std::vector<std::pair<const PlanPoint*, std::string>> damaged{};  ///< pending again, and why
  JournalState journal{};
};

/// Reads every file of every finished point.
Standing standing_of(const Plan& plan, const std::filesystem::path& folder);

enum class Shown { first, all };

/// What a terminal shows of a result: what its first figure says, its printed tables, its scalars
/// and its checks. The first scalars alone, and how many checks hold, or all of both; what
/// fails is always there.
std::string result_text(const Result& result, Shown shown);

}  // namespace orrery
