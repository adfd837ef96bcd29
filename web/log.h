// Structured logs: one JSON object a line on stderr, over spdlog. Values never hold secrets: what may hold one is not
// logged. Callable from every thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace web::log {

enum class Level { debug, info, warning, error };

struct Field {
  std::string_view name;
  std::variant<std::string, std::int64_t, double, bool> value;
};

// From this level on lines are written. The default is info.
void set_level(Level);
// Whether lines of that level are written: ask before an expensive one is put together.
bool enabled(Level);
// Lines lost because stderr did not take them quickly enough: logging never holds up a network thread.
std::uint64_t dropped();
void write(Level, std::string_view event, std::initializer_list<Field> fields = {});

inline void info(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::info, event, fields);
}
inline void warning(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::warning, event, fields);
}
inline void error(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::error, event, fields);
}
inline void debug(std::string_view event, std::initializer_list<Field> fields = {}) {
  write(Level::debug, event, fields);
}

}  // namespace web::log
