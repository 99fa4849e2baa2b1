#include "experiments/data/npz.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/npy.h"
#include "experiments/data/zip_archive.h"
#include "experiments/data/zip_records.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::string_view suffix = ".npy";

/// Names are never used as paths, but NumPy writes no name that leads out of the archive.
bool leads_elsewhere(std::string_view name) {
  constexpr std::string_view separators = "/\\";
  if (name.find_first_of(separators) == 0) return true;
  while (true) {
    const std::size_t end = name.find_first_of(separators);
    if (name.substr(0, end) == "..") return true;
    if (end == std::string_view::npos) return false;
    name.remove_prefix(end + 1);
  }
}

void require_member(const ZipArchive::Member& member, std::string_view file) {
  const auto refuse = [&](const std::string& why, std::string_view remedy) {
    throw DataError(file, fmt::format("has the member {}, {}", in_quotes(member.name), why),
                    remedy);
  };
  constexpr std::string_view again = "save the arrays again with numpy.savez";
  if (leads_elsewhere(member.name)) refuse("whose name leads out of the archive", again);
  if (!member.name.ends_with(suffix)) refuse("which is not a .npy file", again);
  if (member.encrypted) refuse("which is encrypted", "unpack it and save it without a password");
  if (member.method != zip_stored && member.method != zip_deflated)
    refuse(fmt::format("compressed by method {}: stored and deflated ones are read", member.method),
           "save the arrays again with numpy.savez_compressed");
  if (member.bytes > max_npy_file_bytes)
    refuse(fmt::format("of {} bytes when unpacked: at most {} are read", member.bytes,
                       max_npy_file_bytes),
           "save a part of it");
}

class NpzArchive final : public TensorArchive {
 public:
  NpzArchive(std::string_view bytes, std::string name)
      : file_(std::move(name)), zip_(bytes, file_, [this](const ZipArchive::Member& member) {
          require_member(member, file_);
        }) {
    for (std::size_t i = 0; i < zip_.members().size(); ++i) {
      const std::string& member = zip_.members()[i].name;
      members_.emplace(member.substr(0, member.size() - suffix.size()), i);
    }
    if (members_.empty()) throw DataError(file_, "holds no arrays", "save at least one");
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, member] : members_) names.push_back(name);
    return names;
  }

  Tensor tensor(const std::string& name, Values allowed) const override {
    const std::string label = tensor_label(file_, name);
    require_readable(name);
    Tensor tensor = parse_npy(zip_.read(members_.at(name), label), label, allowed);
    tensor.name = name;
    return tensor;
  }

  std::optional<PlacedArray> place(const std::string& name) const override {
    const std::string label = tensor_label(file_, name);
    require_readable(name);
    const std::optional<std::string_view> member = zip_.stored(members_.at(name), label);
    return member ? std::optional(place_npy(*member, label)) : std::nullopt;
  }

  void require_readable(const std::string& name) const override {
    const std::string label = tensor_label(file_, name);
    parse_npy_header(zip_.beginning(members_.at(name), label, max_npy_header_bytes), label);
  }

 private:
  std::string file_;
  ZipArchive zip_;
  /// Index of the member of zip_, by tensor.
  std::map<std::string, std::size_t, std::less<>> members_{};
};

}  // namespace

std::unique_ptr<TensorArchive> open_npz(std::string_view bytes, std::string name) {
  return std::make_unique<NpzArchive>(bytes, std::move(name));
}

TensorMap parse_npz(std::string_view bytes, const std::string& name) {
  return all_tensors(*open_npz(bytes, name), name);
}

std::string npz_member(const Array& array) {
  std::string member = fmt::format("{}{}", array.name, suffix);
  check_invariant(!leads_elsewhere(member), "arrays that go to one archive have plain names");
  return member;
}

std::string npz_bytes(std::span<const Array* const> arrays) {
  std::set<std::string_view> names;
  std::vector<std::pair<std::string, std::string>> members;
  for (const Array* const array : arrays) {
    check_invariant(names.insert(array->name).second,
                    "arrays that go to one archive have names of their own");
    members.emplace_back(npz_member(*array), npy_bytes(*array));
  }
  return stored_zip(members);
}

ArchiveFile::ArchiveFile(std::filesystem::path path, Existing existing)
    : path_(std::move(path)), existing_(existing) {}

void ArchiveFile::begin(std::span<const Array> arrays) {
  std::vector<const Array*> pointers;
  for (const Array& array : arrays) {
    pointers.push_back(&array);
    whole_.push_back(value_bytes(array));
  }
  written_.resize(arrays.size());
  if (is_npz()) return begin_npz(pointers);
  const SafetensorsLayout layout = safetensors_layout(pointers);
  values_at_ = layout.values_at;
  file_.emplace(path_, layout.bytes, existing_);
  file_->write(0, layout.header);
}

void ArchiveFile::begin_npz(const std::vector<const Array*>& arrays) {
  std::vector<StoredZipFile::Member> members;
  for (const Array* array : arrays)
    members.push_back({npz_member(*array), npy_header(*array).size() + value_bytes(*array)});
  zip_.emplace(std::move(members));
  const StoredZipFile::Member& last = zip_->members().back();
  file_.emplace(path_, last.at + last.bytes, existing_);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::string header = npy_header(*arrays[i]);
    file_->write(zip_->members()[i].at, header);
    values_at_.push_back(zip_->members()[i].at + header.size());
  }
}

void ArchiveFile::append(std::size_t array, std::string_view bytes) {
  file_->write(values_at_[array] + written_[array], bytes);
  written_[array] += bytes.size();
}

void ArchiveFile::commit() {
  check_invariant(file_ && written_ == whole_, "an archive is ended when its arrays are whole");
  if (zip_) zip_->finish(*file_);
  file_->commit();
}

}  // namespace orrery
