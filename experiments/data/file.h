#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/errors.h"

namespace orrery {

/// The whole content of a regular file.
/// @param max_bytes  the most that is read and held in memory
/// @param said_as    what messages call the file ("text=notes.txt"); its path when empty
/// Throws IoError: missing, unreadable, or anything but a regular file (a folder, pipe or device is
/// never opened). Throws DataError: longer than max_bytes.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes,
                      std::string_view said_as = {});

/// Creates a new file, fills it and waits until it is on the disk.
/// Throws IoError with the system's reason: the file exists, no space, no permission.
void write_new_file(const std::filesystem::path& path, std::string_view bytes);

/// "PATH: cannot be VERB (reason of errno `code`); REMEDY".
IoError io_error(std::string_view path, std::string_view verb, int code);

/// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace orrery
