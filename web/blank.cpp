#include "web/blank.h"

#include "web/utf8.h"

namespace web {
namespace {

// Unicode's White_Space, and the byte-order mark, which JSON Schema's \s takes for one as well.
bool is_space(char32_t point) {
  return (point >= 0x09 && point <= 0x0D) || point == 0x20 || point == 0x85 || point == 0xA0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 || point == 0x202F ||
         point == 0x205F || point == 0x3000 || point == 0xFEFF;
}

}  // namespace

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const auto [point, length] = decode_utf8(text);
    if (length == 0 || !is_space(point)) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace web
