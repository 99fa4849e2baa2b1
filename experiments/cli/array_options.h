#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/arrays/attend.h"
#include "experiments/cli/command.h"
#include "experiments/data/load_inputs.h"

namespace orrery {

/// Options of attend and apply, which take arrays.
struct ArrayOptions {
  Words words{}, argv{};
  Words tables{};  ///< NAME=FILE.npy
  std::string positions{}, query_positions{}, out{};
  bool csv{false}, force{false};
};

/// --table.
Option table_option(ArrayOptions& options);

/// "0..9", "3,1,4" or "7". Throws UsageError: not of that form, beyond ±2^53, or more than 2^24
/// positions.
std::vector<std::int64_t> parse_positions(const std::string& text);

/// Reads words "NAME=FILE", with FILE as tensor_path reads it, and words "FILE", which give those
/// tensors of the file that are in `wanted`, under their own names. The other tensors of such a
/// file, a step count or another layer, are not decoded; one line on stderr says so. Throws
/// UsageError: a name given twice, a FILE without any wanted tensor, or with a name close to that
/// of a wanted table it lacks; and as read_tensors does.
TensorMap read_tables(const std::vector<std::string>& words,
                      const std::vector<std::string>& wanted);

/// Whether the name says .npz or .safetensors.
bool is_archive(const std::string& file);

/// Throws UsageError where `out` is there and is an input or, of a model, its weights.
/// @param model  file or folder of one that is read; empty for none
void require_no_input(const std::string& out, const std::vector<InputFile>& inputs,
                      const std::filesystem::path& model = {});

/// Throws UsageError for the name of another kind of file: its extension begins with a letter, as
/// in x.txt. "run.2" and "x.txt/" are names of folders.
void require_archive_or_folder(const std::string& out);

/// Throws IoError when --out is there already and is not to be replaced. Call it before computing.
void require_new_output(const std::string& out, bool force);
/// Writes --out as a whole or not at all.
void write_output(const ArrayOptions& options, std::string_view bytes);

/// The arrays as the bytes of one file; empty when the name is neither .npz nor .safetensors.
std::string archive_bytes(const std::string& file,
                          const std::vector<std::shared_ptr<const Array>>& arrays);

/// Lines "  key  description" with choices and default, for help texts. Parameters of single
/// encodings are left out: `describe ENCODING` has them.
std::string keys_text(const std::vector<ParamSpec>& specs);
/// The same under its heading.
std::string keys_section(const std::vector<ParamSpec>& specs);

}  // namespace orrery
