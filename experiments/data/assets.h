#pragma once

#include <filesystem>
#include <string_view>

namespace orrery {

/// Where one of the files that come with Orrery lies ("texts/the_orrery.txt"). The first that
/// exists of: $ORRERY_ASSETS, ../share/orrery beside the running program, the folder it was
/// installed to, the folder it was built from. Throws IoError listing where it looked.
std::filesystem::path asset_path(std::string_view relative);

}  // namespace orrery
