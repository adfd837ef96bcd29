// The arguments of ffmpeg for each step. All files are named relative to the folder in which it runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "appliance/media/videos/screenplay.h"

namespace videos {

// Files in the folder of a job. The narration of scene 3 is narration3.wav, spoken from narration3.txt.
inline constexpr std::string_view subtitles_file = "texts.ass", picture_file = "picture", still_file = "still.png",
                                  result_file = "video.mp4";
std::string narration_file(std::size_t scene);
std::string narration_text_file(std::size_t scene);

// Decodes a fetched picture into still.png: one frame that fills the space of zooms.
std::vector<std::string> still_arguments(const std::string& demuxer);

// Makes the video from the scenes. Reports its progress on standard output (-progress).
std::vector<std::string> video_arguments(const std::vector<Scene>&);

}  // namespace videos
