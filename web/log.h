// Structured logs: one JSON object per line on stderr, over spdlog. Events are named in snake_case. Values never
// contain secrets. Callable from every thread.
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

// Sets the lowest level that is written. The default is info.
void set_level(Level);
// Whether lines of that level are written; check it before building an expensive line.
bool enabled(Level);
// Lines dropped because stderr was too slow; logging never blocks a network thread.
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
