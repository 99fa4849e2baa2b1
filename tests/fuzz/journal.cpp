// Reads a sweep's journal, and each line as one of results.jsonl.
#include "experiments/sweeps/sweep_layout.h"

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>

#include "experiments/files/file.h"
#include "tests/fuzz/support/framed.h"
#include "tests/fuzz/support/json_input.h"

using namespace orrery;

namespace {

/// A file in memory, as the reader takes a path.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("journal", MFD_CLOEXEC)) {
    fuzz::require(fd_ >= 0, "the system has files in memory");
  }
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }
  void fill(std::string_view bytes) const {
    const bool filled = ::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, bytes.data(), bytes.size(), 0) ==
                                                        static_cast<ssize_t>(bytes.size());
    fuzz::require(filled, "a file in memory takes what is written");
  }

 private:
  int fd_;
};

JournalState journal_of(std::string_view text) {
  static const MemoryFile file;
  file.fill(text);
  return read_journal(file.path());
}

void require_point(std::string_view line) {
  const auto json = fuzz::parsed(line);
  if (!json) return;
  PointRecord point;
  if (!fuzz::accepted_json([&] { return read_point(*json, point), true; })) return;
  const std::string written =
      to_json(point).dump(-1, ' ', false, fuzz::Json::error_handler_t::replace);
  PointRecord again;
  read_point(*fuzz::parsed(written), again);
  fuzz::require(
      to_json(again).dump(-1, ' ', false, fuzz::Json::error_handler_t::replace) == written,
      "a point is read as it was written");
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

constexpr std::string_view sum_key = ",\"sum\":\"";

/// The line with the checksum that belongs to it.
std::string with_sum(std::string_view line) {
  const std::string_view body = line.substr(0, line.rfind(sum_key));
  return fmt::format("{}{}{}\"}}\n", body, sum_key, sha256_hex(body).substr(0, 16));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const std::string_view line : lines_of(text)) require_point(line);
  const JournalState state = journal_of(text);
  fuzz::require(state.intact <= text.size(), "whole lines end within the journal");
  std::string written;
  for (const auto& [id, entry] : state.entries) written += journal_line(entry);
  const JournalState again = journal_of(written);
  fuzz::require(again.damaged_lines == 0 && again.entries.size() == state.entries.size(),
                "a journal that was written is whole");
  for (const auto& [id, entry] : state.entries)
    fuzz::require(again.entries.at(id) == entry, "an entry is read as it was written");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, max_size);
  if (fuzz::Dice(seed).roll(4) == 0) return mutated;
  std::string text;
  for (const std::string_view line : lines_of(fuzz::text_of(data, mutated))) text += with_sum(line);
  return fuzz::put(text, data, max_size);
}
