#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/batch/figure_options.h"
#include "experiments/batch/plan.h"
#include "experiments/batch/sweep_spec.h"

namespace orrery::cli {

/// Exit statuses of the program.
enum ExitCode {
  exit_ok = 0,
  exit_failed = 1,  ///< a point or a check failed
  exit_usage = 2,
  exit_data = 3,
  exit_io = 4,
  exit_plan = 5,    ///< the folder holds another plan
  exit_locked = 6,  ///< another run writes to the folder
};

struct ListOptions {
  std::string what{"all"};  ///< "all", "experiments" or "encodings"
  bool json{false};
};
int list_command(const ListOptions& options);

struct DescribeOptions {
  std::string name{};  ///< of an experiment or an encoding
  bool json{false};
};
int describe_command(const DescribeOptions& options);

struct RunOptions {
  std::string experiment{};
  std::vector<std::string> words{};  ///< key=value and --key value
  std::string out{};                 ///< folder; chosen from experiment and point id when empty
  FigureOptions figures{.formats = {"svg", "png", "pdf"}};
  bool json{false};
  bool quiet{false};
  std::vector<std::string> argv{};
};
int run_command(const RunOptions& options);

/// Of attend and apply, which take arrays.
struct ArrayOptions {
  std::vector<std::string> words{};   ///< key=value and --key value
  std::vector<std::string> tables{};  ///< NAME=FILE.npy
  std::string positions{};            ///< of keys, or of the rows of x
  std::string query_positions{};
  std::string out{};
  bool csv{false};
  std::vector<std::string> argv{};
};
int attend_command(const ArrayOptions& options);
int apply_command(const ArrayOptions& options);

/// Of everything that computes points.
struct ComputeOptions {
  int threads{0};  ///< 0: all cores
  bool fail_fast{false};
  bool json{false};
  bool quiet{false};
  std::vector<std::string> argv{};
};

struct SweepOptions {
  std::string name{};                ///< experiment, preset or .toml file
  std::vector<std::string> words{};  ///< key=value and --key value
  std::vector<std::string> zips{};   ///< "dim,base"
  std::string out{};
  int repeats{0};         ///< 0: as the file says
  std::int64_t seed{-1};  ///< -1: as the file says
  std::string shard{};    ///< "2/4"
  FigureOptions figures{.formats = {"svg", "png", "pdf"}};
  ComputeOptions compute{};
};
/// The sweep that the options ask for, with the command line above the file above its presets.
SweepSpec spec_of(const SweepOptions& options);
/// Without "none".
FigureOptions without_none(FigureOptions figures);
int sweep_command(const SweepOptions& options);

struct PlanOptions {
  SweepOptions sweep{};
  std::string emit{};  ///< "", "slurm" or "parallel"
  int shards{0};       ///< of the script; 0: as many as there are points, at most 64
  bool list{false};    ///< every point
  bool sample{true};   ///< compute a few points to estimate by
};
int plan_command(const PlanOptions& options);

struct ResumeOptions {
  std::string folder{};
  ComputeOptions compute{};
};
int resume_command(const ResumeOptions& options);

struct StatusOptions {
  std::string folder{};
  bool json{false};
};
int status_command(const StatusOptions& options);

struct MergeOptions {
  std::string out{};
  std::vector<std::string> shards{};
  std::vector<std::string> argv{};
};
int merge_command(const MergeOptions& options);

struct OpenOptions {
  std::string
      name{};  ///< experiment, preset, .toml file or result folder; empty: the desktop as it was
  std::vector<std::string> words{};
  std::string render{};  ///< a folder for pictures instead of a window
};
/// Becomes the desktop; returns only by throwing.
int open_command(const OpenOptions& options);

struct VerifyCommandOptions {
  std::int64_t seed{0};
  int draws{4};
  std::string only{};  ///< part of a name, statement or equation; empty shows all
  bool json{false};
};
int verify_command(const VerifyCommandOptions& options);

struct RedrawOptions {
  std::string folder{};
  FigureOptions figures{.formats = {"svg", "png", "pdf"}};
  double scale{2.0};  ///< pixels a point of a PNG
  std::string out{};  ///< beside the folder when empty
};
int redraw_command(const RedrawOptions& options);

struct ReportCommandOptions {
  std::string folder{};
  std::string out{};  ///< beside the folder when empty
  std::size_t points{24};
};
int report_command(const ReportCommandOptions& options);

struct CompareCommandOptions {
  std::string a{};
  std::string b{};
  bool json{false};
};
int compare_command(const CompareCommandOptions& options);

}  // namespace orrery::cli
