#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/arrays/attend.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/data/archive_file.h"
#include "experiments/data/load_inputs.h"
#include "experiments/data/take_tensor.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/result_folder.h"
#include "experiments/sweeps/assignments.h"

namespace orrery {
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

int attend_arrays(const ArrayOptions& options) {
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

constexpr const char* attend_shapes =
    R"(Give q, k and v, or the contents x that a layer projects. Arrays come from .npy, .npz and
.safetensors (FILE#NAME). Their last axes are [position, channel], before them the head, before
that the batch:
  q       [N_q, d], [heads, N_q, d] or [batch, heads, N_q, d]
  k, v    the same with N_k, or with fewer heads, each of which several query heads share
  x       [N, d_model] or [batch, N, d_model], with --table W_q, W_k, W_v, b_q, b_k, b_v;
          without W_q, W_k and W_v, q = k = v = x
W_q, W_k, W_v, W_o and projections that an encoding has of its own need weights=torch_linear or
weights=x_W for their layout: [heads·d, d_model] as in torch.nn.Linear.weight, or
[d_model, heads·d], applied as x·W. Biases are [heads·d]. W_o [heads·d_v, d_model] and b_o
act on the outputs of the heads side by side.
Tables of the encoding that are not given are drawn from the seed, at the scale that their authors use.

Keys have positions 0, 1, …, or first_position onwards. Queries have the last N_q of the keys'
positions, as in decoding with cached keys, also with --positions. With --query-positions alone, the
last key has the position of the last query.

A mask of bool or of 0 and 1 is 1 where a query sees a key. An additive mask is 0 there, and -inf or
the lowest number of its format where a key is masked; other values are added to the logits. A
message on stderr tells how the mask was read.

At the edges of numbers, what is not refused is computed as IEEE 754 has it, and a message on stderr
counts the queries and gives the reason:
  all keys masked                weights and output 0
  NaN or +inf in the logits      weights and output NaN, as in PyTorch; also where all are -inf
  linear: a normalizer of 0      output 0
  linear: one that is not finite divided by: output NaN, or 0 where only the normalizer is infinite
  a value or sum too large       NaN or an infinity in the output
Positions lie within ±2^53, and for transformer_xl so do distances; learned and tupe know the positions of
their tables alone. rope, sinusoidal and transformer_xl need an even number of channels.

The output consists of logits, weights, output, term_NAME for each term of the logits, and
layer_output with W_o; with kernel=linear of output, numerators and normalizers. A folder also gets
a manifest with every setting.

Keys, as key=value, with their defaults; orrery describe ENCODING lists an encoding's own:
)";

constexpr const char* attend_examples = R"(
Examples:
  orrery attend q=q.npy k=k.npy v=v.npy encoding=rope causal=true --out head.npz
  orrery attend q=q.npy k=k.npy v=v.npy mask=mask.npy scale=0.25 --out masked.npz
  orrery attend q=q.npy k=k.npy encoding=t5 --table t5.table=bias.npy --out head
  orrery attend x=x.npy heads=8 weights=torch_linear --table layer.safetensors --out layer.npz
  orrery attend x=x.npy heads=8 weights=torch_linear \
    --table W_q=model.safetensors#attn.q_proj.weight --out queries.npz
  orrery attend q=q.npy k=k.npy v=v.npy kernel=linear padding=attention_mask.npy --out linear)";

}  // namespace

Command attend_command() {
  const auto o = std::make_shared<ArrayOptions>();
  Command command{"attend", "Attention on your own q, k, v: terms, logits, weights, output",
                  [o] { return attend_arrays(*o); }};
  command.options = {table_option(*o),
                     {"--positions", &o->positions,
                      "Positions of the keys, 0..9 or 3,1,4; by default 0 … N_k − 1"},
                     {"--query-positions", &o->query_positions,
                      "Positions of the queries; by default those of the last N_q keys"},
                     {"--out", &o->out,
                      "A new .npz or .safetensors file, or a new folder; a name with another "
                      "extension of letters, such as x.txt, is refused unless it ends in /",
                      required()},
                     {"--force", &o->force, "Replace the file or the result that is there"}};
  command.words = &o->words;
  command.argv = &o->argv;
  command.footer = [] { return attend_shapes + keys_text(attend_params()) + attend_examples; };
  return command;
}

}  // namespace orrery
