#pragma once

#include <zip.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace orrery {

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;

  zip_error_t* get() { return &error_; }
  int code() const { return zip_error_code_zip(&error_); }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_{};
};

/// The fixed part of a member's local header (APPNOTE 6.3.10, §4.3.7).
inline constexpr std::size_t local_bytes = 30;
/// Sizes and offsets from here on are told by Zip64 (§4.5.3).
inline constexpr std::uint64_t told_in_zip64 = 0xFFFFFFFF;

}  // namespace orrery
