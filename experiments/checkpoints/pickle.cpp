#include "experiments/checkpoints/pickle.h"

#include <algorithm>
#include <array>

namespace orrery {

bool has_pickle_name(std::string_view name) {
  constexpr std::array<std::string_view, 5> endings{".bin", ".pt", ".pth", ".ckpt", ".pkl"};
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_pickle(std::string_view bytes) {
  constexpr char protocol = '\x80', oldest = 2, newest = 5;
  if (bytes.starts_with("PK\x03\x04")) return true;
  // A safetensors file begins with the length of its header, which is then followed by '{'.
  const bool is_header = bytes.size() > 8 && bytes[8] == '{';
  return bytes.size() > 1 && bytes[0] == protocol && bytes[1] >= oldest && bytes[1] <= newest &&
         !is_header;
}

}  // namespace orrery
