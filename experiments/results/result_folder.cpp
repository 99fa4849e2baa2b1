#include "experiments/results/result_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/npy.h"
#include "experiments/data/zip_pack.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/files/hash_thread.h"
#include "experiments/results/csv.h"
#include "experiments/results/figure_json.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/notes.h"
#include "experiments/results/result_json.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// Takes the files of one result, and lists them.
class FileSink {
 public:
  virtual ~FileSink() = default;

  void write(const std::string& relative, std::string_view bytes) {
    take(relative, bytes);
    list({.path = relative, .bytes = bytes.size(), .sha256 = sha256_hex(bytes)});
  }
  void write(const std::string& below, const std::string& name, std::string_view extension,
             std::string_view bytes) {
    write(add(below, name, extension), bytes);
  }

  /// The path of a file that the caller writes and lists.
  std::string add(const std::string& below, const std::string& name, std::string_view extension) {
    check_invariant(is_file_name(name), fmt::format("'{}' can be a file's name", name));
    std::string relative = fmt::format("{}/{}.{}", below, name, extension);
    check_invariant(paths_.insert(relative).second,
                    fmt::format("only one file of a result is called {}", relative));
    make_way(relative);
    return relative;
  }
  void list(WrittenFile file) { files_.push_back(std::move(file)); }
  /// A file that the manifest does not list.
  void write_beside(const std::string& relative, std::string_view bytes) { take(relative, bytes); }

  const std::vector<WrittenFile>& files() const { return files_; }

 private:
  virtual void take(const std::string& relative, std::string_view bytes) = 0;
  /// Called before a file is written by others.
  virtual void make_way(const std::string& relative) = 0;

  std::set<std::string> paths_{};
  std::vector<WrittenFile> files_{};
};

/// Writes the files below a folder.
class FolderSink final : public FileSink {
 public:
  explicit FolderSink(fs::path folder) : folder_(std::move(folder)) {}
  const fs::path& folder() const { return folder_; }

 private:
  void take(const std::string& relative, std::string_view bytes) override {
    make_way(relative);
    write_new_file(folder_ / relative, bytes, Sync::later);
  }
  void make_way(const std::string& relative) override {
    const std::string below = fs::path(relative).parent_path().string();
    if (!below.empty() && folders_.insert(below).second) make_folders(folder_ / below);
  }

  fs::path folder_;
  std::set<std::string> folders_{};
};

/// Keeps the files for a pack.
class PackSink final : public FileSink {
 public:
  const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }

 private:
  void take(const std::string& relative, std::string_view bytes) override {
    members_.emplace_back(relative, bytes);
  }
  void make_way(const std::string&) override {}

  std::vector<std::pair<std::string, std::string>> members_{};
};

bool same_numbers(const Array& a, const Array& b) {
  return a.shape == b.shape && a.values.index() == b.values.index() &&
         array_bytes(a) == array_bytes(b);
}

/// Writes each array once, no matter how many figures show it.
class ArrayFiles {
 public:
  explicit ArrayFiles(FileSink& sink) : sink_(sink) {}

  void write(const std::shared_ptr<const Array>& array, const std::string& below,
             const std::string& name) {
    sink_.write(below, name, "npy", npy_bytes(*array));
    written_.emplace_back(array, fmt::format("{}/{}.npy", below, name));
  }

  /// The path of an array's numbers; writes them if no file has them yet.
  std::string place(const std::shared_ptr<const Array>& array, const std::string& figure,
                    std::string_view role) {
    for (const auto& [known, path] : written_)
      if (known == array || same_numbers(*known, *array)) return path;
    write(array, "figures", fmt::format("{}.{}", figure, role));
    return written_.back().second;
  }

 private:
  FileSink& sink_;
  std::vector<std::pair<std::shared_ptr<const Array>, std::string>> written_{};
};

void write_figure(const Figure& figure, const WriteOptions& options, ArrayFiles& arrays,
                  FileSink& sink) {
  for (const std::string& format : options.figure_formats) {
    check_invariant(options.render != nullptr, "figures are written with a renderer");
    sink.write("figures", figure.id, format, options.render(figure, format));
  }
  if (std::holds_alternative<LinePlot>(figure.content) ||
      std::holds_alternative<MapEquation>(figure.content))
    sink.write("figures", figure.id, "csv", csv_text(table_of(figure)));
  const auto place = [&](const std::shared_ptr<const Array>& array, std::string_view role) {
    return arrays.place(array, figure.id, role);
  };
  sink.write("figures", figure.id, "json", json_line(figure_json(figure, place, "figures")));
}

/// All but the arrays of the result.
void write_content(const Result& result, const WriteOptions& options, ArrayFiles& arrays,
                   FileSink& sink) {
  sink.write("result.json", json_text(to_json(result, "tables")));
  for (const Table& table : result.tables) sink.write("tables", table.name, "csv", csv_text(table));
  for (const Figure& figure : result.figures) write_figure(figure, options, arrays, sink);
  for (const ResultFile& file : result.files) sink.write(file.path, file.bytes);
}

void write_content(const Result& result, const WriteOptions& options, FileSink& sink) {
  ArrayFiles arrays(sink);
  for (const auto& array : result.arrays) arrays.write(array, "arrays", array->name);
  write_content(result, options, arrays, sink);
}

struct OlderResult {
  std::set<std::string> files;  ///< those that its manifest lists, and the manifest
  Provenance provenance;
};

/// Empty without a manifest of ours.
std::optional<OlderResult> older_result(const fs::path& folder) {
  std::error_code missing;
  const fs::path path = folder / manifest_file;
  if (!fs::is_regular_file(path, missing)) return std::nullopt;
  try {
    const auto manifest = json_in(read_file(path, max_manifest_bytes));
    OlderResult older{{manifest_file}, experiment_of(manifest)};
    for (const WrittenFile& file : files_of(manifest)) older.files.insert(file.path);
    return older;
  } catch (const MalformedJson&) {
    return std::nullopt;
  }
}

/// The first file below the folder that is not listed; empty if there is none.
std::string foreign_file(const fs::path& folder, const std::set<std::string>& listed) {
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  for (const fs::recursive_directory_iterator end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->is_directory() && !entry->is_symlink()) continue;
    std::string relative = entry->path().lexically_relative(folder).generic_string();
    if (!listed.contains(relative)) return relative;
  }
  if (failure) throw io_error(folder.string(), "read", failure.value());
  return {};
}

bool may_be_replaced(const Provenance& older, const Provenance& wanted, Replaceable which) {
  if (which != Replaceable::same_settings) return which == Replaceable::any_result;
  return older.experiment == wanted.experiment && older.params == wanted.params;
}

void require_ours(const fs::path& folder, Replaceable which, const Provenance& wanted) {
  constexpr std::string_view remedy = "choose another folder with --out";
  const std::string name = folder.string();
  const std::optional<OlderResult> older = older_result(folder);
  if (!older)
    throw IoError(name, "is neither empty nor a result folder, so it is not replaced", remedy);
  if (!may_be_replaced(older->provenance, wanted, which)) {
    const bool other = older->provenance.experiment != wanted.experiment;
    throw IoError(name,
                  fmt::format("already contains a result of {}{}", older->provenance.experiment,
                              other || which == Replaceable::none ? "" : " with other settings"),
                  fmt::format("add --force to replace it, or {}", remedy));
  }
  std::set<std::string> known = older->files;
  if (may_be_replaced(older->provenance, wanted, Replaceable::same_settings))
    known.insert(notes_file);  // it goes with the new result: see finish
  const std::string foreign = foreign_file(folder, known);
  if (foreign == notes_file)
    throw IoError(name, "has tags or a note on other settings, so it is not replaced",
                  fmt::format("move {} away, or {}", notes_file, remedy));
  if (!foreign.empty())
    throw IoError(
        name,
        fmt::format("contains {}, which its manifest does not list, so it is not replaced",
                    foreign),
        fmt::format("move that file away, or {}", remedy));
}

/// Absolute, with links resolved and without a trailing slash, so that the folder itself is
/// exchanged.
fs::path resolved(const fs::path& folder) {
  std::error_code failure;
  const fs::path whole = folder.is_absolute() ? folder : current_folder() / folder;
  fs::path path = fs::weakly_canonical(whole, failure);
  if (failure) throw io_error(folder.string(), "written", failure.value());
  return path.has_filename() ? path : path.parent_path();
}

void require_replaceable_at(const fs::path& folder, Replaceable which, const Provenance& wanted) {
  std::error_code failure;
  const fs::file_status status = fs::status(folder, failure);
  if (status.type() == fs::file_type::not_found) return;
  if (failure) throw io_error(folder.string(), "read", failure.value());
  if (!fs::is_directory(status))
    throw IoError(folder.string(), "is a file, where a folder is to be written",
                  "choose another folder with --out");
  if (fs::equivalent(folder, fs::current_path(failure), failure) && !failure)
    throw IoError(folder.string(), "is the current folder, which would be replaced as a whole",
                  "name a folder inside it with --out");
  const bool empty = fs::is_empty(folder, failure);
  if (failure) throw io_error(folder.string(), "read", failure.value());
  if (!empty) require_ours(folder, which, wanted);
}

/// An array's .npy file while it is written.
class GrowingArray {
 public:
  /// @param number  of its hash
  GrowingArray(FolderSink& sink, const Array& array, HashThread& hashes, std::size_t number)
      : path_(sink.add("arrays", array.name, "npy")),
        file_(sink.folder() / path_),
        hashes_(&hashes),
        number_(number) {
    append(npy_header(array));
    whole_ = bytes_ + value_bytes(array);
  }

  void append(std::string_view bytes) {
    constexpr std::size_t most = std::size_t{1} << 20;  // is copied to be hashed
    for (; !bytes.empty(); bytes.remove_prefix(std::min(most, bytes.size()))) {
      const std::string_view part = bytes.substr(0, most);
      hashes_->update(number_, part);
      file_.append(part);
      bytes_ += part.size();
    }
  }
  WrittenFile finish() {
    check_invariant(bytes_ == whole_, "a result is ended when its arrays are whole");
    file_.close(Sync::later);
    return {.path = path_, .bytes = bytes_, .sha256 = hashes_->hex(number_)};
  }

 private:
  std::string path_;
  NewFile file_;
  HashThread* hashes_;
  std::size_t number_;
  std::uintmax_t bytes_{0}, whole_{0};
};

/// Ends the files with their manifest.
WrittenResult finish(const Result& result, const RunRecord& run, const WriteOptions& options,
                     FileSink& sink,
                     std::string (*text_of)(const nlohmann::ordered_json&) = json_text) {
  const std::string manifest = text_of(manifest_json(result, run, sink.files()));
  sink.write_beside(manifest_file, manifest);
  return {.folder = options.folder, .files = sink.files(), .manifest_sha256 = sha256_hex(manifest)};
}

/// A manifest as there are many of in a pack.
std::string packed_text(const nlohmann::ordered_json& manifest) {
  nlohmann::ordered_json shorter = manifest;
  shorter.at("program").erase("flags");
  return json_line(shorter);
}

/// The notes on an older result in the folder's place are kept.
void keep_notes(const WriteOptions& options, FolderSink& sink) {
  const fs::path older = resolved(options.folder) / notes_file;
  if (std::error_code failure; fs::is_regular_file(older, failure))
    sink.write_beside(notes_file, read_file(older, max_manifest_bytes));
}

}  // namespace

struct StreamedResult::Parts {
  WriteOptions options{};
  fs::path folder{};
  std::optional<AtomicFolder> swap{};
  std::optional<FolderSink> sink{};
  std::optional<HashThread> hashes{};
  std::vector<GrowingArray> arrays{};
};

StreamedResult::StreamedResult(WriteOptions options, const Provenance& wanted)
    : parts_(std::make_unique<Parts>()) {
  parts_->folder = resolved(options.folder);
  require_replaceable_at(parts_->folder, options.replaceable, wanted);
  parts_->options = std::move(options);
}

StreamedResult::~StreamedResult() = default;

void StreamedResult::begin(std::span<const Array> arrays) {
  parts_->swap.emplace(parts_->folder);
  std::uintmax_t bytes = 0;
  for (const Array& array : arrays) bytes += value_bytes(array);
  require_space(parts_->folder, bytes);
  parts_->sink.emplace(parts_->swap->folder());
  parts_->hashes.emplace(arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i)
    parts_->arrays.emplace_back(*parts_->sink, arrays[i], *parts_->hashes, i);
}

void StreamedResult::append(std::size_t array, std::string_view bytes) {
  parts_->arrays[array].append(bytes);
}

WrittenResult StreamedResult::commit(const Result& result, const RunRecord& run) {
  check_invariant(parts_->sink.has_value(), "a result is ended when its arrays are whole");
  ArrayFiles shown(*parts_->sink);
  write_content(result, parts_->options, shown, *parts_->sink);
  for (GrowingArray& array : parts_->arrays) parts_->sink->list(array.finish());
  keep_notes(parts_->options, *parts_->sink);
  WrittenResult written = finish(result, run, parts_->options, *parts_->sink);
  parts_->swap->commit();
  return written;
}

void require_replaceable(const WriteOptions& options, const Provenance& wanted) {
  require_replaceable_at(resolved(options.folder), options.replaceable, wanted);
}

StagedResult stage_result(const Result& result, const RunRecord& run, const WriteOptions& options) {
  const fs::path folder = resolved(options.folder);
  require_replaceable_at(folder, options.replaceable, result.provenance);
  auto swap = std::make_unique<AtomicFolder>(folder);
  FolderSink sink(swap->folder());
  write_content(result, options, sink);
  keep_notes(options, sink);
  WrittenResult written = finish(result, run, options, sink);
  return {.written = std::move(written), .swap = std::move(swap)};
}

StagedResult pack_result(const Result& result, const RunRecord& run, const WriteOptions& options) {
  PackSink sink;
  write_content(result, options, sink);
  WrittenResult written = finish(result, run, options, sink, packed_text);
  return {.written = std::move(written),
          .group = pack_group(options.folder.filename().string(), sink.members())};
}

void commit_results(std::span<const StagedResult> results) {
  std::vector<AtomicFolder*> folders;
  for (const StagedResult& staged : results) folders.push_back(staged.swap.get());
  AtomicFolder::commit(folders);
}

WrittenResult write_result(const Result& result, const RunRecord& run,
                           const WriteOptions& options) {
  const StagedResult staged = stage_result(result, run, options);
  staged.swap->commit();
  return staged.written;
}

}  // namespace orrery
