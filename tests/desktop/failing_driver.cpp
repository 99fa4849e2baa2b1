// Loaded before GLFW (LD_PRELOAD): a graphics driver that is reset while the desktop runs. It says
// so once, as a driver with GL_KHR_robustness does, and makes everything of the old context void.
//   ORRERY_RESET_AFTER=S   the context is lost S seconds after the first frame (default 3)
//   ORRERY_CLOSE_AFTER=S   the window is closed S seconds after that (default 3)
//   ORRERY_RECOVERS=0      no other window can be opened
// Prints how many windows were opened and which share of the pixels differs between the last frame
// before the loss and the last one of all.
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GLFW/glfw3.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

double number_from(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : otherwise;
}

using Pixels = std::vector<unsigned>;

Pixels frame_of(GLFWwindow* window) {
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  Pixels pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  return pixels;
}

double share_of_different(const Pixels& a, const Pixels& b) {
  if (a.size() != b.size() || a.empty()) return 1.0;
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] != b[i] ? 1 : 0;
  return static_cast<double>(different) / static_cast<double>(a.size());
}

struct Driver {
  const bool recovers{number_from("ORRERY_RECOVERS", 1) != 0};
  const std::chrono::duration<double> reset_after{number_from("ORRERY_RESET_AFTER", 3)};
  const std::chrono::duration<double> close_after{number_from("ORRERY_CLOSE_AFTER", 3)};
  int windows{0};
  bool lost{false};  ///< and nobody was told yet
  bool was_lost{false};
  Clock::time_point start{};
  Pixels before{};
};

Driver& driver() {
  static Driver one;
  return one;
}

GLenum reset_status() {
  if (!driver().lost) return GL_NO_ERROR;
  driver().lost = false;
  return GL_UNKNOWN_CONTEXT_RESET;
}

/// Textures, buffers and programs of a lost context hold nothing.
void void_everything() {
  for (GLuint name = 1; name < 2000; ++name) {
    if (glIsTexture(name)) glDeleteTextures(1, &name);
    if (glIsBuffer(name)) glDeleteBuffers(1, &name);
  }
}

void lose(GLFWwindow* window) {
  driver().before = frame_of(window);
  driver().lost = driver().was_lost = true;
  driver().start = Clock::now();
  void_everything();
}

void close(GLFWwindow* window) {
  std::printf("windows %d, different %.4f\n", driver().windows,
              share_of_different(driver().before, frame_of(window)));
  std::fflush(stdout);
  glfwSetWindowShouldClose(window, GLFW_TRUE);
}

}  // namespace

extern "C" {

GLFWwindow* glfwCreateWindow(int width, int height, const char* title, GLFWmonitor* monitor,
                             GLFWwindow* share) {
  if (driver().was_lost && !driver().recovers) return nullptr;
  ++driver().windows;
  return next<decltype(glfwCreateWindow)>("glfwCreateWindow")(width, height, title, monitor, share);
}

int glfwExtensionSupported(const char* name) {
  if (std::strcmp(name, "GL_KHR_robustness") == 0) return GLFW_TRUE;
  return next<decltype(glfwExtensionSupported)>("glfwExtensionSupported")(name);
}

GLFWglproc glfwGetProcAddress(const char* name) {
  if (std::strcmp(name, "glGetGraphicsResetStatus") == 0)
    return reinterpret_cast<GLFWglproc>(&reset_status);
  return next<decltype(glfwGetProcAddress)>("glfwGetProcAddress")(name);
}

void glfwSwapBuffers(GLFWwindow* window) {
  if (driver().start == Clock::time_point()) driver().start = Clock::now();
  const auto passed = Clock::now() - driver().start;
  if (!driver().was_lost && passed > driver().reset_after)
    lose(window);
  else if (driver().was_lost && passed > driver().close_after)
    close(window);
  next<decltype(glfwSwapBuffers)>("glfwSwapBuffers")(window);
  glfwPostEmptyEvent();  // or the desktop would wait for a hand
}

}  // extern "C"
