// How log lines look.
#pragma once

#include <cstdint>

namespace web::log {

enum class Format : std::uint8_t {
  json,    // an object a line, for programs
  text,    // a readable line: time, level, event, name=value
  colours  // the same with the colours of a terminal
};

// The default is json. Callable from every thread.
void set_format(Format);

}  // namespace web::log
