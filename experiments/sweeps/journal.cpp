#include "experiments/sweeps/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "experiments/files/file.h"
#include "experiments/files/retry.h"
#include "experiments/results/json_fields.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t max_journal_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t sum_digits = 16;
constexpr std::string_view sum_key = ",\"sum\":\"";

std::string sum_of(std::string_view body) { return sha256_hex(body).substr(0, sum_digits); }

JournalEntry entry_from(const Json& json) {
  JournalEntry entry{.id = name_field(json, "id"),
                     .status = enum_field(json, "outcome", point_status_names())};
  if (entry.status == PointStatus::pending) throw MalformedJson("'outcome' is 'pending'");
  if (entry.status == PointStatus::done && json.contains("group_sha256"))
    entry.group_sha256 = text_field(json, "group_sha256");
  else if (entry.status == PointStatus::done)
    entry.manifest_sha256 = text_field(json, "manifest_sha256");
  else
    entry.error = text_field(json, "error");
  if (entry.status == PointStatus::done && entry.manifest_sha256.empty() &&
      entry.group_sha256.empty())
    throw MalformedJson("the SHA-256 is empty");
  return entry;
}

/// The entry in a line without its newline; empty when the line is damaged.
std::optional<JournalEntry> entry_in(std::string_view line) {
  const std::size_t tail = sum_key.size() + sum_digits + 2;  // and "}
  if (line.size() <= tail || line.substr(line.size() - tail, sum_key.size()) != sum_key)
    return std::nullopt;
  const std::string_view body = line.substr(0, line.size() - tail);
  if (line.substr(line.size() - 2 - sum_digits, sum_digits) != sum_of(body)) return std::nullopt;
  try {
    return entry_from(json_in(line));
  } catch (const MalformedJson&) {
    return std::nullopt;
  }
}

void write_at_end(int fd, std::string_view bytes, const std::string& path) {
  const ssize_t count = retried([&] { return ::write(fd, bytes.data(), bytes.size()); });
  if (count < 0) throw io_error(path, "written", errno);
  if (static_cast<std::size_t>(count) != bytes.size()) throw io_error(path, "written", ENOSPC);
  sync_file(fd, path);
}

}  // namespace

std::string journal_line(const JournalEntry& entry) {
  Json json{{"id", entry.id}, {"outcome", name_of(entry.status)}};
  if (!entry.group_sha256.empty())
    json["group_sha256"] = entry.group_sha256;
  else if (entry.status == PointStatus::done)
    json["manifest_sha256"] = entry.manifest_sha256;
  else
    json["error"] = entry.error;
  std::string body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  body.pop_back();
  return fmt::format("{}{}{}\"}}\n", body, sum_key, sum_of(body));
}

JournalState read_journal(const std::filesystem::path& path) {
  JournalState state;
  std::error_code failure;
  if (!std::filesystem::exists(path, failure) && !failure) return state;
  const std::string text = read_growing_file(path, max_journal_bytes);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;
    const std::optional<JournalEntry> entry =
        entry_in(std::string_view(text).substr(start, end - start));
    if (entry)
      state.entries[entry->id] = *entry;
    else
      ++state.damaged_lines;
    start = end + 1;
    state.intact = start;
  }
  return state;
}

Journal::Journal(std::filesystem::path path, const JournalState& state) : path_(std::move(path)) {
  fd_ = retried([&] {
    return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  });
  if (fd_ < 0) throw io_error(path_.string(), "opened", errno);
  struct stat status {};
  const bool longer = retried([&] { return ::fstat(fd_, &status); }) == 0 &&
                      static_cast<std::uintmax_t>(status.st_size) > state.intact;
  if (longer && retried([&] { return ::ftruncate(fd_, static_cast<off_t>(state.intact)); }) != 0) {
    const int code = errno;
    ::close(fd_);
    throw io_error(path_.string(), "written", code);
  }
}

Journal::~Journal() { ::close(fd_); }

void Journal::append(std::span<const JournalEntry> entries) {
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  std::string lines;
  for (const JournalEntry& entry : entries) lines += journal_line(entry);
  try {
    write_at_end(fd_, lines, path_.string());
  } catch (const IoError&) {
    // If this fails too, the next reader finds an incomplete last line and drops it.
    if (before >= 0 && ::ftruncate(fd_, before) != 0) errno = 0;
    throw;
  }
}

}  // namespace orrery
