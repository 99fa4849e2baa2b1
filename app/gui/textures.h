#pragma once

#include <imgui.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// Where pixels live on the graphics card, or do not.
class TextureBackend {
 public:
  virtual ~TextureBackend() = default;
  virtual ImTextureID create(const Image& image, Filter filter) = 0;
  virtual void destroy(ImTextureID id) = 0;
};

/// Textures of the current OpenGL context, which must outlive it.
std::unique_ptr<TextureBackend> make_gl_textures();
/// Numbers instead of textures, for frames that are not rendered.
std::unique_ptr<TextureBackend> make_null_textures();

/// Images that were uploaded, kept while anyone holds the image.
class TextureCache {
 public:
  explicit TextureCache(std::unique_ptr<TextureBackend> backend);
  ~TextureCache();
  TextureCache(const TextureCache&) = delete;
  TextureCache& operator=(const TextureCache&) = delete;

  /// Uploads at the first call; an image is immutable, so its address names it while it lives.
  ImTextureID texture(const std::shared_ptr<const Image>& image, Filter filter);
  /// Frees the textures of images that are gone. Call between frames: the draw list of a frame may
  /// still show them.
  void collect();
  /// Drops every texture without freeing it, since the context that held them is gone.
  void forget();
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::weak_ptr<const Image> image{};
    ImTextureID id{};
  };
  std::unique_ptr<TextureBackend> backend_;
  std::map<std::pair<const Image*, Filter>, Entry> entries_{};
  std::vector<ImTextureID> retired_{};
};

}  // namespace orrery
