// Pictures that users name: fetched, and looked at before any decoder sees them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "web/result.h"
#include "web/task.h"

namespace videos {

struct Picture {
  std::string bytes;
  std::string demuxer;  // of ffmpeg, so that it need not guess
  unsigned width = 0, height = 0;
};

// A PNG, JPEG, GIF or WebP of at most 40 megapixels, by its own header. invalid for anything else.
web::Result<Picture> look_at(std::string bytes);

// Fetches from public addresses, or from any if `allow_private`. invalid, without a reason that would reveal other
// hosts' answers, unless a picture comes back: at most 10 MB, within 15 seconds.
web::Task<web::Result<Picture>> fetch_picture(std::string url, bool allow_private);

}  // namespace videos
