// How requests are counted: by row, by a label that several rows share, and their times by class.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "web/metrics.h"

namespace web {

inline bool is_beneath(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

// The label of rows with few requests, which are counted together; empty: the row has counters of its own.
inline std::string_view shared_label(std::string_view path) {
  for (const std::string_view label : {"/.well-known", "/oauth", "/assets"})
    if (is_beneath(path, label)) return label;
  return {};
}

// Times are kept by class and not by route: a histogram has twenty lines, and there are hundreds of routes.
enum class TimeClass : std::uint8_t { read, write, stream, other };
inline constexpr std::array<std::string_view, 4> time_class_names{"read", "write", "stream", "other"};

// The counters of a row, or of a label without one.
struct RouteMetrics {
  RouteMetrics(std::string_view m, std::string_view r, TimeClass c) : method(m), route(r), time_class(c) {}
  bool is_unused() const {
    return std::ranges::all_of(by_status, [](const Counter& one) { return one.value() == 0; });
  }
  std::string_view method, route;  // view the row
  TimeClass time_class;
  std::array<Counter, 5> by_status;  // 1xx to 5xx
};

}  // namespace web
