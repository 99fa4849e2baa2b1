#include "app/headless/offscreen.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

// The prototypes of libOpenGL, which exports them all.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "app/gui/imgui_shim.h"
#include "experiments/figure/canvas/cairo_canvas.h"

namespace orrery {
namespace {

constexpr int frames_to_settle = 4;
constexpr auto poll_interval = std::chrono::milliseconds(2);

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("rendering without a display: " + what +
                           "; apt install libegl1 libegl-mesa0 libgl1-mesa-dri, or update the "
                           "graphics driver");
}

/// Display, context and, where the driver wants one, a surface of one pixel.
struct Egl {
  EGLDisplay display{EGL_NO_DISPLAY};
  EGLContext context{EGL_NO_CONTEXT};
  EGLSurface surface{EGL_NO_SURFACE};

  Egl() {
    if (!start(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr),
               false) &&
        !start(eglGetDisplay(EGL_DEFAULT_DISPLAY), true)) {
      release();
      fail("EGL offers no OpenGL 3.2 context");
    }
  }
  ~Egl() { release(); }
  Egl(const Egl&) = delete;
  Egl& operator=(const Egl&) = delete;

 private:
  bool start(EGLDisplay candidate, bool with_surface) {
    release();
    if (candidate == EGL_NO_DISPLAY || !eglInitialize(candidate, nullptr, nullptr)) return false;
    display = candidate;
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE,
                             with_surface ? EGL_PBUFFER_BIT : 0, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, wanted, &config, 1, &count) ||
        count == 0)
      return false;
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              2,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                              EGL_NONE};
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT) return false;
    if (with_surface) {
      const EGLint size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
      surface = eglCreatePbufferSurface(display, config, size);
      if (surface == EGL_NO_SURFACE) return false;
    }
    return eglMakeCurrent(display, surface, surface, context) == EGL_TRUE;
  }
  void release() {
    if (display == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
    if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
    // The display belongs to the whole process and is not terminated.
    display = EGL_NO_DISPLAY;
    context = EGL_NO_CONTEXT;
    surface = EGL_NO_SURFACE;
  }
};

}  // namespace

/// An OpenGL context with a framebuffer and no window: EGL without a surface, or with a tiny buffer
/// where that is not offered.
class OffscreenDesktop::Context {
 public:
  Context(int width, int height) : width_(width), height_(height) {
    GLint largest = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    if (width < 1 || height < 1 || width > largest || height > largest)
      throw std::runtime_error("--size: each side must lie in [1, " + std::to_string(largest) +
                               "] pixels; choose a smaller size");
    glGenRenderbuffers(1, &color_);
    glBindRenderbuffer(GL_RENDERBUFFER, color_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      fail("the driver offers no framebuffer");
  }
  ~Context() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &color_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  int width() const { return width_; }
  int height() const { return height_; }
  std::shared_ptr<const Image> pixels() const {
    Image bottom_up{
        width_, height_,
        std::vector<Color>(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_))};
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, bottom_up.pixels.data());
    Image image{width_, height_, {}};
    image.pixels.reserve(bottom_up.pixels.size());
    for (int row = height_ - 1; row >= 0; --row) {
      const auto first = bottom_up.pixels.begin() + static_cast<std::ptrdiff_t>(row) * width_;
      image.pixels.insert(image.pixels.end(), first, first + width_);
    }
    // Blending leaves alpha below 1; a window shows none of it.
    for (Color& pixel : image.pixels) pixel.a = 255;
    return std::make_shared<const Image>(std::move(image));
  }

 private:
  int width_;
  int height_;
  Egl egl_{};
  unsigned framebuffer_{};
  unsigned color_{};
};

OffscreenDesktop::OffscreenDesktop(Session& session, int width, int height)
    : context_(std::make_unique<Context>(width, height)), app_(session, make_gl_textures()) {
  shim::map_keys(ImGui::GetIO());
}

OffscreenDesktop::~OffscreenDesktop() = default;

std::shared_ptr<const Image> OffscreenDesktop::pixels() const { return context_->pixels(); }

void OffscreenDesktop::pass() {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize =
      ImVec2(static_cast<float>(context_->width()), static_cast<float>(context_->height()));
  io.DeltaTime = 1.0f / 60.0f;
  renderer_.begin(app_.prepare());
  shim::new_frame();
  app_.frame();
  ImGui::Render();
}

void OffscreenDesktop::frame() {
  pass();
  renderer_.draw(context_->width(), context_->height());
}

void OffscreenDesktop::finish() { glFinish(); }

void OffscreenDesktop::settle(double patience_seconds) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_seconds);
  // Loaded results may trigger further computations.
  for (int quiet = 0; quiet < frames_to_settle; ++quiet) {
    while (app_.busy()) {
      quiet = 0;
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error(
            "rendering without a display: the computation takes too long; choose "
            "smaller parameters");
      std::this_thread::sleep_for(poll_interval);
    }
    pass();
  }
  renderer_.draw(context_->width(), context_->height());
}

std::string png_bytes(const std::shared_ptr<const Image>& image) {
  const Size size{static_cast<double>(image->width), static_cast<double>(image->height)};
  const auto canvas = cairo_canvas(FigureFormat::png, size, 1.0);
  canvas->image(image, {0, 0, size.width, size.height}, Filter::nearest);
  return canvas->finish();
}

}  // namespace orrery
