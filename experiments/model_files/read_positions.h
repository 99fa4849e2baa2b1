#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// The plan of a model's file: a config.json, a params.json or a GGUF; in a folder the first of
/// config.json, params.json and the only *.gguf.
/// Throws IoError: nothing there, or it cannot be read. Throws DataError: of another form, damaged,
/// or a folder with several GGUFs. Takes bounded time and memory, whatever the bytes are: a GGUF is
/// mapped, and of it only metadata and the factors of frequencies are read.
PositionPlan read_positions(const std::filesystem::path& path, const ReadOptions& options = {});

/// The layer of that number, counted from 0. Throws UsageError when there is none such.
const LayerPlan& layer_of(const PositionPlan& plan, int layer);

/// Whether a file's name says that it is a part behind the first: "model-00002-of-00003.gguf".
bool is_later_part(std::string_view name);

/// The GGUFs of a folder, by name; of a split one the first part, which has the metadata. Of a folder
/// with more than 100,000 entries those among the first.
std::vector<std::filesystem::path> ggufs_in(const std::filesystem::path& folder);

/// The only one of them; none where there is none. Throws DataError: several.
std::optional<std::filesystem::path> only_gguf_in(const std::filesystem::path& folder);

/// Where two plans differ.
struct PositionComparison {
  /// A field in which layers of two plans differ, with both values as texts.
  struct Difference {
    std::string field{};
    std::string a{};
    std::string b{};
    std::vector<int> layers{};  ///< empty: of the whole plan
    friend bool operator==(const Difference&, const Difference&) = default;
  };

  std::vector<Difference> differences{};
  std::vector<std::string> notes{};  ///< what differs in the files and not in what is computed
};

/// The largest relative difference of two numbers that count as one: files hold numbers in fp32.
inline constexpr double same_number = 1e-5;

/// Layer by layer: encoding, pairing, slice, frequencies, factors, window, mask, temperature. How a
/// file says it does not count, and neither does a pairing whose rows of W_q and W_k were reordered
/// along (rows_reordered).
PositionComparison compare_positions(const PositionPlan& a, const PositionPlan& b);

}  // namespace orrery
