#pragma once

#include <string_view>

namespace orrery {

// PyTorch's own files are pickles: programs that Python runs when it reads them. They are refused.

/// Whether the name ends as PyTorch's files do: .bin, .pt, .pth, .ckpt, .pkl.
bool has_pickle_name(std::string_view name);

/// Whether the bytes begin as torch.save writes them: a zip archive, or a pickle of protocol 2 to 5.
bool is_pickle(std::string_view bytes);

inline constexpr std::string_view pickle_rule =
    "which holds a pickle, a program that would run when it is read";
inline constexpr std::string_view pickle_remedy =
    "convert it with AutoModel.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER) of "
    "Transformers, "
    "which writes model.safetensors";

}  // namespace orrery
