#include "experiments/data/zip_records.h"

#include <zlib.h>

#include <algorithm>

#include "core/errors.h"

namespace orrery {
namespace {

constexpr std::uint16_t zip64_version = 45;

/// Little-endian.
template <class Number>
void put(std::string& bytes, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
}

std::uint32_t in_32_bits(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min(value, told_in_zip64));
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// From the version to the lengths of name and extra field.
void put_description(std::string& to, const ZipMember& member, const ZipMember::Style& style,
                     bool needs_zip64, std::size_t extra) {
  constexpr std::uint16_t utf8_names = 1 << 11, dated_1980 = 1 << 5 | 1;
  put(to, needs_zip64 ? zip64_version : style.needs);
  put(to, style.marks_ascii || !is_ascii(member.name) ? utf8_names : std::uint16_t{0});
  put(to, std::uint16_t{0});  // stored
  put(to, std::uint16_t{0});  // midnight
  put(to, dated_1980);
  put(to, member.crc);
  put(to, in_32_bits(member.bytes));
  put(to, in_32_bits(member.bytes));
  put(to, static_cast<std::uint16_t>(member.name.size()));
  put(to, static_cast<std::uint16_t>(extra));
}

}  // namespace

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::uint32_t crc_of(std::string_view bytes, std::uint32_t before) {
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(::crc32_z(before, data, bytes.size()));
}

std::string zip_field(std::uint16_t id, std::initializer_list<std::uint64_t> numbers) {
  std::string field;
  put(field, id);
  put(field, static_cast<std::uint16_t>(8 * numbers.size()));
  for (const std::uint64_t number : numbers) put(field, number);
  return field;
}

std::string zip_header(const ZipMember& member, const ZipMember::Style& style,
                       const std::string& extra) {
  const bool large = member.bytes >= told_in_zip64;
  std::string fields = extra;
  if (large) fields += zip_field(zip64_field, {member.bytes, member.bytes});
  std::string header(zip_local_mark);
  put_description(header, member, style, large, fields.size());
  header += member.name;
  return header + fields;
}

std::string zip_entry(const ZipMember& member, std::uint64_t at, const ZipMember::Style& style) {
  std::string extra;
  const bool large = member.bytes >= told_in_zip64, far = at >= told_in_zip64;
  if (large && far)
    extra = zip_field(zip64_field, {member.bytes, member.bytes, at});
  else if (large)
    extra = zip_field(zip64_field, {member.bytes, member.bytes});
  else if (far)
    extra = zip_field(zip64_field, {at});
  std::string entry(zip_entry_mark);
  put(entry, style.made_by);
  put_description(entry, member, style, large || far, extra.size());
  put(entry, std::uint16_t{0});  // no comment
  put(entry, std::uint16_t{0});  // first disk
  put(entry, std::uint16_t{0});
  put(entry, style.attributes);
  put(entry, in_32_bits(at));
  entry += member.name;
  return entry + extra;
}

std::string zip_end(std::uint64_t entries, std::uint64_t at, std::uint64_t bytes) {
  constexpr std::uint64_t many_entries = 0xFFFF;
  std::string end;
  if (entries >= many_entries || at >= told_in_zip64 || bytes >= told_in_zip64) {
    constexpr std::uint64_t rest_of_record = 44;
    end += zip64_end_mark;
    put(end, rest_of_record);
    put(end, zip64_version);
    put(end, zip64_version);
    put(end, std::uint32_t{0});
    put(end, std::uint32_t{0});
    for (const std::uint64_t number : {entries, entries, bytes, at}) put(end, number);
    end += zip64_locator_mark;
    put(end, std::uint32_t{0});
    put(end, at + bytes);
    put(end, std::uint32_t{1});
  }
  const auto in_16_bits = static_cast<std::uint16_t>(std::min(entries, many_entries));
  end += zip_end_mark;
  put(end, std::uint16_t{0});
  put(end, std::uint16_t{0});
  put(end, in_16_bits);
  put(end, in_16_bits);
  put(end, in_32_bits(bytes));
  put(end, in_32_bits(at));
  put(end, std::uint16_t{0});
  return end;
}

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
