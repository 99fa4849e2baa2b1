#include "experiments/data/zip_pack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>

#include "core/errors.h"
#include "experiments/data/zip_records.h"
#include "experiments/files/file.h"
#include "experiments/files/presence.h"

namespace orrery {
namespace {

constexpr std::uint16_t group_field = 'o' | 'r' << 8;
constexpr ZipMember::Style pack_style{
    .needs = 20, .made_by = 45, .attributes = 0, .marks_ascii = true};

/// The extra field of a local header.
/// @param group  length of the group that begins here, and 0 for every other member
std::string group_extra(std::uint64_t group) {
  return group > 0 ? zip_field(group_field, {group}) : std::string();
}

/// Whether the last bytes of a file tell a directory that begins at `at` and fills the file.
bool tells_directory(std::string_view end, std::uint64_t at, std::uint64_t size) {
  constexpr std::size_t end_size = 22, locator_size = 20, zip64_end_size = 56;
  if (end.size() < end_size || end.substr(end.size() - end_size, 4) != zip_end_mark) return false;
  const std::size_t last = end.size() - end_size;
  std::uint64_t bytes = number_at(end, last + 12, 4), from = number_at(end, last + 16, 4);
  std::uint64_t records = end_size;
  if (const std::size_t zip64 = locator_size + zip64_end_size;
      last >= zip64 && end.substr(last - zip64, 4) == zip64_end_mark) {
    bytes = number_at(end, last - zip64 + 40, 8);
    from = number_at(end, last - zip64 + 48, 8);
    records += zip64;
  }
  return from == at && at + bytes + records == size;
}

/// A local header as it is read.
struct LocalHeader {
  ZipMember member{};
  std::uint64_t group{};  ///< as told by the field "or"; 0 without one
  std::size_t length{};   ///< of the header
};

/// Reads the sizes that an extra field tells. False where it is not whole.
bool read_extra(std::string_view extra, LocalHeader& header) {
  while (extra.size() >= 4) {
    const std::uint64_t id = number_at(extra, 0, 2);
    const auto size = static_cast<std::size_t>(number_at(extra, 2, 2));
    if (extra.size() < 4 + size) return false;
    if (id == group_field && size == 8) header.group = number_at(extra, 4, 8);
    if (id == zip64_field && size >= 8) header.member.bytes = number_at(extra, 4, 8);
    extra.remove_prefix(4 + size);
  }
  return extra.empty();
}

/// The header at the beginning of the bytes; empty where there is none that is whole.
std::optional<LocalHeader> header_in(std::string_view bytes) {
  if (bytes.size() < local_bytes || !bytes.starts_with(zip_local_mark)) return std::nullopt;
  if (number_at(bytes, 8, 2) != 0) return std::nullopt;  // not stored
  const auto name = static_cast<std::size_t>(number_at(bytes, 26, 2));
  const auto extra = static_cast<std::size_t>(number_at(bytes, 28, 2));
  if (bytes.size() < local_bytes + name + extra) return std::nullopt;
  LocalHeader header{.member = {.name = bytes.substr(local_bytes, name),
                                .crc = static_cast<std::uint32_t>(number_at(bytes, 14, 4)),
                                .bytes = number_at(bytes, 22, 4)},
                     .length = local_bytes + name + extra};
  if (!read_extra(bytes.substr(local_bytes + name, extra), header)) return std::nullopt;
  return header;
}

/// Whether an archive begins with a member that is whole and begins no group, or is compressed.
bool is_foreign_member(std::string_view bytes) {
  if (bytes.size() < local_bytes || !bytes.starts_with(zip_local_mark)) return false;
  if (number_at(bytes, 8, 2) != 0) return true;
  const std::optional<LocalHeader> header = header_in(bytes);
  return header && header->group == 0;
}

/// A group that begins with these bytes, in a file that has `left` bytes from there on.
std::optional<std::pair<std::string, std::uint64_t>> group_in(std::string_view bytes,
                                                              std::uint64_t left) {
  const std::optional<LocalHeader> header = header_in(bytes);
  if (!header || header->group < header->length || header->group > left) return std::nullopt;
  const std::string_view folder = header->member.name.substr(0, header->member.name.find('/'));
  if (!is_file_name(folder) || folder.size() == header->member.name.size()) return std::nullopt;
  return std::pair(std::string(folder), header->group);
}

std::string group_at(int descriptor, const ZipPack::Place& place,
                     const std::filesystem::path& path) {
  std::string bytes(static_cast<std::size_t>(place.bytes), '\0');
  if (read_at(descriptor, place.at, bytes, path.string()) != bytes.size())
    throw io_error(path.string(), "read", EIO);
  return bytes;
}

/// Calls `visit` with the header of each member of a group and where it begins. Throws DataError,
/// naming `name`: the bytes are no group.
template <class Visit>
void for_each_member(std::string_view group, std::string_view name, Visit visit) {
  for (std::size_t from = 0; from < group.size();) {
    const std::optional<LocalHeader> header = header_in(group.substr(from));
    if (!header || header->member.bytes > group.size() - from - header->length)
      throw DataError(name, "is damaged: it is not a part of a zip archive",
                      "copy the archive again, or resume the sweep");
    visit(*header, from);
    from += header->length + static_cast<std::size_t>(header->member.bytes);
  }
}

/// The directory of an archive in parts, while the groups come by.
class PackDirectory {
 public:
  using Write = std::function<void(std::uint64_t at, std::string_view bytes)>;

  /// @param at  where the directory begins
  PackDirectory(std::uint64_t at, Write write) : begin_(at), end_(at), write_(std::move(write)) {}

  /// @param at  the group's place in the archive that the directory is of
  void add(std::string_view group, std::uint64_t at, std::string_view name) {
    constexpr std::size_t enough = 1 << 20;
    for_each_member(group, name, [&](const LocalHeader& header, std::size_t from) {
      waiting_ += zip_entry(header.member, at + from, pack_style);
      ++count_;
    });
    if (waiting_.size() >= enough) write();
  }
  /// Returns where the archive ends.
  std::uint64_t finish() {
    write();
    waiting_ = zip_end(count_, begin_, end_ - begin_);
    write();
    return end_;
  }

 private:
  void write() {
    write_(end_, waiting_);
    end_ += waiting_.size();
    waiting_.clear();
  }

  std::uint64_t begin_, end_;
  std::uint64_t count_{0};
  std::string waiting_{};
  Write write_;
};

}  // namespace

std::string pack_group(std::string_view folder,
                       std::span<const std::pair<std::string, std::string>> members) {
  check_invariant(!members.empty(), "a group has a member at least");
  std::vector<std::string> names;
  std::vector<ZipMember> described;
  names.reserve(members.size());
  std::uint64_t bytes = 0;
  for (const auto& [name, content] : members) {
    names.push_back(fmt::format("{}/{}", folder, name));
    check_invariant(names.back().size() <= std::numeric_limits<std::uint16_t>::max(),
                    "a member's name fits its header");
    described.push_back({names.back(), crc_of(content), content.size()});
    // Any number shows how long the header is.
    const std::string extra = group_extra(described.size() == 1 ? 1 : 0);
    bytes += zip_header(described.back(), pack_style, extra).size() + content.size();
  }
  std::string group;
  group.reserve(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < members.size(); ++i) {
    group += zip_header(described[i], pack_style, group_extra(i == 0 ? bytes : 0));
    group += members[i].second;
  }
  return group;
}

std::map<std::string_view, std::string_view, std::less<>> members_of_group(std::string_view group,
                                                                           std::string_view name) {
  std::map<std::string_view, std::string_view, std::less<>> members;
  for_each_member(group, name, [&](const LocalHeader& header, std::size_t from) {
    const std::string_view whole = header.member.name;
    members[whole.substr(std::min(whole.size(), whole.find('/')) + 1)] =
        group.substr(from + header.length, static_cast<std::size_t>(header.member.bytes));
  });
  return members;
}

ZipPack::ZipPack(std::filesystem::path path) : path_(std::move(path)) {
  if (!is_file_at(path_)) return;
  descriptor_ = opened(path_, O_RDONLY);
  if (!descriptor_.is_open()) throw io_error(path_.string(), "read", errno);
  struct stat status {};
  if (retried([&] { return ::fstat(descriptor_.get(), &status); }) != 0)
    throw io_error(path_.string(), "read", errno);
  list_groups(static_cast<std::uint64_t>(status.st_size));
  for (std::size_t i = 0; i < groups_.size(); ++i) last_[groups_[i].first] = i;
}

void ZipPack::list_groups(std::uint64_t size) {
  constexpr std::size_t usual_header = 256;
  constexpr std::size_t longest_header = 1 << 18;  // beyond name and extra field, 64 KiB each
  constexpr std::size_t chunk = 1 << 20;
  std::string bytes;
  const auto look_at = [&](std::uint64_t at, std::size_t most) {
    bytes.resize(most);
    bytes.resize(read_at(descriptor_.get(), at, bytes, path_.string()));
  };
  const auto take = [&](std::string_view from, std::uint64_t at) -> bool {
    const auto group = group_in(from, size - at);
    if (!group) return false;
    groups_.push_back({group->first, {.at = at, .bytes = group->second}});
    end_ = at + group->second;
    return true;
  };
  for (std::uint64_t at = 0; at < size;) {
    look_at(at, usual_header);
    if (at == 0) is_foreign_ = is_foreign_member(bytes);
    if (take(bytes, at)) {
      at = end_;
      continue;
    }
    if (bytes.starts_with(zip_entry_mark) || bytes.starts_with(zip_end_mark))
      return;  // the directory
    // Damage: on to the next place that begins a group.
    const std::uint64_t lost = at;
    for (at = lost; at < size; at += chunk) {
      look_at(at, chunk + longest_header);
      const std::string_view window = bytes;
      std::size_t found = window.find(zip_local_mark);
      for (; found < chunk; found = window.find(zip_local_mark, found + 1)) {
        if (take(window.substr(found), at + found)) break;
      }
      if (found < chunk) break;
    }
    if (end_ <= lost) return;
    at = end_;
  }
}

void ZipPack::require_own() const {
  if (is_foreign_)
    throw DataError(path_.string(), "is a zip archive that another program has written",
                    "unpack it into the folder points beside it, and delete it");
}

std::optional<ZipPack::Place> ZipPack::find(std::string_view folder) const {
  const auto found = last_.find(folder);
  if (found == last_.end()) return std::nullopt;
  return groups_[found->second].second;
}

std::string ZipPack::read(const ZipPack::Place& place) const {
  return group_at(descriptor_.get(), place, path_);
}

std::string read_group(const std::filesystem::path& path, const ZipPack::Place& place) {
  const Descriptor descriptor = opened(path, O_RDONLY);
  if (!descriptor.is_open()) throw io_error(path.string(), "read", errno);
  return group_at(descriptor.get(), place, path);
}

GrowingZipPack::GrowingZipPack(std::filesystem::path path) : path_(std::move(path)) {
  end_ = ZipPack(path_).end();
  descriptor_ = opened(path_, O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!descriptor_.is_open()) throw io_error(path_.string(), "opened", errno);
}

void GrowingZipPack::append(std::span<const std::string_view> groups) {
  require_unchanged();
  const auto cut_off = [&] {
    return retried([&] { return ::ftruncate(descriptor_.get(), static_cast<off_t>(end_)); }) == 0;
  };
  if (!cut_ && !cut_off()) throw io_error(path_.string(), "written", errno);
  cut_ = true;
  std::uint64_t at = end_;
  try {
    for (const std::string_view group : groups) {
      write_at(descriptor_.get(), at, group, path_.string());
      at += group.size();
    }
    sync_file(descriptor_.get(), path_.string());
  } catch (const IoError&) {
    cut_ = cut_off();  // otherwise the next append does
    throw;
  }
  end_ = at;
}

void GrowingZipPack::require_unchanged() const {
  struct stat ours {
  }, there{};
  if (retried([&] { return ::fstat(descriptor_.get(), &ours); }) != 0 ||
      retried([&] { return ::stat(path_.c_str(), &there); }) != 0)
    throw io_error(path_.string(), "read", errno);
  const auto size = static_cast<std::uint64_t>(ours.st_size);
  if (ours.st_dev == there.st_dev && ours.st_ino == there.st_ino &&
      (cut_ ? size == end_ : size >= end_))
    return;
  throw IoError(path_.string(), "was changed by another program while this one wrote to it",
                "resume the sweep when nothing else writes there");
}

bool GrowingZipPack::has_directory(std::uint64_t at) const {
  constexpr std::size_t longest_end = 22 + 20 + 56;
  struct stat status {};
  if (retried([&] { return ::fstat(descriptor_.get(), &status); }) != 0) return false;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::string end(std::min<std::uint64_t>(longest_end, size - std::min(size, at)), '\0');
  if (read_at(descriptor_.get(), size - end.size(), end, path_.string()) != end.size())
    return false;
  return tells_directory(end, at, size);
}

void GrowingZipPack::finish(std::span<const std::string> folders) {
  const ZipPack pack(path_);
  std::vector<ZipPack::Place> places;
  std::uint64_t bytes = 0;
  bool follow = true;
  for (const std::string& folder : folders)
    if (const auto place = pack.find(folder)) {
      follow = follow && place->at == bytes;
      bytes += place->bytes;
      places.push_back(*place);
    }
  follow = follow && bytes == pack.end();
  if (follow && has_directory(bytes)) return;
  std::optional<AtomicFile> anew;
  if (!follow) anew.emplace(path_, bytes);
  PackDirectory directory(bytes, [&](std::uint64_t at, std::string_view part) {
    if (anew)
      anew->write(at, part);
    else
      write_at(descriptor_.get(), at, part, path_.string());
  });
  std::uint64_t at = 0;
  for (const ZipPack::Place& place : places) {
    const std::string group = pack.read(place);
    directory.add(group, at, path_.string());
    if (anew) anew->write(at, group);
    at += place.bytes;
  }
  const std::uint64_t end = directory.finish();
  if (anew)
    replace(*anew);
  else
    end_at(end);
  end_ = bytes;
  cut_ = false;
}

void GrowingZipPack::replace(AtomicFile& anew) {
  anew.commit();
  Descriptor fresh = opened(path_, O_RDWR | O_NOFOLLOW);
  if (!fresh.is_open()) throw io_error(path_.string(), "opened", errno);
  descriptor_ = std::move(fresh);
}

void GrowingZipPack::end_at(std::uint64_t end) {
  if (retried([&] { return ::ftruncate(descriptor_.get(), static_cast<off_t>(end)); }) != 0)
    throw io_error(path_.string(), "written", errno);
  sync_file(descriptor_.get(), path_.string());
}

}  // namespace orrery
