#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace orrery {

/// Takes a line about what a file system cannot do. A program sets it once, before it writes.
using NoticeSink = std::function<void(const std::string& line)>;
void set_notice_sink(NoticeSink sink);

/// Says, once in a process, that nobody keeps others from writing to the folder.
void say_no_locks(const std::filesystem::path& folder);
/// The same, once between the two, that a line in the folder's .lock does.
void say_line_for_lock(const std::filesystem::path& folder);
/// Says that it waits to see whether the holder writes to the folder.
void say_watched(const std::filesystem::path& folder, const std::string& holder,
                 std::chrono::milliseconds longest);
/// Says that the holder is taken for dead.
void say_taken_over(const std::filesystem::path& folder, const std::string& holder);
/// Says, once in a process, that nothing waits for the disk.
void say_no_sync();

}  // namespace orrery
