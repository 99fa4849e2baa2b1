#include "experiments/data/zip_writer.h"

#include <algorithm>

#include "core/errors.h"
#include "experiments/data/zip_records.h"

namespace orrery {
namespace {

/// As libzip makes them, by which they were made before: of version 6.3, on Unix, readable.
constexpr ZipMember::Style style_of_arrays{.needs = 10,
                                           .made_by = 63 | 3 << 8,
                                           .attributes = std::uint32_t{0100666} << 16,
                                           .marks_ascii = false};

/// CRC-32 of a member that the file holds.
std::uint32_t crc_in(const AtomicFile& file, const StoredZipFile::Member& member) {
  constexpr std::uint64_t at_once = std::uint64_t{1} << 20;
  std::uint32_t crc = 0;
  std::string part;
  for (std::uint64_t done = 0; done < member.bytes; done += part.size()) {
    part.resize(static_cast<std::size_t>(std::min(at_once, member.bytes - done)));
    file.read(member.at + done, part);
    crc = crc_of(part, crc);
  }
  return crc;
}

}  // namespace

std::string stored_zip(std::span<const std::pair<std::string, std::string>> members) {
  check_invariant(!members.empty(), "an archive is made for at least one member");
  std::string archive, directory;
  for (const auto& [name, bytes] : members) {
    const ZipMember member{name, crc_of(bytes), bytes.size()};
    directory += zip_entry(member, archive.size(), style_of_arrays);
    archive += zip_header(member, style_of_arrays);
    archive += bytes;
  }
  const std::string end = zip_end(members.size(), archive.size(), directory.size());
  return archive + directory + end;
}

StoredZipFile::StoredZipFile(std::vector<Member> members) : members_(std::move(members)) {
  check_invariant(!members_.empty(), "an archive is made for at least one member");
  std::uint64_t at = 0;
  for (StoredZipFile::Member& member : members_) {
    member.at = at + zip_header({member.name, 0, member.bytes}, style_of_arrays).size();
    at = member.at + member.bytes;
  }
}

void StoredZipFile::finish(AtomicFile& file) const {
  std::string directory;
  for (const StoredZipFile::Member& placed : members_) {
    const ZipMember member{placed.name, crc_in(file, placed), placed.bytes};
    const std::string header = zip_header(member, style_of_arrays);
    file.write(placed.at - header.size(), header);
    directory += zip_entry(member, placed.at - header.size(), style_of_arrays);
  }
  const std::uint64_t end = members_.back().at + members_.back().bytes;
  file.write(end, directory + zip_end(members_.size(), end, directory.size()));
}

}  // namespace orrery
