#include "appliance/hosting/agents/egress.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cctype>
#include <optional>

namespace agents {

namespace {

constexpr std::size_t most_hosts = 100, longest_host = 253;

std::optional<std::string> host_name(const boost::json::value& value) {
  const auto* text = value.if_string();
  if (!text || text->empty() || text->size() > longest_host || *text == "." || text->back() == '.') return std::nullopt;
  std::string name(*text);
  const auto is_part_of_a_name = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.' || c == '_'; };
  if (!std::ranges::all_of(name, is_part_of_a_name)) return std::nullopt;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

web::Result<Egress> read_egress(const boost::json::object& config) {
  const auto* given = config.if_contains("egress");
  if (!given) return Egress{};
  if (const auto* text = given->if_string()) {
    if (*text == "web") return Egress{};
    if (*text == "none") return Egress{.kind = Egress::Kind::none, .hosts = {}};
  }
  const auto* list = given->if_array();
  if (!list || list->size() > most_hosts)
    return web::invalid("config.egress must be web, none, or a list of at most 100 host names");
  Egress egress{.kind = Egress::Kind::list, .hosts = {}};
  for (std::size_t index = 0; index < list->size(); ++index) {
    auto host = host_name((*list)[index]);
    if (!host)
      return web::invalid("config.egress[" + std::to_string(index) +
                          "] must be a host name, such as example.org or .example.org");
    egress.hosts.push_back(std::move(*host));
  }
  return egress;
}

}  // namespace agents
