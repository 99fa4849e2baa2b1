#include "experiments/data/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/errors.h"
#include "experiments/data/zip_error.h"
#include "experiments/data/zip_layout.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::string_view again = "copy or download the file again";

/// Null when it cannot be opened, with the reason in `error`.
zip_t* open(std::string_view bytes, int flags, ZipError& error) {
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  if (source == nullptr) return nullptr;
  zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY | flags, error.get());
  if (archive == nullptr) zip_source_free(source);
  return archive;
}

/// libzip accepts zero bytes as an empty archive, and newer versions skip bytes before the first
/// member.
void require_begin(std::string_view bytes, std::string_view name) {
  if (!bytes.starts_with("PK"))
    throw DataError(name, "is not a zip archive (it does not begin with PK)",
                    "save the arrays with numpy.savez");
}

/// Whether libzip found the directory, or its end, other than it has to be: which of these it says
/// for the same file differs from version to version.
bool finds_no_directory(int code) {
#ifdef ZIP_ER_TRUNCATED_ZIP  // since libzip 1.11
  if (code == ZIP_ER_TRUNCATED_ZIP) return true;
#endif
  return code == ZIP_ER_NOZIP || code == ZIP_ER_INCONS || code == ZIP_ER_NOENT;
}

DataError refused(std::string_view bytes, std::string_view name, ZipError& error) {
  if (finds_no_directory(error.code()))
    return DataError(name,
                     lacks_zip_end(bytes)
                         ? "is cut off or damaged: there is no zip directory at its end"
                         : "is damaged or has surplus bytes: its zip directory does not match it",
                     again);
  return DataError(name, fmt::format("is not a zip archive that can be read ({})", error.text()),
                   again);
}

DataError repeated(std::string_view name, std::string_view member) {
  return DataError(name, fmt::format("has two members {}", in_quotes(member)),
                   "save every array under a name of its own");
}

std::size_t comment_bytes_of(zip_t* archive) {
  int bytes = 0;
  zip_get_archive_comment(archive, &bytes, ZIP_FL_ENC_RAW);
  return static_cast<std::size_t>(std::max(bytes, 0));
}

ZipArchive::Member member_at(zip_t* archive, zip_uint64_t index, std::string_view name) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(archive, index, 0, &status) != 0 || status.name == nullptr)
    throw DataError(name, "is damaged: its zip directory does not describe every member", again);
  return {.name = status.name,
          .bytes = status.size,
          .method = status.comp_method,
          .encrypted = status.encryption_method != ZIP_EM_NONE};
}

std::vector<ZipArchive::Member> members_of(zip_t* archive, std::string_view name) {
  std::vector<ZipArchive::Member> members;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i)
    members.push_back(member_at(archive, static_cast<zip_uint64_t>(i), name));
  return members;
}

void refuse_repeated(const std::vector<ZipArchive::Member>& members, std::string_view name) {
  std::set<std::string_view> seen;
  for (const ZipArchive::Member& member : members)
    if (!seen.insert(member.name).second) throw repeated(name, member.name);
}

DataError damaged(std::string_view label, std::string_view how) {
  return DataError(label, fmt::format("is damaged: {}", how), again);
}

DataError damaged(std::string_view label, zip_error_t* error) {
  if (zip_error_code_zip(error) == ZIP_ER_CRC)
    return damaged(label, "its CRC-32 differs from the stored one");
  return damaged(label, fmt::format("it cannot be unpacked ({})", zip_error_strerror(error)));
}

using MemberFile = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const { zip_discard(archive); }

ZipArchive::ZipArchive(std::string_view bytes, std::string_view name,
                       const std::function<void(const Member&)>& require_readable) {
  require_begin(bytes, name);
  ZipError error;
  zip_.reset(open(bytes, ZIP_CHECKCONS, error));
  const bool consistent = zip_ != nullptr;
  if (!consistent) {  // only for the message
    ZipError ignored;
    zip_.reset(open(bytes, 0, ignored));
  }
  if (!zip_) throw refused(bytes, name, error);
  members_ = members_of(zip_.get(), name);
  refuse_repeated(members_, name);
  if (require_readable) std::for_each(members_.begin(), members_.end(), require_readable);
  if (!consistent) throw refused(bytes, name, error);
  packed_ = packed_members(bytes, comment_bytes_of(zip_.get()), name);
}

std::string ZipArchive::read(std::size_t index, std::string_view label) const {
  std::string bytes;
  unpack(index, label, [&](std::string_view block) { bytes.append(block); });
  return bytes;
}

std::string ZipArchive::beginning(std::size_t index, std::string_view label,
                                  std::size_t most) const {
  const MemberFile file(zip_fopen_index(zip_.get(), index, 0), &zip_fclose);
  if (!file) throw damaged(label, zip_get_error(zip_.get()));
  std::string bytes(most, '\0');
  std::size_t read = 0;
  while (read < bytes.size()) {
    const zip_int64_t count = zip_fread(file.get(), bytes.data() + read, bytes.size() - read);
    if (count < 0) throw damaged(label, zip_file_get_error(file.get()));
    if (count == 0) break;
    read += static_cast<std::size_t>(count);
  }
  bytes.resize(read);
  return bytes;
}

std::optional<std::string_view> ZipArchive::stored(std::size_t index,
                                                   std::string_view label) const {
  const Member& member = members_.at(index);
  if (member.method != zip_stored || packed_.at(index).size() != member.bytes) return std::nullopt;
  unpack(index, label, [](std::string_view) {});
  return packed_.at(index);
}

void ZipArchive::unpack(std::size_t index, std::string_view label, const TakeBytes& take) const {
  const MemberFile file(zip_fopen_index(zip_.get(), index, 0), &zip_fclose);
  if (!file) throw damaged(label, zip_get_error(zip_.get()));
  const std::uint64_t declared = members_.at(index).bytes;
  std::uint64_t unpacked = 0;
  std::array<char, 1 << 16> block{};
  for (;;) {
    const zip_int64_t count = zip_fread(file.get(), block.data(), block.size());
    if (count < 0) throw damaged(label, zip_file_get_error(file.get()));
    // libzip compares the CRC-32 on reading the end, so the end is read too.
    if (count == 0) break;
    unpacked += static_cast<std::uint64_t>(count);
    if (unpacked > declared) break;
    take({block.data(), static_cast<std::size_t>(count)});
  }
  if (unpacked != declared)
    throw damaged(label, fmt::format("it declares {} bytes and unpacks to {}", declared,
                                     unpacked > declared ? "more" : "fewer"));
}

}  // namespace orrery
