#include "appliance/access/sessions.h"

#include <array>
#include <utility>

namespace accounts {

namespace {

using Names = std::pair<std::string_view, std::string_view>;  // a mark in the text, and what it stands for

// In this order: most browsers also name those whose pages they want to be served.
constexpr std::array<Names, 9> browsers{{{"Edg", "Edge"},
                                         {"OPR/", "Opera"},
                                         {"SamsungBrowser/", "Samsung Internet"},
                                         {"Firefox/", "Firefox"},
                                         {"FxiOS/", "Firefox"},
                                         {"CriOS/", "Chrome"},
                                         {"Chrome/", "Chrome"},
                                         {"Safari/", "Safari"},
                                         {"curl/", "curl"}}};
constexpr std::array<Names, 7> systems{{{"iPhone", "iPhone"},
                                        {"iPad", "iPad"},
                                        {"Android", "Android"},
                                        {"CrOS", "ChromeOS"},
                                        {"Windows", "Windows"},
                                        {"Mac OS X", "macOS"},
                                        {"Linux", "Linux"}}};

template <std::size_t size>
std::string_view name_in(std::string_view text, const std::array<Names, size>& names) {
  for (const auto& [mark, name] : names)
    if (text.find(mark) != std::string_view::npos) return name;
  return {};
}

}  // namespace

std::string browser_name(std::string_view user_agent) {
  if (user_agent.empty()) return {};
  const auto browser = name_in(user_agent, browsers), system = name_in(user_agent, systems);
  std::string name(browser.empty() ? "another program" : browser);
  if (!system.empty()) name.append(" on ").append(system);
  return name;
}

}  // namespace accounts
