#include "experiments/data/archive_file.h"

#include <utility>

#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/npy.h"
#include "experiments/data/npz.h"

namespace orrery {

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
