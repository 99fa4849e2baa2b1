#include "experiments/data/archive_file.h"

#include <cerrno>
#include <utility>

#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/npy.h"
#include "experiments/data/npz.h"
#include "experiments/files/file.h"

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
  if (is_npz()) return begin_npz(pointers);
  layout_ = safetensors_layout(pointers);
  file_.emplace(path_, layout_.bytes, existing_);
  file_->write(0, layout_.header);
}

void ArchiveFile::begin_npz(const std::vector<const Array*>& arrays) {
  std::uint64_t bytes = 0;
  for (const Array* array : arrays) bytes += 2 * (npy_header(*array).size() + value_bytes(*array));
  file_.emplace(path_, bytes, existing_);
  for (const Array* array : arrays) {
    parts_.push_back({npz_member(*array), scratch_file(path_)});
    write_part(parts_.size() - 1, npy_header(*array));
  }
}

void ArchiveFile::write_part(std::size_t array, std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), parts_[array].file.get()) != bytes.size())
    throw io_error(path_.string(), "written", errno);
}

void ArchiveFile::append(std::size_t array, std::string_view bytes) {
  if (is_npz())
    write_part(array, bytes);
  else
    file_->write(layout_.values_at[array] + written_[array], bytes);
  written_[array] += bytes.size();
}

void ArchiveFile::commit() {
  check_invariant(file_ && written_ == whole_, "an archive is ended when its arrays are whole");
  for (const ZipFileMember& part : parts_)
    if (std::fflush(part.file.get()) != 0) throw io_error(path_.string(), "written", errno);
  if (is_npz()) write_stored_zip(parts_, *file_);
  file_->commit();
}

}  // namespace orrery::data
