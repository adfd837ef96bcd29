#include "appliance/media/videos/screenplay.h"

#include <algorithm>

#include "appliance/media/videos/text_layout.h"

namespace videos {

namespace {

constexpr std::size_t max_text_per_scene = 220, max_text_scenes = 5;
constexpr Seconds shortest_scene{3}, pause_after_narration{0.8};
constexpr double characters_per_second = 15;  // of a reader

Scene closing(const std::string& title) { return {.label = {}, .title = title, .text = {}, .narration = {}}; }

void add_texts(std::vector<Scene>& scenes, const std::string& text, bool shows_picture) {
  for (auto& part : split_text(text, max_text_per_scene, max_text_scenes))
    scenes.push_back({.label = {}, .title = {}, .text = part, .narration = part, .shows_picture = shows_picture});
}

Seconds needed(const Scene& scene) {
  const auto characters = double(count_characters(scene.title) + count_characters(scene.text));
  const Seconds read = Seconds(1.5) + Seconds(characters / characters_per_second);
  const Seconds heard = scene.spoken.count() > 0 ? scene.spoken + pause_after_narration : Seconds(0);
  return std::max({shortest_scene, read, heard});
}

}  // namespace

std::vector<Scene> scenes_of(const Order& order) {
  std::vector<Scene> scenes;
  switch (order.kind) {
    case Kind::demo:
      scenes.push_back({.label = "AI agent", .title = order.title, .text = {}, .narration = order.title});
      add_texts(scenes, order.text, false);
      scenes.push_back(closing(order.title));
      break;
    case Kind::marketing:
      scenes.push_back({.label = {}, .title = order.title, .text = {}, .narration = order.title});
      for (const auto& feature : order.points)
        scenes.push_back({.label = order.title, .title = {}, .text = feature, .narration = feature});
      if (order.points.size() < 10) scenes.push_back(closing(order.title));
      break;
    case Kind::screenshot:
      add_texts(scenes, order.text, true);
      break;
    case Kind::tutorial:
      scenes.push_back({.label = "Tutorial", .title = order.title, .text = {}, .narration = order.title});
      for (std::size_t at = 0; at < order.points.size(); ++at) {
        const std::string number = std::to_string(at + 1);
        scenes.push_back({.label = number + " / " + std::to_string(order.points.size()),
                          .title = {},
                          .text = order.points[at],
                          .narration = number + ". " + order.points[at]});
      }
      break;
  }
  return scenes;
}

Seconds total_length(const std::vector<Scene>& scenes) {
  Seconds total{0};
  for (const auto& scene : scenes) total += scene.length;
  return total;
}

void set_lengths(std::vector<Scene>& scenes, const Order& order) {
  for (auto& scene : scenes) scene.length = needed(scene);
  const Seconds natural = total_length(scenes);
  const Seconds wanted = order.seconds ? Seconds(*order.seconds) : std::clamp(natural, shortest_video, longest_video);
  const double factor = wanted / natural;
  for (auto& scene : scenes) scene.length *= factor;
  // Scenes of a very short video would be too short to be seen; transitions take half a second.
  for (auto& scene : scenes) scene.length = std::max(scene.length, Seconds(0.7));
}

}  // namespace videos
