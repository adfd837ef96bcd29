// An order as scenes.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "appliance/media/videos/order.h"

namespace videos {

using Seconds = std::chrono::duration<double>;

struct Scene {
  std::string label;      // small, above the title: "Step 2"
  std::string title;      // may be empty
  std::string text;       // may be empty
  std::string narration;  // what is spoken; may be empty
  bool shows_picture = false;
  Seconds spoken{0};  // how long the narration takes
  Seconds length{0};
};

inline constexpr Seconds shortest_video{10}, longest_video{60};

// At least one scene, at most eleven; without their lengths.
std::vector<Scene> scenes_of(const Order&);

// Gives each scene the time that its texts and its narration need, and the whole a length of 10 to 60 seconds, or the
// one that was asked for. Narrations that are longer than their scene are cut off later.
void set_lengths(std::vector<Scene>&, const Order&);

Seconds total_length(const std::vector<Scene>&);

}  // namespace videos
