#include "experiments/results/saved_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "core/errors.h"
#include "experiments/data/npy.h"
#include "experiments/data/zip_pack.h"
#include "experiments/files/file.h"
#include "experiments/files/presence.h"
#include "experiments/results/csv.h"
#include "experiments/results/figure_json.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/result_json.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view remedy = "copy the folder again, or run the experiment again";

/// Calls `read` and turns errors in the JSON into a DataError that names the file.
template <class Read>
auto reading(std::string_view name, Read read) {
  try {
    return read();
  } catch (const MalformedJson& error) {
    throw DataError(name, fmt::format("is damaged: {}", error.what()), remedy);
  }
}

/// The bytes of a listed file. Throws DataError when it is missing or damaged.
std::string read_listed(const ResultFiles& source, const WrittenFile& file) {
  const std::string name = (source.folder() / file.path).string();
  if (!source.has(file.path)) throw DataError(name, "is missing", remedy);
  std::string bytes;
  try {
    bytes = source.read(file.path, file.bytes);
  } catch (const DataError&) {
    throw DataError(name, "is damaged: it is longer than listed in the manifest", remedy);
  }
  if (bytes.size() != file.bytes || sha256_hex(bytes) != file.sha256)
    throw DataError(name, "is damaged: its SHA-256 differs from the one in the manifest", remedy);
  return bytes;
}

// ---- Arrays
// --------------------------------------------------------------------------------------

bool is_empty(const std::vector<std::size_t>& shape) {
  return std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end();
}

template <class T>
std::vector<T> decoded(std::string_view data) {
  std::vector<T> values(data.size() / sizeof(T));
  std::memcpy(values.data(), data.data(), data.size());
  return values;
}

/// Copies the bits, NaN and infinities included: user input may not contain them, results may.
Array with_numbers(Array array, std::string_view bytes, const std::string& name) {
  if (is_empty(array.shape)) return array;
  const auto [layout, data] = parse_npy_header(bytes, name);
  const bool single = std::holds_alternative<std::vector<float>>(array.values);
  if (layout.shape != array.shape || layout.type.name != (single ? "<f4" : "<f8") ||
      layout.column_major || data.size() != layout.elements * layout.type.bytes)
    throw DataError(name, "is damaged: its type or shape differs from that in the result", remedy);
  if (single)
    array.values = decoded<float>(data);
  else
    array.values = decoded<double>(data);
  return array;
}

bool same_description(const Array& a, const Array& b) {
  return a.name == b.name && a.description == b.description && a.shape == b.shape &&
         a.axes == b.axes && a.role == b.role && a.values.index() == b.values.index();
}

/// Reads each array once, so that shared arrays are shared again.
class ArrayReader {
 public:
  explicit ArrayReader(const SavedFolder& saved) : saved_(saved) {}

  std::shared_ptr<const Array> read(Array described, const std::string& path) {
    for (const auto& [known, array] : read_)
      if (known == path && same_description(described, *array)) return array;
    const std::string name = (saved_.folder() / path).string();
    auto array =
        std::make_shared<const Array>(with_numbers(std::move(described), saved_.read(path), name));
    read_.emplace_back(path, array);
    return array;
  }

 private:
  const SavedFolder& saved_;
  std::vector<std::pair<std::string, std::shared_ptr<const Array>>> read_{};
};

}  // namespace

Json parse_saved_json(std::string_view text, std::string_view name) {
  return reading(name, [&] { return json_in(text); });
}

SavedFolder::SavedFolder(fs::path folder)
    : source_(std::make_shared<const ResultFiles>(std::move(folder))) {
  const std::string name = source_->folder().string();
  if (!source_->exists()) throw IoError(name, "is not a folder", "name the folder of a result");
  if (!source_->has(manifest_file))
    throw DataError(name, "contains no manifest.json, so it is not a result",
                    "name a folder that orrery run or orrery sweep wrote");
  const std::string path = (source_->folder() / manifest_file).string();
  manifest_ = parse_saved_json(source_->read(manifest_file, max_manifest_bytes), path);
  reading(path, [&] { files_ = files_of(manifest_); });
  for (std::size_t i = 0; i < files_.size(); ++i) index_[files_[i].path] = i;
}

std::string SavedFolder::read(std::string_view path) const {
  const auto found = index_.find(path);
  if (found == index_.end())
    throw DataError(fmt::format("{}/{}", folder().string(), path),
                    "is not in the manifest: an older version of orrery wrote this result",
                    "run the experiment again");
  return read_listed(*source_, files_[found->second]);
}

Json SavedFolder::read_json(std::string_view path) const {
  return parse_saved_json(read(path), (folder() / path).string());
}

std::vector<std::string> SavedFolder::damages() const {
  std::vector<std::string> messages;
  for (const WrittenFile& file : files_) {
    try {
      read_listed(*source_, file);
    } catch (const Error& error) {
      messages.emplace_back(error.what());
    }
  }
  return messages;
}

namespace {

/// Reads the figures and arrays that result.json names.
class PartReader {
 public:
  explicit PartReader(const SavedFolder& saved) : saved_(saved), arrays_(saved) {}

  std::shared_ptr<const Array> array(Array described) {
    const std::string path = "arrays/" + described.name + ".npy";
    return arrays_.read(std::move(described), path);
  }

  Figure figure(const std::string& id) {
    return *figure_if(id, [](const Json&) { return true; });
  }

  std::optional<Figure> curves(const std::string& id) {
    return figure_if(id, [](const Json& json) { return text_field(json, "kind") == "lines"; });
  }

  /// Only from the table's own file: one file cannot stand for many tables.
  Table table(Table described, const std::string& below, const std::string& file,
              std::size_t rows) const {
    if (const std::string own = fmt::format("{}/{}.csv", below, described.name); file != own)
      throw MalformedJson(fmt::format("'file' is {}, not '{}'", in_quotes(file), own));
    return read_csv(saved_.read(file), std::move(described), rows,
                    (saved_.folder() / file).string());
  }

 private:
  template <class Wanted>
  std::optional<Figure> figure_if(const std::string& id, Wanted is_wanted) {
    const std::string path = "figures/" + id + ".json";
    const Json json = saved_.read_json(path);
    return reading((saved_.folder() / path).string(), [&]() -> std::optional<Figure> {
      if (!is_wanted(json)) return std::nullopt;
      Figure figure = figure_from(json);
      if (figure.id != id)
        throw MalformedJson(fmt::format("'id' is '{}', not '{}'", figure.id, id));
      return figure;
    });
  }

  Figure figure_from(const Json& json) {
    return figure_from_json(
        json,
        [&](Array described, const std::string& file) {
          return arrays_.read(std::move(described), file);
        },
        [&](Table described, const std::string& file, std::size_t rows) {
          return table(std::move(described), "figures", file, rows);
        });
  }

  const SavedFolder& saved_;
  ArrayReader arrays_;
};

Result read_result(const SavedFolder& saved, const FigureNamed& figure, const ArrayNamed& array,
                   const TableAt& table) {
  const Json json = saved.read_json("result.json");
  return reading((saved.folder() / "result.json").string(),
                 [&] { return result_from_json(json, figure, array, table); });
}

}  // namespace

Result load_result(const SavedFolder& saved) {
  PartReader parts(saved);
  return read_result(
      saved, [&](const std::string& id) { return parts.figure(id); },
      [&](Array described) { return parts.array(std::move(described)); },
      [&](Table described, const std::string& file, std::size_t rows) {
        return parts.table(std::move(described), "tables", file, rows);
      });
}

std::optional<Figure> load_curves(const SavedFolder& saved, const std::string& id) {
  return PartReader(saved).curves(id);
}

Result load_result(const fs::path& folder) { return load_result(SavedFolder(folder)); }

RecoveredResult recover_result(const SavedFolder& saved) {
  PartReader parts(saved);
  RecoveredResult recovered{.problems = saved.damages()};
  /// The part; empty, with the problem noted, where its file is damaged.
  const auto recovering = [&](auto read) -> std::optional<decltype(read())> {
    try {
      return read();
    } catch (const DataError& error) {
      auto& problems = recovered.problems;
      if (std::find(problems.begin(), problems.end(), error.what()) == problems.end())
        problems.emplace_back(error.what());
      return std::nullopt;
    }
  };
  recovered.result = read_result(
      saved, [&](const std::string& id) { return recovering([&] { return parts.figure(id); }); },
      [&](Array described) {
        return recovering([&] { return parts.array(std::move(described)); }).value_or(nullptr);
      },
      [&](Table described, const std::string& file, std::size_t rows) {
        return recovering([&] { return parts.table(std::move(described), "tables", file, rows); });
      });
  return recovered;
}

namespace {

namespace fs = std::filesystem;

/// The pack at a path, null where there is none. The last one is kept: whoever reads a result of a
/// pack reads many.
std::shared_ptr<const ZipPack> pack_at(const fs::path& path) {
  static std::mutex mutex;
  static FileVersion last;
  static std::shared_ptr<const ZipPack> kept;
  const FileVersion version = version_at(path);
  if (!version.is_there()) return nullptr;
  const std::lock_guard lock(mutex);
  if (kept && version == last) return kept;
  const auto pack = std::make_shared<const ZipPack>(path);
  pack->require_own();
  kept = pack;
  last = version;
  return kept;
}

}  // namespace

fs::path pack_beside(const fs::path& folder) {
  fs::path pack = folder.parent_path();
  pack += ".zip";
  return pack;
}

ResultFiles::ResultFiles(fs::path folder) : folder_(std::move(folder)) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "points/ID/"
  if (!folder_.has_parent_path()) return;
  const auto pack = pack_at(pack_beside(folder_));
  const auto place = pack ? pack->find(folder_.filename().string()) : std::nullopt;
  if (!place) return;
  packed_ = true;
  try {
    group_ = pack->read(*place);
    members_ = members_of_group(group_, folder_.string());
  } catch (const IoError&) {
    failure_ = std::current_exception();
  } catch (const DataError&) {
    members_.clear();  // then no file of it can be read
  }
}

bool ResultFiles::exists() const { return packed_ || is_folder_at(folder_); }

bool ResultFiles::has(std::string_view path) const {
  if (failure_) std::rethrow_exception(failure_);
  return packed_ ? members_.contains(path) : is_file_at(folder_ / path);
}

std::string ResultFiles::read(std::string_view path, std::uintmax_t max_bytes) const {
  if (failure_) std::rethrow_exception(failure_);
  if (!packed_) return read_file(folder_ / path, max_bytes);
  const std::string name = (folder_ / path).string();
  const auto found = members_.find(path);
  if (members_.empty())
    throw DataError(name, "cannot be read: its part of the zip archive is damaged",
                    "copy the archive again, or resume the sweep");
  if (found == members_.end()) throw io_error(name, "read", ENOENT);
  if (found->second.size() > max_bytes)
    throw DataError(name, fmt::format("is longer than the limit of {} bytes", max_bytes),
                    "give a smaller file");
  return std::string(found->second);
}

}  // namespace orrery
