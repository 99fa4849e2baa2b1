#include "app/gui/renderer.h"

#include <GL/gl.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <stdexcept>

namespace orrery::gui {

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
  static_cast<void>(new_fonts);
  ImGui_ImplOpenGL3_NewFrame();
}

void GlRenderer::draw(int width, int height) {
  const ImVec4 ground = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
  glViewport(0, 0, width, height);
  glClearColor(ground.x, ground.y, ground.z, 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace orrery::gui
