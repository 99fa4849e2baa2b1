#include "experiments/files/presence.h"

#include <cerrno>
#include <system_error>

#include "experiments/files/file.h"

namespace orrery {

std::filesystem::file_type type_at(const std::filesystem::path& path) {
  for (;;) {
    std::error_code failure;
    const std::filesystem::file_status status = std::filesystem::status(path, failure);
    if (status.type() == std::filesystem::file_type::not_found || !failure) return status.type();
    if (failure.value() != EINTR) throw io_error(path.string(), "read", failure.value());
  }
}

}  // namespace orrery
