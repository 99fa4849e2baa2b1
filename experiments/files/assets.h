#pragma once

#include <filesystem>
#include <string_view>

namespace orrery {

/// The path of a file that comes with Orrery ("texts/the_orrery.txt"). Looked for in this order:
/// $ORRERY_ASSETS, ../share/orrery and ../../share/orrery relative to the running program or to
/// liborrery, the folder it was installed to, the folder it was built from. Throws IoError, listing the folders.
std::filesystem::path asset_path(std::string_view relative);

}  // namespace orrery
