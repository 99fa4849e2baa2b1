#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "core/errors.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/figure_words.h"
#include "experiments/cli/rerun.h"
#include "experiments/cli/sweep_console.h"
#include "experiments/data/load_inputs.h"
#include "experiments/data/npy.h"
#include "experiments/data/npz.h"
#include "experiments/files/atomic_write.h"
#include "experiments/results/figure_options.h"
#include "experiments/results/memory.h"
#include "experiments/results/point_id.h"
#include "experiments/results/result_folder.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/provenance.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

struct RunOptions {
  std::string experiment{}, from{}, out{};
  Words words{}, argv{};
  FigureOptions figures{default_figures()};
  bool json{false}, force{false}, all{false};
};

using WallClock = std::chrono::system_clock;

struct RunPoint {
  ParamSet params;
  LoadedInputs loaded;
  std::filesystem::path folder;
};

/// DIR itself for a single point, DIR/ID for several; without --out, orrery-results/NAME-ID.
std::filesystem::path point_folder(const RunOptions& options, const std::string& experiment,
                                   const std::string& id, bool several) {
  if (options.out.empty()) return std::filesystem::path("orrery-results") / (experiment + "-" + id);
  const std::filesystem::path out(options.out);
  return several ? out / id : out;
}

/// `from` is the result's provenance, which figures with formulas need.
WriteOptions options_for(const RunOptions& options, const std::filesystem::path& folder,
                         const Provenance& from) {
  WriteOptions write = write_options(folder, without_none(options.figures), from);
  write.replaceable = options.force ? Replaceable::any_result : Replaceable::same_settings;
  return write;
}

/// Whether the result is its arrays in one file, and no folder: of a .npy the only one.
bool writes_arrays(const RunOptions& options) {
  return is_archive(options.out) || options.out.ends_with(".npy");
}

/// The folder or the file of the model that is asked; empty without one.
std::filesystem::path model_of(const Inputs& inputs) {
  for (const auto& [key, input] : inputs)
    if (const auto* model = std::get_if<ModelFile>(&input)) return model->path;
  return {};
}

/// Refuses what is there under the name of --out, before anything is read.
void check_output(const Experiment& experiment, const ParamSet& params, const RunOptions& options,
                  bool several) {
  if (!writes_arrays(options)) {
    if (!several && !options.out.empty())
      require_replaceable(options_for(options, options.out, {}),
                          provenance_of(experiment.info, params));
    return;
  }
  if (several)
    throw UsageError("--out " + options.out, "is one file, and these are several results",
                     "name a folder");
  require_new_output(options.out, options.force);
}

/// Checks everything that can be refused before the first computation.
RunPoint prepare(const Experiment& experiment, const ParamSet& params, const RunOptions& options,
                 bool several) {
  check_output(experiment, params, options, several);
  RunPoint point{params, load_inputs(params), {}};
  for (const std::string& note : point.loaded.notes) tell(note + "\n");
  if (!options.from.empty()) require_same_inputs(options.from, point.loaded.files);
  if (experiment.check) experiment.check(point.params, point.loaded.inputs);
  require_memory(experiment, point.params);
  if (writes_arrays(options)) {
    require_no_input(options.out, point.loaded.files, model_of(point.loaded.inputs));
    return point;
  }
  point.folder = point_folder(options, experiment.info.name,
                              point_id(experiment.info, params, point.loaded.files), several);
  require_no_input_in(point.folder, point.loaded.files);
  require_replaceable(options_for(options, point.folder, {}),
                      provenance_of(experiment.info, params));
  return point;
}

std::vector<RunPoint> points_of(const SweepSpec& spec, const RunOptions& options) {
  const std::vector<Combination> sets = combinations_of(spec).points;
  std::vector<RunPoint> points;
  points.reserve(sets.size());
  for (const Combination& set : sets)
    points.push_back(prepare(*spec.experiment, set.params, options, sets.size() > 1));
  return points;
}

/// What was typed, also where it is the default, and what else differs from the defaults.
std::vector<std::string> heading_words(const SweepSpec& spec, const ParamSet& params) {
  std::vector<std::string> words;
  for (const SweepSpec::Axis& axis : spec.axes)
    if (params.is_used(axis.key))
      words.push_back(fmt::format("{}={}", axis.key, params.to_text(axis.key)));
  for (std::string& word : params.overrides())
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  return words;
}

std::string summary(const SweepSpec& spec, const ParamSet& params, const Result& result,
                    Shown shown) {
  std::string text = bold(spec.experiment->info.name);
  for (const std::string& word : heading_words(spec, params)) text += " " + word;
  return text + "\n" + result_text(result, shown);
}

/// What the summary shows, where it is not printed.
void say_failing_claims(const Result& result) {
  for (const Check& check : result.checks)
    if (!check.holds()) warn(failure_text(check));
}

struct Ran {
  Result result;
  RunRecord record;
  std::string lacks{};  ///< why it is written with all its figures, though some were asked for
};

/// All of it, or what was found until it was asked to stop. Throws Stopped for nothing.
/// @param sink  gets the arrays; null where the result holds them
Result found(const Experiment& experiment, const RunPoint& point, ArraySink* sink,
             ConsoleProgress& progress) {
  try {
    if (sink) return experiment.stream(point.params, point.loaded.inputs, *sink, progress);
    return experiment.run(point.params, point.loaded.inputs, progress);
  } catch (const Stopped&) {
    if (!progress.so_far()) throw;
    return *progress.so_far();
  }
}

Ran run_point(const Experiment& experiment, const RunPoint& point, const RunOptions& options,
              ArraySink* sink) {
  ConsoleProgress progress(is_quiet() || options.json);
  RunRecord record{.argv = options.argv, .inputs = point.loaded.files};
  record.times = {.started = WallClock::now()};
  const auto start = std::chrono::steady_clock::now();
  Result result = found(experiment, point, sink, progress);
  check_obeyed(point.params, result);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  record.times->wall_seconds = elapsed.count();
  record.times->finished = WallClock::now();
  Ran ran{std::move(result), std::move(record)};
  try {
    keep_figures(ran.result, options.figures);
  } catch (const UsageError& error) {  // what took long to compute is kept
    ran.lacks = error.what();
  }
  return ran;
}

void print_json(const std::vector<nlohmann::ordered_json>& results) {
  print(json_text(results.size() == 1 ? results.front() : nlohmann::ordered_json(results)));
}

/// The sweep that a command line names.
SweepSpec named(const RunOptions& options) {
  SweepSpec spec = sweep_spec_named(options.experiment);
  apply_words(spec, options.words);
  for (const std::string& note : spec.notes) tell(note + "\n");
  if (spec.repeats > 1)
    throw UsageError(fmt::format("{} has repeats = {}", options.experiment, spec.repeats),
                     "which makes it a sweep, and run computes each point once",
                     fmt::format("use orrery sweep {}", options.experiment));
  return spec;
}

/// Where a result was written, and how that is told.
struct Written {
  std::string where{};
  std::string told{};
};

std::string array_places(const std::string& out, const Result& result) {
  std::string text;
  for (const auto& array : result.arrays)
    text += fmt::format("{}#{}  [{}]\n", out, array->name, fmt::join(array->shape, ", "));
  return text;
}

Written written_folder(const WrittenResult& written) {
  return {.where = written.folder.string(),
          .told = fmt::format("wrote {} files to {}/\n", written.files.size() + 1,
                              written.folder.string())};
}

UsageError empty_output(const std::string& out) {
  return {"--out " + out, "would be empty: the result has no arrays",
          "name a folder, which has its tables and figures"};
}

Written write_arrays(const Ran& ran, const RunOptions& options) {
  const auto& arrays = ran.result.arrays;
  const Existing existing = options.force ? Existing::replaced : Existing::refused;
  if (arrays.empty()) throw empty_output(options.out);
  if (is_archive(options.out)) {
    ArchiveFile archive(options.out, existing);
    write_to(archive, arrays);
    archive.commit();
    return {.where = options.out, .told = array_places(options.out, ran.result)};
  }
  if (arrays.size() > 1)
    throw UsageError("--out " + options.out,
                     fmt::format("holds one array, and the result has {}", arrays.size()),
                     "end the name in .npz");
  remove_abandoned(options.out);
  atomic_write(options.out, npy_bytes(*arrays.front()), existing);
  return {.where = options.out,
          .told = fmt::format("{}  [{}]\n", options.out, fmt::join(arrays.front()->shape, ", "))};
}

Written write_point(const Ran& ran, const RunPoint& point, const RunOptions& options) {
  if (writes_arrays(options)) return write_arrays(ran, options);
  remove_abandoned(point.folder);
  const auto start = std::chrono::steady_clock::now();
  const WrittenResult written = write_result(
      ran.result, ran.record,
      drawn_on_all_cores(ran.result, options_for(options, point.folder, ran.result.provenance)));
  const std::chrono::duration<double> writing = std::chrono::steady_clock::now() - start;
  detail(fmt::format("drew and wrote in {}\n", duration_text(writing.count())));
  return written_folder(written);
}

/// Where the arrays of an experiment that streams go while they are computed: a file, or a folder.
class StreamedOutput final : public ArraySink {
 public:
  StreamedOutput(const Experiment& experiment, const RunPoint& point, const RunOptions& options)
      : options_(options) {
    if (is_archive(options.out)) {
      remove_abandoned(options.out);
      archive_.emplace(options.out, options.force ? Existing::replaced : Existing::refused);
      return;
    }
    remove_abandoned(point.folder);
    const Provenance from = provenance_of(experiment.info, point.params);
    folder_.emplace(options_for(options, point.folder, from), from);
  }

  void begin(std::span<const Array> arrays) override {
    if (archive_ && arrays.empty()) throw empty_output(options_.out);
    sink().begin(arrays);
  }
  void append(std::size_t array, std::string_view bytes) override { sink().append(array, bytes); }
  Written commit(const Ran& ran) {
    if (!archive_) {
      Written written = written_folder(folder_->commit(ran.result, ran.record));
      for (const auto& array : ran.result.arrays)
        written.told += fmt::format("{}/arrays/{}.npy  [{}]\n", written.where, array->name,
                                    fmt::join(array->shape, ", "));
      return written;
    }
    archive_->commit();
    return {.where = options_.out, .told = array_places(options_.out, ran.result)};
  }

 private:
  ArraySink& sink() {
    if (archive_) return *archive_;
    return *folder_;
  }

  const RunOptions& options_;
  std::optional<ArchiveFile> archive_{};
  std::optional<StreamedResult> folder_{};
};

int run_points(const SweepSpec& spec, const std::vector<RunPoint>& points,
               const RunOptions& options) {
  std::vector<nlohmann::ordered_json> as_json;
  bool all_hold = true, has_figures = true;
  for (const RunPoint& point : points) {
    std::optional<StreamedOutput> streamed;
    if (spec.experiment->stream && !options.out.ends_with(".npy"))
      streamed.emplace(*spec.experiment, point, options);
    const Ran ran = run_point(*spec.experiment, point, options, streamed ? &*streamed : nullptr);
    detail(fmt::format("computed in {}\n", duration_text(ran.record.times->wall_seconds)));
    const Written written = streamed ? streamed->commit(ran) : write_point(ran, point, options);
    all_hold = all_hold && std::ranges::all_of(ran.result.checks, &Check::holds);
    if (options.json)
      as_json.push_back(to_json(ran.result));
    else if (!is_quiet())
      print(summary(spec, point.params, ran.result, options.all ? Shown::all : Shown::first));
    else
      say_failing_claims(ran.result);
    tell(written.told);
    if (!ran.lacks.empty()) warn(fmt::format("{}; {} has all of it", ran.lacks, written.where));
    has_figures = has_figures && ran.lacks.empty();
    if (ran.result.status == Status::stopped) {
      warn(fmt::format("stopped; what was found until then is in {}", written.where));
      return 128 + stop_signal();
    }
  }
  if (options.json) print_json(as_json);
  if (!has_figures) return exit_usage;
  return all_hold ? exit_ok : exit_failed;
}

int run_experiment(const RunOptions& options) {
  require_archive_or_folder(options.out);
  if (options.from.empty()) {
    const SweepSpec spec = named(options);
    return run_points(spec, points_of(spec, options), options);
  }
  const std::string& extra = options.experiment.empty() && !options.words.empty()
                                 ? options.words.front()
                                 : options.experiment;
  if (!extra.empty())
    throw UsageError(extra, "is not taken with --from, which has all of it from the result",
                     "leave it out, or name the experiment instead: orrery run NAME key=value");
  const SavedRun saved = saved_run(options.from);
  RunOptions again = options;
  again.figures = saved.figures;
  again.argv = command_again(saved, options.out, options.force);
  SweepSpec spec;
  spec.experiment = saved.experiment;
  return run_points(spec, {prepare(*saved.experiment, saved.params, again, false)}, again);
}

}  // namespace

Command run_command() {
  const auto o = std::make_shared<RunOptions>();
  std::vector<Option> options{
      {"NAME", &o->experiment, "An experiment, a preset or a .toml file", {.unless = "--from"}},
      {"--from",
       &o->from,
       "Instead of NAME: compute the result in this folder again, as its manifest has it",
       {.excludes = option_names(figure_options(o->figures))}},
      {"--out", &o->out,
       "Folder of the result, default orrery-results/NAME-ID; or a .npz or .safetensors file of "
       "its arrays alone, or a .npy of the only one"},
      {"--force", &o->force, "Replace a result of another experiment or with other settings"}};
  options = joined(options, figure_options(o->figures));
  Command command{"run", "Run an experiment; write figures, CSV, NPY and a manifest",
                  [o] { return run_experiment(*o); }};
  command.options =
      joined(options, {{"--all", &o->all, "Print every number and check, not the first few"},
                       {"--json", &o->json, "Print the whole result as JSON"}});
  command.words = &o->words;
  command.argv = &o->argv;
  command.footer =
      R"(Parameters follow as key=value or --key value; orrery describe NAME lists them.
key=a,b runs each value, and several such keys are crossed; encoding=rope+alibi draws both
in one plot. model=FILE layer=N stands for the settings of a layer, see orrery run
model_layers, and layer=0,5 for a point of each.
--from DIR takes experiment, parameters, inputs and figures from the manifest of a result
or of a sweep's point, and refuses where the experiment or an input has changed since.

Examples:
  orrery run long_term_decay dim=128 base=10000
  orrery run long_term_decay dim=64,128 base=1e4,5e5
  orrery run attention_map --text README.md encoding=rope --out map
  orrery run model_layers model=Llama-3.1-8B other=llama-3.1-8b-q4_k_m.gguf
  orrery run identify before=q_before.npy after=q_after.npy positions=100..163
  orrery run --from map --out again
  orrery run long_term_decay max_distance=1e6 --figure decay_bound --format png
  orrery run rotation --formulas --theme dark --format svg)";
  return command;
}

}  // namespace orrery
