// How long a file of sound lasts.
#pragma once

#include <cstdint>
#include <string_view>

namespace models::media_api {

// Seconds, rounded up. WAV, FLAC, MP3, Ogg (Opus and Vorbis) and MP4 say it; of other files, and of those that cannot
// be read, the longest that their bytes can last. At least 1.
std::int64_t seconds_of_sound(std::string_view file);

}  // namespace models::media_api
