#include "appliance/foundation/settings/setting_types.h"

#include <algorithm>
#include <map>

#include "appliance/foundation/settings/whole_number.h"
#include "web/ascii.h"
#include "web/protocol/byte_table.h"

namespace agentbox::setting_types {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto item = web::trim(std::string_view(text).substr(begin, end - begin));
    if (!item.empty()) items.emplace_back(item);
    begin = end + 1;
  }
  return items;
}

Problem host_and_port(const std::string& value) {
  const auto colon = value.rfind(':');
  if (colon == std::string::npos || colon == 0 || !whole_number(std::string_view(value).substr(colon + 1), 0, 65535))
    return "must be host:port, such as 127.0.0.1:3000 (port 0 picks a free one)";
  return {};
}

Problem http_url(const std::string& value) {
  if (value.empty() || value.starts_with("http://") || value.starts_with("https://")) return {};
  return "must begin with http:// or https://";
}

template <class Duration>
Setting duration(std::string name, Duration Settings::*member, std::string unit, std::uint64_t lowest,
                 std::uint64_t highest, std::string help) {
  Setting setting = row(std::move(name), std::move(unit), std::move(help));
  setting.assign = [=](Settings& settings, const std::string& value) -> Problem {
    const auto count = whole_number(value, lowest, highest);
    if (!count) return range(lowest, highest);
    settings.*member = Duration(*count);
    return {};
  };
  setting.show = [member](const Settings& settings) { return std::to_string((settings.*member).count()); };
  return setting;
}

// "120", "120s", "2m", "1h", "7d", "500ms"; nothing for anything else and for what is out of bounds.
std::optional<std::chrono::milliseconds> time_of(const std::string& value, std::chrono::milliseconds lowest,
                                                 std::chrono::milliseconds highest) {
  const auto unit_at = std::min(value.find_first_not_of("0123456789"), value.size());
  const auto unit = value.substr(unit_at);
  const auto count = whole_number(value.substr(0, unit_at), 0, 1'000'000'000);
  const std::map<std::string, int> milliseconds{{"", 1'000},   {"ms", 1},        {"s", 1'000},
                                                {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
  const auto known = milliseconds.find(unit);
  if (!count || known == milliseconds.end()) return {};
  const std::chrono::milliseconds time(*count * std::uint64_t(known->second));
  return time < lowest || time > highest ? std::nullopt : std::optional(time);
}

std::string shown(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) : std::to_string(time.count()) + "ms";
}

}  // namespace

Setting row(std::string name, std::string type, std::string help) {
  const std::string key = web::lower_case(name);
  std::string flag = key;
  std::ranges::replace(flag, '_', '-');
  return {.name = std::move(name),
          .type = std::move(type),
          .help = std::move(help),
          .flag = std::move(flag),
          .key = key,
          .assign = {},
          .show = {}};
}

Setting text(std::string name, std::string Settings::*member, std::string help, std::string type) {
  Setting setting = row(std::move(name), std::move(type), std::move(help));
  setting.assign = [member](Settings& settings, const std::string& value) -> Problem {
    settings.*member = value;
    return {};
  };
  setting.show = [member](const Settings& settings) { return settings.*member; };
  return setting;
}

Setting secret(std::string name, std::string Settings::*member, std::string help) {
  Setting setting = text(std::move(name), member, std::move(help), "secret");
  setting.secret = true;
  return setting;
}

Setting checked(Setting setting, std::function<Problem(const std::string&)> check) {
  setting.assign = [check = std::move(check), store = std::move(setting.assign)](Settings& settings,
                                                                                 const std::string& value) -> Problem {
    if (auto problem = check(value)) return problem;
    return store(settings, value);
  };
  return setting;
}

Setting address(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "host:port"), host_and_port);
}

Setting optional_address(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "host:port"),
                 [](const std::string& value) { return value.empty() ? Problem() : host_and_port(value); });
}

Setting url(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "URL"), http_url);
}

Setting secret_url(std::string name, std::string Settings::*member, std::string help) {
  return checked(secret(std::move(name), member, std::move(help)), http_url);
}

Setting domain(std::string name, std::string Settings::*member, std::string help) {
  return checked(text(std::move(name), member, std::move(help), "domain"), [](const std::string& value) -> Problem {
    const auto is_allowed = [](char c) {
      return web::is_alphanumeric(static_cast<unsigned char>(c)) || c == '-' || c == '.';
    };
    if (!value.empty() && std::ranges::all_of(value, is_allowed) && value.front() != '.') return {};
    return "must be a domain, such as agents.example.org";
  });
}

Setting choice(std::string name, std::string Settings::*member, std::vector<std::string> choices, std::string help) {
  std::string type = web::join(choices, "|");
  return checked(text(std::move(name), member, std::move(help), type),
                 [choices = std::move(choices)](const std::string& value) -> Problem {
                   if (std::ranges::find(choices, value) != choices.end()) return {};
                   return "must be one of: " + web::join(choices, ", ");
                 });
}

Setting boolean(std::string name, bool Settings::*member, std::string help) {
  Setting setting = row(std::move(name), "on|off", std::move(help));
  setting.assign = [member](Settings& settings, const std::string& value) -> Problem {
    const std::string lower = web::lower_case(value);
    const bool on = lower == "on" || lower == "true" || lower == "1" || lower == "yes";
    const bool off = lower == "off" || lower == "false" || lower == "0" || lower == "no";
    if (!on && !off) return "must be on or off";
    settings.*member = on;
    return {};
  };
  setting.show = [member](const Settings& settings) { return settings.*member ? "on" : "off"; };
  return setting;
}

Setting count(std::string name, unsigned Settings::*member, unsigned lowest, unsigned highest, std::string help) {
  Setting setting = row(std::move(name), "number", std::move(help));
  setting.assign = [=](Settings& settings, const std::string& value) -> Problem {
    const auto number = whole_number(value, lowest, highest);
    if (!number) return range(lowest, highest);
    settings.*member = static_cast<unsigned>(*number);
    return {};
  };
  setting.show = [member](const Settings& settings) { return std::to_string(settings.*member); };
  return setting;
}

Setting folder(std::string name, std::filesystem::path Settings::*member, std::string help) {
  Setting setting = row(std::move(name), "folder", std::move(help));
  setting.assign = [member](Settings& settings, const std::string& value) -> Problem {
    settings.*member = value;
    return {};
  };
  setting.show = [member](const Settings& settings) { return (settings.*member).string(); };
  return setting;
}

Setting seconds(std::string name, std::chrono::seconds Settings::*member, std::uint64_t lowest, std::uint64_t highest,
                std::string help) {
  return duration(std::move(name), member, "seconds", lowest, highest, std::move(help));
}

Setting milliseconds(std::string name, std::chrono::milliseconds Settings::*member, std::uint64_t lowest,
                     std::uint64_t highest, std::string help) {
  return duration(std::move(name), member, "milliseconds", lowest, highest, std::move(help));
}

Setting time_span(std::string name, std::chrono::milliseconds Settings::*member, std::chrono::milliseconds lowest,
                  std::chrono::milliseconds highest, std::string help) {
  Setting setting = row(std::move(name), "seconds, or 500ms, 5s, 2m, 1h, 7d", std::move(help));
  setting.assign = [=](Settings& settings, const std::string& value) -> Problem {
    const auto time = time_of(value, lowest, highest);
    if (!time)
      return "must be a time such as 90, 500ms, 5s, 2m, 1h or 7d, from " + std::to_string(lowest.count()) + "ms to " +
             shown(highest) + "s";
    settings.*member = *time;
    return {};
  };
  setting.show = [member](const Settings& settings) { return shown(settings.*member); };
  return setting;
}

Setting list(std::string name, std::vector<std::string> Settings::*member, std::string type, std::string help,
             std::function<std::optional<std::string>(const std::string&)> normalise, std::string problem) {
  Setting setting = row(std::move(name), std::move(type), std::move(help));
  setting.assign = [=](Settings& settings, const std::string& value) -> Problem {
    std::vector<std::string> items;
    for (const auto& item : split(value)) {
      auto normal = normalise(item);
      if (!normal) return "'" + item + "' " + problem;
      items.push_back(std::move(*normal));
    }
    settings.*member = std::move(items);
    return {};
  };
  setting.show = [member](const Settings& settings) { return web::join(settings.*member, ","); };
  return setting;
}

}  // namespace agentbox::setting_types
