#include "app/gui/textures.h"

// The prototypes of libOpenGL, which exports them all.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

class GlTextures : public TextureBackend {
 public:
  ImTextureID create(const Image& image, Filter filter) override {
    GLint bound = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    const GLint sampling = filter == Filter::nearest ? GL_NEAREST : GL_LINEAR;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, sampling);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, sampling);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, image.pixels.data());
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
    return shim::texture_id(name, ++last_serial_);
  }
  void destroy(ImTextureID id) override {
    const GLuint name = shim::texture_name(id);
    glDeleteTextures(1, &name);
  }

 private:
  unsigned last_serial_{0};
};

class NullTextures : public TextureBackend {
 public:
  ImTextureID create(const Image&, Filter) override { return shim::texture_id(++last_); }
  void destroy(ImTextureID) override {}

 private:
  unsigned last_{1000};  // apart from the font texture
};

}  // namespace

std::unique_ptr<TextureBackend> make_gl_textures() { return std::make_unique<GlTextures>(); }
std::unique_ptr<TextureBackend> make_null_textures() { return std::make_unique<NullTextures>(); }

TextureCache::TextureCache(std::unique_ptr<TextureBackend> backend)
    : backend_(std::move(backend)) {}

TextureCache::~TextureCache() {
  for (const auto& [key, entry] : entries_) backend_->destroy(entry.id);
  for (const ImTextureID id : retired_) backend_->destroy(id);
}

ImTextureID TextureCache::texture(const std::shared_ptr<const Image>& image, Filter filter) {
  const auto key = std::pair(image.get(), filter);
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    if (!found->second.image.expired()) return found->second.id;
    // Another image took the address of one that is gone but may still be in this frame's list.
    retired_.push_back(found->second.id);
    found->second = {image, backend_->create(*image, filter)};
    return found->second.id;
  }
  const ImTextureID id = backend_->create(*image, filter);
  entries_.emplace(key, Entry{image, id});
  return id;
}

void TextureCache::forget() {
  entries_.clear();
  retired_.clear();
}

void TextureCache::collect() {
  for (const ImTextureID id : retired_) backend_->destroy(id);
  retired_.clear();
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (!entry->second.image.expired()) {
      ++entry;
      continue;
    }
    backend_->destroy(entry->second.id);
    entry = entries_.erase(entry);
  }
}

}  // namespace orrery
