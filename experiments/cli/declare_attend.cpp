// attend, apply
#include <memory>

#include "experiments/arrays/apply.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

void add_array_options(CLI::App* command, ArrayOptions& options) {
  command->allow_extras();
  command
      ->add_option("--table", options.tables,
                   "A trained table, NAME=FILE; or FILE for all of its tensors that are read here")
      ->allow_extra_args(false);
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

Command declare_attend(CLI::App& app, const Words& argv) {
  auto options_of = std::make_shared<ArrayOptions>();
  ArrayOptions& options = *options_of;
  options.argv = argv;
  CLI::App* command =
      app.add_subcommand("attend", "Attention on your own q, k, v: terms, logits, weights, output");
  add_array_options(command, options);
  command->add_option("--positions", options.positions,
                      "Positions of the keys, 0..9 or 3,1,4; by default 0 … N_k − 1");
  command->add_option("--query-positions", options.query_positions,
                      "Positions of the queries; by default those of the last N_q keys");
  command
      ->add_option(
          "--out", options.out,
          "A new .npz or .safetensors file, or a new folder; a name with another extension "
          "of letters, such as x.txt, is refused unless it ends in /")
      ->required();
  command->add_flag("--force", options.force, "Replace the file or the result that is there");
  command->footer(
      [] { return std::string(attend_shapes) + keys_text(attend_params()) + attend_examples; });
  return {command, [=] {
            options_of->words = command->remaining();
            return attend_command(*options_of);
          }};
}

Command declare_apply(CLI::App& app, const Words& argv) {
  auto options_of = std::make_shared<ArrayOptions>();
  ArrayOptions& options = *options_of;
  options.argv = argv;
  CLI::App* command = app.add_subcommand(
      "apply",
      "Apply an encoding to your vectors, or print its frequencies, slopes or index matrix");
  add_array_options(command, options);
  command->add_option("--positions", options.positions,
                      "Positions of the rows of x, or of the table: 0..9 or 3,1,4");
  command->add_option("--out", options.out,
                      "A new .npy, .npz or .safetensors file of the encoded vectors");
  command->add_flag("--force", options.force, "Replace the file that is there");
  command->add_flag("--csv", options.csv, "Print a table as CSV with 17 digits");
  command->footer([] {
    return "With x, [N, d], [heads, N, d] or [batch, heads, N, d], every row is encoded at its\n"
           "position, 0 … N − 1 by default: x + p for an encoding that adds to the input, the\n"
           "rotated query or key for one that rotates, in the shape of x. Without x, a table is\n"
           "printed: frequencies, slopes, or the table rows that positions look up.\n"
           "Positions lie within ±2^53. Rows with numbers beyond the range of the precision hold\n"
           "NaN or infinities, and a message on stderr counts them.\n\n"
           "Keys, as key=value, with their defaults; orrery describe ENCODING lists an encoding's "
           "own:\n" +
           keys_text(apply_params()) +
           "\nExamples:\n"
           "  orrery apply encoding=rope x=q.npy --positions 5..9 --out turned.npy\n"
           "  orrery apply encoding=rope dim=8\n"
           "  orrery apply encoding=t5 --positions 0..5\n"
           "  orrery apply encoding=deberta deberta.span=3 --positions 0,2,9";
  });
  return {command, [=] {
            options_of->words = command->remaining();
            return apply_command(*options_of);
          }};
}

}  // namespace

std::vector<Command> declare_attend_commands(CLI::App& app, const Words& argv) {
  return {declare_attend(app, argv), declare_apply(app, argv)};
}

}  // namespace orrery::cli
