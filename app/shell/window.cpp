#include "app/shell/window.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/gui/imgui_context.h"
#include "app/gui/imgui_shim.h"
#include "app/gui/renderer.h"
#include "app/session/waker.h"
#include "app/shell/app.h"

namespace orrery::shell {
namespace {

constexpr int initial_width = 1280, initial_height = 800;
constexpr int min_width = 480, min_height = 320;
// Dear ImGui settles within a few frames of an event: layout, hover, tooltips.
constexpr int frames_after_event = 3;
// While a job runs, its clock is drawn this often.
constexpr double busy_interval = 0.1;
constexpr double min_wait = 0.01;  // a timeout of 0 is none

class Glfw {
 public:
  bool start(std::string& reason) {
    glfwSetErrorCallback([](int, const char* text) { last_error() = text; });
    started_ = glfwInit() == GLFW_TRUE;
    if (!started_) reason = last_error();
    return started_;
  }
  ~Glfw() {
    if (started_) glfwTerminate();
  }
  static std::string& last_error() {
    static std::string text;
    return text;
  }

 private:
  bool started_{false};
};

struct WindowDeleter {
  void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, WindowDeleter>;

WindowHandle open_window() {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 2);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  WindowHandle window(glfwCreateWindow(initial_width, initial_height, "Orrery", nullptr, nullptr));
  if (!window) return window;
  glfwSetWindowSizeLimits(window.get(), min_width, min_height, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(window.get());
  glfwSwapInterval(1);
  return window;
}

void take_dropped_files(GLFWwindow* window, int count, const char** paths) {
  auto* app = static_cast<App*>(glfwGetWindowUserPointer(window));
  app->drop({paths, paths + count});
}

/// GLFW names keys by their position on an American keyboard, but shortcuts follow the labels:
/// Ctrl+Z is where Z is printed, on German and French keyboards too.
int as_labelled(int key, int scancode) {
  const bool prints = key != GLFW_KEY_UNKNOWN && key < GLFW_KEY_ESCAPE;
  const char* label = prints ? glfwGetKeyName(key, scancode) : nullptr;
  if (!label || label[0] == '\0' || label[1] != '\0') return key;
  if (label[0] >= 'a' && label[0] <= 'z') return GLFW_KEY_A + (label[0] - 'a');
  return key;
}

/// Starts Dear ImGui's GLFW backend and shuts it down with itself.
class Platform {
 public:
  explicit Platform(GLFWwindow* window) {
    ImGui_ImplGlfw_InitForOpenGL(window, true);
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
      const int labelled = as_labelled(key, scancode);
      ImGui_ImplGlfw_KeyCallback(w, shim::backend_key(key, labelled), scancode, action, mods);
      if (action == GLFW_PRESS) pressed().push_back({key, labelled});
    });
  }
  ~Platform() { ImGui_ImplGlfw_Shutdown(); }
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  struct Press {
    int key{};  ///< by its position
    int labelled{};
  };
  /// The keys that went down since the last call.
  static std::vector<Press> take_pressed() { return std::exchange(pressed(), {}); }

 private:
  static std::vector<Press>& pressed() {
    static std::vector<Press> keys;
    return keys;
  }
};

/// Begins a frame that also sees keys which went down and up again since the last one.
void new_frame(GLFWwindow* window) {
  const std::vector<Platform::Press> pressed = Platform::take_pressed();
  for (const auto& [key, labelled] : pressed) shim::hold_key(ImGui::GetIO(), labelled, true);
  shim::new_frame();
  for (const auto& [key, labelled] : pressed)
    if (key != GLFW_KEY_UNKNOWN && glfwGetKey(window, key) == GLFW_RELEASE)
      shim::hold_key(ImGui::GetIO(), labelled, false);
}

void draw_frame(GLFWwindow* window, App& app, GlRenderer& renderer) {
  float x_scale = 1.0f, y_scale = 1.0f;
  glfwGetWindowContentScale(window, &x_scale, &y_scale);
  app.set_screen_scale(static_cast<double>(std::max(x_scale, y_scale)));
  renderer.begin(app.prepare());
  ImGui_ImplGlfw_NewFrame();
  new_frame(window);
  app.frame();
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window, &width, &height);
  renderer.draw(width, height);
  glfwSwapBuffers(window);
}

void run_loop(GLFWwindow* window, App& app, GlRenderer& renderer) {
  int frames_due = frames_after_event;
  while (!glfwWindowShouldClose(window)) {
    if (frames_due > 0)
      glfwPollEvents();
    else if (app.busy())
      glfwWaitEventsTimeout(busy_interval);
    else if (const double due = app.due_in(); due >= 0)
      glfwWaitEventsTimeout(std::max(due, min_wait));
    else
      glfwWaitEvents();
    frames_due = frames_due > 0 ? frames_due - 1 : frames_after_event;
    draw_frame(window, app, renderer);
  }
}

}  // namespace

bool run_window(const std::function<std::unique_ptr<Session>(std::function<void()> wake)>& start,
                const WindowFiles& files, std::string& reason) {
  Glfw glfw;
  if (!glfw.start(reason)) return false;
  const WindowHandle window = open_window();
  if (!window) {
    reason = Glfw::last_error();
    return false;
  }
  const ImGuiContextGuard imgui;
  const Platform platform(window.get());
  GlRenderer renderer;
  const session::Waker waker([] { glfwPostEmptyEvent(); });
  const std::unique_ptr<Session> session = start(waker.function());
  App app(*session, make_gl_textures());
  if (!files.session.empty()) app.keep_session(files.session);
  if (!files.open.empty()) app.open_path(files.open);
  glfwSetWindowUserPointer(window.get(), &app);
  glfwSetDropCallback(window.get(), take_dropped_files);
  run_loop(window.get(), app, renderer);
  return true;
}

}  // namespace orrery::shell
