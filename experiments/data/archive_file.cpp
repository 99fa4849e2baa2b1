#include "experiments/data/archive_file.h"

#include <utility>

#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/npz.h"
#include "experiments/data/safetensors.h"

namespace orrery::data {

ArchiveFile::ArchiveFile(std::filesystem::path path, Existing existing)
    : path_(std::move(path)), existing_(existing) {}

void ArchiveFile::begin(std::span<const Array> arrays) {
  std::vector<const Array*> pointers;
  for (const Array& array : arrays) {
    pointers.push_back(&array);
    whole_.push_back(value_bytes(array));
  }
  written_.resize(arrays.size());
  layout_ = path_.extension() == ".npz" ? npz_layout(pointers) : safetensors_layout(pointers);
  file_.emplace(path_, layout_->bytes(), existing_);
}

void ArchiveFile::append(std::size_t array, std::string_view bytes) {
  layout_->see(array, bytes);
  file_->write(layout_->values_at(array) + written_[array], bytes);
  written_[array] += bytes.size();
}

void ArchiveFile::commit() {
  check_invariant(file_ && written_ == whole_, "an archive is ended when its arrays are whole");
  layout_->put_frame(
      [this](std::uint64_t offset, std::string_view bytes) { file_->write(offset, bytes); });
  file_->commit();
}

}  // namespace orrery::data
