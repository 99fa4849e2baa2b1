#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/arrays/attend.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/data/archive_file.h"
#include "experiments/data/load_inputs.h"
#include "experiments/data/take_tensor.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/result_folder.h"
#include "experiments/sweeps/assignments.h"

namespace orrery::cli {
namespace {

std::string shape_of(const Array& array) {
  return fmt::format("[{}]", fmt::join(array.shape, ", "));
}

/// The arrays with their provenance, for a result folder.
Result result_of(const ParamSet& params, const AttendResult& attended) {
  Result result{.provenance = {.experiment = "attend", .version = 1}};
  for (const Array& array : attended.arrays)
    result.arrays.push_back(std::make_shared<const Array>(array));
  for (const ParamSpec& spec : params.specs())
    if (params.is_stated(spec.key) && spec.key != "mask_kind")
      result.provenance.params.emplace_back(spec.key, params.to_text(spec.key));
  // "auto" is replaced by the kind that was found.
  if (!attended.mask_kind.empty())
    result.provenance.params.emplace_back("mask_kind", attended.mask_kind);
  result.provenance.seed = params.integer("seed");
  return result;
}

WriteOptions folder_options(const ArrayOptions& options) {
  return {.folder = options.out,
          .replaceable = options.force ? Replaceable::any_result : Replaceable::none};
}

/// Before the arrays are read and anything is computed.
void check_output(const ArrayOptions& options) {
  require_archive_or_folder(options.out);
  if (is_archive(options.out))
    require_new_output(options.out, options.force);
  else
    require_replaceable(folder_options(options), {.experiment = "attend"});
}

/// Where attend's arrays go while they are computed: a file, or a result folder.
class Output {
 public:
  explicit Output(const ArrayOptions& options) : options_(options) {
    remove_abandoned(options.out);
    if (is_archive(options.out))
      archive_.emplace(options.out, options.force ? Existing::replaced : Existing::refused);
    else
      folder_.emplace(folder_options(options), Provenance{.experiment = "attend"});
  }

  ArraySink& sink() {
    if (archive_) return *archive_;
    return *folder_;
  }
  void commit(const ParamSet& params, const AttendResult& attended, const RunRecord& record) {
    if (archive_)
      archive_->commit();
    else
      folder_->commit(result_of(params, attended), record);
    if (is_quiet()) return;
    for (const Array& array : attended.arrays)
      print(archive_
                ? fmt::format("{}#{}  {}\n", options_.out, array.name, shape_of(array))
                : fmt::format("{}/arrays/{}.npy  {}\n", options_.out, array.name, shape_of(array)));
  }

 private:
  const ArrayOptions& options_;
  std::optional<ArchiveFile> archive_{};
  std::optional<StreamedResult> folder_{};
};

std::optional<SlicedTensor> take_matrices(LoadedInputs& loaded, const char* key) {
  const auto found = loaded.slices.find(key);
  if (found == loaded.slices.end()) return take_tensor(loaded.inputs, key);
  return std::move(found->second);
}

void say_count(std::size_t count, std::string_view what) {
  if (count > 0) say(fmt::format("{} {}\n", count, what));
}

/// Which queries have no usual output, and why. `attend --help` describes these cases.
void say_what_is_unusual(const ParamSet& params, const AttendResult& attended) {
  const bool linear = params.text("kernel") == "linear";
  say_count(attended.fully_masked_rows, "queries have all keys masked: their weights are 0");
  say_count(attended.nan_rows,
            "queries have NaN or +inf among their visible logits, or only -inf: their weights are "
            "NaN, as in PyTorch");
  say_count(attended.zero_normalizers, "queries have a normalizer of 0: their output is 0");
  say_count(attended.infinite_normalizers,
            "queries have an infinite normalizer: a feature, or the sum of them, is beyond the "
            "range of its format");
  say_count(attended.nan_normalizers,
            "queries have a NaN normalizer: a feature, or a product of two, is beyond the range of "
            "its format");
  say_count(
      attended.overflowed_rows,
      fmt::format("queries have NaN or an infinity in their {}: a value, or a sum of them, is "
                  "beyond the range of its format",
                  linear ? "output, numerators or weights" : "output"));
  say_count(attended.overflowed_layer_rows,
            "positions have NaN or an infinity in layer_output, although the outputs of their "
            "heads are finite: a sum is beyond the range of its format");
}

}  // namespace

int attend_command(const ArrayOptions& options) {
  const ParamSet params = params_from(ParamSet(attend_params()), options.words);
  check_output(options);
  LoadedInputs loaded = load_inputs(params, {"mask"}, {"q", "k", "v"});
  require_no_input(options.out, loaded.files);
  std::vector<std::string> table_names = encoding_table_names(params);
  for (std::string& name : attention_table_names(params, loaded.inputs.count("x") > 0))
    table_names.push_back(std::move(name));
  AttendInputs inputs{.q = take_matrices(loaded, "q"),
                      .k = take_matrices(loaded, "k"),
                      .v = take_matrices(loaded, "v"),
                      .x = take_tensor(loaded.inputs, "x"),
                      .mask = take_tensor(loaded.inputs, "mask"),
                      .padding = take_tensor(loaded.inputs, "padding"),
                      .segments = take_tensor(loaded.inputs, "segments"),
                      .tables = read_tables(options.tables, table_names)};
  if (!options.positions.empty()) inputs.key_positions = parse_positions(options.positions);
  if (!options.query_positions.empty())
    inputs.query_positions = parse_positions(options.query_positions);
  RunRecord record{.argv = options.argv, .inputs = loaded.files};
  RunTimes times{.started = std::chrono::system_clock::now()};
  Output output(options);
  ConsoleProgress progress(is_quiet());
  const AttendResult attended = attend(params, std::move(inputs), output.sink(), progress);
  times.finished = std::chrono::system_clock::now();
  times.wall_seconds = std::chrono::duration<double>(times.finished - times.started).count();
  record.times = times;
  output.commit(params, attended, record);
  for (const std::string& note : attended.notes) say(note + "\n");
  say_what_is_unusual(params, attended);
  return exit_ok;
}

}  // namespace orrery::cli
