#include "app/gui/renderer.h"

// The prototypes of libOpenGL, which exports them all.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <backends/imgui_impl_opengl3.h>

#include <stdexcept>

namespace orrery {
namespace {

/// Whether letters go into the atlas only while the frame is drawn: they change what commands draw
/// that are the same as before.
bool uploads_letters(const ImDrawData& data) {
#if IMGUI_VERSION_NUM >= 19200
  return data.Textures &&
         std::any_of(data.Textures->begin(), data.Textures->end(),
                     [](const ImTextureData* one) { return one->Status != ImTextureStatus_OK; });
#else
  static_cast<void>(data);
  return false;
#endif
}

}  // namespace

/// A framebuffer of our own with the size of the window.
class GlRenderer::Canvas {
 public:
  Canvas(int width, int height) : width_(width), height_(height) {
    GLint bound = 0;
    glGetIntegerv(GL_RENDERBUFFER_BINDING, &bound);
    glGenRenderbuffers(1, &pixels_);
    glBindRenderbuffer(GL_RENDERBUFFER, pixels_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(bound));
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    glGenFramebuffers(1, &name_);
    glBindFramebuffer(GL_FRAMEBUFFER, name_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels_);
    glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(bound));
  }
  ~Canvas() {
    glDeleteFramebuffers(1, &name_);
    glDeleteRenderbuffers(1, &pixels_);
  }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  bool has_size(int width, int height) const { return width == width_ && height == height_; }
  GLuint name() const { return name_; }

 private:
  int width_, height_;
  GLuint name_{}, pixels_{};
};

GlRenderer::GlRenderer() {
  if (!ImGui_ImplOpenGL3_Init("#version 150"))
    throw std::runtime_error(
        "OpenGL: version 3.2 is needed; install or update the graphics driver");
}

GlRenderer::~GlRenderer() { ImGui_ImplOpenGL3_Shutdown(); }

void GlRenderer::begin(bool new_fonts) {
#if IMGUI_VERSION_NUM < 19200
  if (new_fonts) {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
#endif
  if (new_fonts) forget();
  ImGui_ImplOpenGL3_NewFrame();
}

void GlRenderer::draw(int width, int height) {
  if (width < 1 || height < 1) return;
  if (!canvas_ || !canvas_->has_size(width, height)) {
    canvas_ = std::make_unique<Canvas>(width, height);
    forget();
  }
  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_->name());
  draw_changes(width, height);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(bound));
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(bound));
}

void GlRenderer::draw_changes(int width, int height) {
  ImDrawData& data = *ImGui::GetDrawData();
  glViewport(0, 0, width, height);
  const bool pixel_per_unit = data.DisplaySize.x == static_cast<float>(width) &&
                              data.DisplaySize.y == static_cast<float>(height);
  if (!pixel_per_unit || uploads_letters(data)) {
    forget();
    const ImVec4 ground = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
    glClearColor(ground.x, ground.y, ground.z, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    return ImGui_ImplOpenGL3_RenderDrawData(&data);
  }
  const std::vector<PixelRect> areas = changes_.update(data, width, height);
  if (areas.empty()) return;
  const FrameParts parts(data, areas, width, height);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
}

}  // namespace orrery
