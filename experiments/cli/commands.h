#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/cli/look_options.h"
#include "experiments/results/figure_options.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery::cli {

/// Exit statuses of the program.
enum ExitCode {
  exit_ok = 0,
  exit_failed = 1,  ///< a point or a check failed
  exit_usage = 2,
  exit_data = 3,
  exit_io = 4,
  exit_plan = 5,    ///< the folder has a different plan
  exit_locked = 6,  ///< another process is writing to the folder
};

struct ListOptions {
  std::string what{"all"};  ///< "all", "experiments", "encodings" or "presets"
  bool json{false};
};
int list_command(const ListOptions& options);

struct DescribeOptions {
  std::string name{};  ///< an experiment, an encoding or a preset
  bool json{false};
};
int describe_command(const DescribeOptions& options);

struct PositionsOptions {
  std::string file{};      ///< a configuration, a GGUF, or a folder with one
  std::string other{};     ///< to compare with; empty: none
  std::int64_t length{0};  ///< of the sequence; 0: that of training
  std::string sweep{};     ///< the experiment of a sweep file to print; empty: none
  bool json{false};
};
int positions_command(const PositionsOptions& options);

struct PassportOptions {
  std::string model{};               ///< a folder, a .gguf, or a passport that was written before
  std::vector<std::string> words{};  ///< key=value, and another model
  std::string out{};                 ///< a .html or .json; empty: none
  bool force{false};
  bool json{false};
};
int passport_command(const PassportOptions& options);

struct FamiliesOptions {
  bool json{false};
};
int families_command(const FamiliesOptions& options);

struct ModelsOptions {
  std::vector<std::string> places{};  ///< folders and files; empty: where models usually lie
  bool json{false};
};
int models_command(const ModelsOptions& options);

struct TokensOptions {
  std::string model{};               ///< whose tokenizer it is
  std::vector<std::string> words{};  ///< text=FILE
  bool plain{false};                 ///< without the tokens that a model expects around a text
  std::string out{};                 ///< a .npy of the ids; empty: none
  bool force{false};
  bool json{false};
};
int tokens_command(const TokensOptions& options);

struct IdentifyCommandOptions {
  std::string before{};  ///< a tensor, or a folder or an archive of several
  std::string after{};
  std::string positions{};  ///< "0..9" or a file; empty: 0 to N − 1
  bool tokens_first{false};
  bool inv_freq{false};
  bool cos_sin{false};
  std::string bias{};    ///< a matrix that is added to logits; empty: none
  std::string logits{};  ///< logits of q and k as they are before; empty: none
  std::string expect{};  ///< a configuration; empty: none
  int layer{-1};         ///< -1: the number in the tensor's name
  std::string format{};
  int most{6};
  bool json{false};
};
int identify_command(const IdentifyCommandOptions& options);

struct RunOptions {
  std::string experiment{};          ///< an experiment, a preset or a .toml file; empty with `from`
  std::string from{};                ///< folder of a result that is computed again
  std::vector<std::string> words{};  ///< key=value and --key value
  std::string out{};                 ///< folder; chosen from experiment and point id when empty
  FigureOptions figures{.formats = {"svg", "png", "pdf"}};
  bool json{false};
  bool force{false};  ///< replace a result of another experiment or with other settings
  std::vector<std::string> argv{};
};
int run_command(const RunOptions& options);

/// Options of attend and apply, which take arrays.
struct ArrayOptions {
  std::vector<std::string> words{};   ///< key=value and --key value
  std::vector<std::string> tables{};  ///< NAME=FILE.npy
  std::string positions{};            ///< positions of the keys, or of the rows of x
  std::string query_positions{};
  std::string out{};
  bool csv{false};
  bool force{false};  ///< replace what is there already
  std::vector<std::string> argv{};
};
int attend_command(const ArrayOptions& options);
int apply_command(const ArrayOptions& options);

/// Options of all commands that compute points.
struct ComputeOptions {
  int threads{0};  ///< 0: all cores
  bool fail_fast{false};
  bool json{false};
  std::vector<std::string> argv{};
};

struct SweepOptions {
  std::string name{};                ///< experiment, preset or .toml file
  std::vector<std::string> words{};  ///< key=value and --key value
  std::vector<std::string> zips{};   ///< "dim,base"
  std::string out{};
  int repeats{0};         ///< 0: as in the file
  std::int64_t seed{-1};  ///< -1: as in the file
  bool unpaired{false};
  int draws{0};            ///< 0: as in the file
  std::string sampling{};  ///< "latin" or "random"; empty: as in the file
  std::string shard{};     ///< "2/4"
  FigureOptions figures{.formats = {"svg", "png", "pdf"}};
  ComputeOptions compute{};
};
/// The sweep described by the options; the command line overrides the file, which overrides its
/// presets.
SweepSpec spec_of(const SweepOptions& options);
/// Its plan; what a large one takes is said before.
Plan planned(const SweepSpec& spec, const FigureOptions& figures);
/// The sweep's folder, all shards together: the one that is named, or orrery-results/NAME-ID.
std::string folder_of(const SweepSpec& spec, const Plan& plan);
/// The same options without the format "none".
FigureOptions without_none(FigureOptions figures);
int sweep_command(const SweepOptions& options);

struct PlanOptions {
  SweepOptions sweep{};
  std::string emit{};  ///< "", "slurm", "parallel", "mpi" or "snakemake"
  int shards{0};       ///< shards of the script; 0: one per point, at most 64
  bool list{false};    ///< list every point
  bool sample{true};   ///< compute a few points for the estimate
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
  bool watch{false};
};
int status_command(const StatusOptions& options);
/// Counts the points of a sweep and its shards again and again until all have an outcome.
int watch_status(const std::string& folder);

struct MergeOptions {
  std::string out{};
  std::vector<std::string> shards{};
  std::vector<std::string> argv{};
};
int merge_command(const MergeOptions& options);

struct OpenOptions {
  std::string name{};  ///< experiment, preset, .toml file or result folder; empty: the last session
  std::vector<std::string> words{};
  std::string render{};  ///< folder for pictures, instead of a window
};
/// Throws IoError where there is no display for the desktop's window.
/// @param instead  what shows the same without one
void require_display(const std::string& what, const std::string& instead);
/// Replaces this process by the desktop with these arguments; returns only by throwing. Throws
/// IoError where it is not found.
int start_desktop(std::vector<std::string> words);
int open_command(const OpenOptions& options);

struct VerifyCommandOptions {
  std::int64_t seed{0};
  int draws{4};
  std::string only{};  ///< part of a name, statement or equation; empty for all
  bool json{false};
};
int verify_command(const VerifyCommandOptions& options);

struct RedrawOptions {
  std::string folder{};
  FigureOptions figures{.formats = {"svg", "png", "pdf"}};
  double scale{2.0};   ///< pixels per point of a PNG
  std::string out{};   ///< beside the folder when empty
  bool force{false};   ///< replace pictures that were drawn otherwise
  bool panels{false};  ///< all figures in one file
  LookOptions look{};
};
int redraw_command(const RedrawOptions& options);

struct PlotOptions {
  std::string folder{};
  std::vector<std::string>
      words{};  ///< figure=, measure=, x=, y=, hue=, facet=, band= and settings
  FigureOptions figures{.formats = {"svg", "png", "pdf"}};
  LookOptions look{};
  std::string out{};  ///< beside the folder when empty
  bool force{false};
  bool list{false};  ///< print what could be drawn
};
int plot_command(const PlotOptions& options);

struct ReportCommandOptions {
  std::string folder{};
  std::string out{};                    ///< beside the folder when empty
  std::optional<std::size_t> points{};  ///< otherwise the first ones, as far as they fit
  figure::Page drawn_on{};
};
int report_command(const ReportCommandOptions& options);

struct CompareCommandOptions {
  std::string a{};
  std::string b{};
  double tolerance{0};
  std::string only{};  ///< part of a scalar's name
  bool json{false};
};
int compare_command(const CompareCommandOptions& options);

struct LessonOptions {
  std::string action{};              ///< "list", "check", "print", "show", "play" or "render"
  std::string out{};                 ///< folder of what is written; the current one when empty
  std::vector<std::string> names{};  ///< lessons, files or folders; none: all that come with Orrery
  std::size_t step{};                ///< of play and render, from 1; 0: the first, or all
  std::size_t motion{};              ///< frames of render between two steps
  std::string size{};                ///< of render: "1280x800"
  std::string theme{};               ///< of play and render: "dark", "light" or "print"
  bool projector{};                  ///< of render
};
/// Opens a lesson in the desktop, or draws its steps there without a display.
int play_lesson(const LessonOptions& options);
int lesson_command(const LessonOptions& options);

}  // namespace orrery::cli
