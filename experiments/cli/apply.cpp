#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

#include "core/errors.h"
#include "experiments/arrays/apply.h"
#include "experiments/arrays/finite_rows.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/data/load_inputs.h"
#include "experiments/data/npy.h"
#include "experiments/data/take_tensor.h"
#include "experiments/files/file.h"
#include "experiments/results/csv.h"
#include "experiments/sweeps/assignments.h"
#include "experiments/text/display_width.h"

namespace orrery {
namespace {

/// Those of --positions, or 0 to count − 1.
Positions positions_of(const ArrayOptions& options, std::size_t count) {
  if (!options.positions.empty()) return parse_positions(options.positions);
  return consecutive_positions(static_cast<std::ptrdiff_t>(count));
}

/// Columns of numbers, aligned to the right under their names.
std::string aligned_text(const Table& table) {
  std::vector<std::vector<std::string>> columns;
  for (const Column& column : table.columns) {
    std::vector<std::string> cells{column.name};
    for (const double value : std::get<std::vector<double>>(column.values))
      cells.push_back(number_text(value));
    columns.push_back(aligned(std::move(cells), true));
  }
  std::string text;
  for (std::size_t row = 0; row < columns.front().size(); ++row)
    for (const auto& cells : columns)
      text += cells[row] + (&cells == &columns.back() ? "\n" : "  ");
  return text;
}

int show_table(const AppliedEncoding& encoding, const ArrayOptions& options) {
  constexpr std::size_t default_positions = 10;
  const Table table = encoding.constants(positions_of(options, default_positions));
  print_data(options.csv ? csv_text(table) : aligned_text(table));
  return exit_ok;
}

void say_what_overflowed(const Array& encoded) {
  const std::vector<bool> finite = finite_rows(encoded);
  const auto overflowed = std::count(finite.begin(), finite.end(), false);
  if (overflowed > 0)
    say(
        fmt::format("{} of {} rows hold NaN or an infinity: a number is beyond the range of its "
                    "format\n",
                    overflowed, finite.size()));
}

void require_array_file(const ArrayOptions& options) {
  if (options.out.ends_with(".npy") || is_archive(options.out)) return;
  throw UsageError(fmt::format("--out {}", options.out), "must end in .npy, .npz or .safetensors",
                   "choose one of these extensions");
}

int apply_encoding(const ArrayOptions& options) {
  const ParamSet params = params_from(ParamSet(apply_params()), options.words);
  if (!options.out.empty()) require_array_file(options);
  LoadedInputs loaded = load_inputs(params);
  require_no_input(options.out, loaded.files);
  const std::optional<Tensor> x = take_tensor(loaded.inputs, "x");
  if (!x && !options.out.empty())
    throw UsageError(fmt::format("--out {}", options.out),
                     "is for encoded vectors, and there is no x to encode",
                     "give x=FILE.npy, or write the table with --csv > FILE.csv");
  const auto encoding = [&] {
    return AppliedEncoding(params, read_tables(options.tables, encoding_table_names(params)));
  };
  if (!x) return show_table(encoding(), options);
  if (options.out.empty())
    throw UsageError("x without --out", "leaves no file for the encoded vectors",
                     "add --out FILE.npy");
  require_new_output(options.out, options.force);
  if (x->shape.size() < 2)
    throw DataError(params.to_text("x"), "must be [N, d], [heads, N, d] or [batch, heads, N, d]",
                    "reshape it and save it again");
  const auto encoded = encoding().apply(*x, positions_of(options, x->shape[x->shape.size() - 2]));
  const std::string archive = archive_bytes(options.out, {encoded});
  write_output(options, archive.empty() ? npy_bytes(*encoded) : archive);
  if (!is_quiet())
    print(fmt::format("{}{}  [{}]\n", options.out, archive.empty() ? "" : "#" + encoded->name,
                      fmt::join(encoded->shape, ", ")));
  say_what_overflowed(*encoded);
  return exit_ok;
}

}  // namespace

Command apply_command() {
  const auto o = std::make_shared<ArrayOptions>();
  Command command{"apply",
                  "Apply an encoding to your vectors, or print its frequencies, slopes or index "
                  "matrix",
                  [o] { return apply_encoding(*o); }};
  command.options = {
      table_option(*o),
      {"--positions", &o->positions, "Positions of the rows of x, or of the table: 0..9 or 3,1,4"},
      {"--out", &o->out, "A new .npy, .npz or .safetensors file of the encoded vectors"},
      {"--force", &o->force, "Replace the file that is there"},
      {"--csv", &o->csv, "Print a table as CSV with 17 digits"}};
  command.words = &o->words;
  command.argv = &o->argv;
  command.footer = [] {
    return R"(With x, [N, d], [heads, N, d] or [batch, heads, N, d], every row is encoded at its
position, 0 … N − 1 by default: x + p for an encoding that adds to the input, the
rotated query or key for one that rotates, in the shape of x. Without x, a table is
printed: frequencies, slopes, or the table rows that positions look up.
Positions lie within ±2^53. Rows with numbers beyond the range of the precision hold
NaN or infinities, and a message on stderr counts them.

Keys, as key=value, with their defaults; orrery describe ENCODING lists an encoding's own:
)" + keys_text(apply_params()) +
           R"(
Examples:
  orrery apply encoding=rope x=q.npy --positions 5..9 --out turned.npy
  orrery apply encoding=rope dim=8
  orrery apply encoding=t5 --positions 0..5
  orrery apply encoding=deberta deberta.span=3 --positions 0,2,9)";
  };
  return command;
}

}  // namespace orrery
