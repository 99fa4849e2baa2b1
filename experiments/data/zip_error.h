#pragma once

#include <zip.h>

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

}  // namespace orrery
