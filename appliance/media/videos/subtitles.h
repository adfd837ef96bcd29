// The texts of a video as a subtitle script (Advanced SubStation Alpha), which libass shapes and draws: any script,
// with the fonts that are installed, in either direction.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/media/videos/screenplay.h"

namespace videos {

inline constexpr int picture_width = 1280, picture_height = 720;

// The text as it is shown, whatever it contains: nothing in it is an override tag or ends its line.
std::string escaped(std::string_view text);

std::string subtitles_of(const std::vector<Scene>&);

}  // namespace videos
