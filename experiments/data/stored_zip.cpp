#include "experiments/data/stored_zip.h"

#include <zlib.h>

#include <algorithm>

#include "core/errors.h"

namespace orrery::data {
namespace {

// Field values of APPNOTE 6.3, section 4.4.
constexpr std::uint32_t local_signature = 0x04034b50, central_signature = 0x02014b50;
constexpr std::uint32_t end64_signature = 0x06064b50, locator64_signature = 0x07064b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint16_t made_by_unix = 3 << 8 | 63;
constexpr std::uint16_t version_stored = 10, version_zip64 = 45;
constexpr std::uint16_t names_in_utf8 = 1 << 11;
constexpr std::uint16_t midnight = 0, first_of_1980 = 1 << 5 | 1;
constexpr std::uint32_t plain_file_of_all = 0100666U << 16;
constexpr std::uint16_t extra_zip64 = 1;
constexpr std::uint32_t in_extra = 0xFFFFFFFF;  // the number stands in the Zip64 field

/// Numbers, least significant byte first.
class Bytes {
 public:
  Bytes& u16(std::uint64_t value) { return number(value, 2); }
  Bytes& u32(std::uint64_t value) { return number(value, 4); }
  Bytes& u64(std::uint64_t value) { return number(value, 8); }
  Bytes& text(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Bytes& number(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xFF);
    return *this;
  }
  std::string bytes_{};
};

bool is_large(std::uint64_t value) { return value >= in_extra; }

std::uint32_t in_32_bits(std::uint64_t value) {
  return is_large(value) ? in_extra : static_cast<std::uint32_t>(value);
}

std::uint16_t flags_of(std::string_view name) {
  const bool ascii = std::all_of(name.begin(), name.end(),
                                 [](char c) { return static_cast<signed char>(c) >= 0; });
  return ascii ? 0 : names_in_utf8;
}

/// The Zip64 field of a member's sizes, and of where it begins.
std::string extra_of(std::uint64_t bytes, std::uint64_t header_at) {
  Bytes numbers;
  if (is_large(bytes)) numbers.u64(bytes).u64(bytes);
  if (is_large(header_at)) numbers.u64(header_at);
  if (numbers.bytes().empty()) return {};
  return Bytes().u16(extra_zip64).u16(numbers.bytes().size()).text(numbers.bytes()).bytes();
}

/// What both headers of a member have.
void add_common(Bytes& out, const StoredZip::Member& member, bool zip64, std::uint32_t crc,
                std::size_t extra) {
  out.u16(zip64 ? version_zip64 : version_stored)
      .u16(flags_of(member.name))
      .u16(0)  // stored
      .u16(midnight)
      .u16(first_of_1980)
      .u32(crc)
      .u32(in_32_bits(member.bytes))
      .u32(in_32_bits(member.bytes))
      .u16(member.name.size())
      .u16(extra);
}

}  // namespace

StoredZip::StoredZip(std::vector<Member> members) : members_(std::move(members)) {
  check_invariant(!members_.empty() && members_.size() < 0xFFFF,
                  "an archive is made for at least one member");
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    check_invariant(members_[i].name.size() <= 0xFFFF, "the name of a member fits its header");
    places_.push_back({at, at});
    places_.back().content = at + header(i, 0).size();
    at = places_.back().content + members_[i].bytes;
  }
  directory_at_ = at;
}

std::string StoredZip::header(std::size_t member, std::uint32_t crc) const {
  const Member& m = members_[member];
  const std::string extra = extra_of(m.bytes, 0);
  Bytes out;
  out.u32(local_signature);
  add_common(out, m, is_large(m.bytes), crc, extra.size());
  return out.text(m.name).text(extra).bytes();
}

std::string StoredZip::directory(std::span<const std::uint32_t> crcs) const {
  Bytes out;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& m = members_[i];
    const std::string extra = extra_of(m.bytes, places_[i].header);
    out.u32(central_signature).u16(made_by_unix);
    add_common(out, m, !extra.empty(), crcs[i], extra.size());
    out.u16(0).u16(0).u16(0).u32(plain_file_of_all);  // no comment, first disk, no text
    out.u32(in_32_bits(places_[i].header)).text(m.name).text(extra);
  }
  const std::uint64_t length = out.bytes().size(), count = members_.size();
  if (is_large(length) || is_large(directory_at_)) {
    constexpr std::uint64_t rest_of_end64 = 44;
    out.u32(end64_signature).u64(rest_of_end64).u16(made_by_unix).u16(version_zip64);
    out.u32(0).u32(0).u64(count).u64(count).u64(length).u64(directory_at_);
    out.u32(locator64_signature).u32(0).u64(directory_at_ + length).u32(1);
  }
  out.u32(end_signature).u16(0).u16(0).u16(count).u16(count);
  return out.u32(in_32_bits(length)).u32(in_32_bits(directory_at_)).u16(0).bytes();
}

std::uint32_t crc_with(std::uint32_t crc, std::string_view bytes) {
  // unsigned char may alias any type.
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(crc, data, bytes.size()));
}

std::string stored_zip(std::span<const std::pair<std::string, std::string>> members) {
  std::vector<StoredZip::Member> sizes;
  for (const auto& [name, content] : members) sizes.push_back({name, content.size()});
  const StoredZip zip(std::move(sizes));
  std::string bytes;
  std::vector<std::uint32_t> crcs;
  for (std::size_t i = 0; i < members.size(); ++i) {
    crcs.push_back(crc_with(0, members[i].second));
    bytes += zip.header(i, crcs.back()) + members[i].second;
  }
  return bytes + zip.directory(crcs);
}

}  // namespace orrery::data
