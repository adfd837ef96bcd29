#include "appliance/hosting/agents/egress.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>
#include <cctype>
#include <optional>

#include "web/ascii.h"

namespace agents {

namespace {

constexpr std::size_t max_hosts = 100, longest_host = 253;

std::optional<std::string> host_name(const boost::json::value& value) {
  const auto* text = value.if_string();
  if (!text || text->empty() || text->size() > longest_host || *text == "." || text->back() == '.') return std::nullopt;
  std::string name(*text);
  const auto is_part_of_a_name = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.' || c == '_'; };
  if (!std::ranges::all_of(name, is_part_of_a_name)) return std::nullopt;
  return web::lower_case(name);
}

// As summarizer/egress.h: ".example.org" stands for all names under example.org.
bool admits(const std::string& entry, const std::string& host) {
  return entry == host || (entry.starts_with('.') && host.ends_with(entry));
}

bool is_listed(const Egress& list, const std::string& host) {
  return std::ranges::any_of(list.hosts, [&](const std::string& entry) { return admits(entry, host); });
}

}  // namespace

web::Result<Egress> read_egress(const boost::json::object& config) {
  const auto* given = config.if_contains("egress");
  if (!given) return Egress{};
  return read_egress(*given, "config.egress");
}

web::Result<Egress> read_egress(const boost::json::value& given, const std::string& field) {
  if (const auto* text = given.if_string()) {
    if (*text == "web") return Egress{};
    if (*text == "none") return Egress{.kind = Egress::Kind::none, .hosts = {}};
  }
  const auto* list = given.if_array();
  if (!list || list->size() > max_hosts)
    return web::invalid(field + " must be web, none, or a list of at most 100 host names");
  Egress egress{.kind = Egress::Kind::list, .hosts = {}};
  for (std::size_t index = 0; index < list->size(); ++index) {
    auto host = host_name((*list)[index]);
    if (!host)
      return web::invalid(field + "[" + std::to_string(index) +
                          "] must be a host name, such as example.org or .example.org");
    egress.hosts.push_back(std::move(*host));
  }
  return egress;
}

boost::json::value shown(const Egress& egress) {
  if (egress.kind == Egress::Kind::web) return "web";
  if (egress.kind == Egress::Kind::none) return "none";
  return boost::json::value_from(egress.hosts);
}

bool covers(const Egress& bound, const Egress& egress) {
  if (bound.kind == Egress::Kind::web || egress.kind == Egress::Kind::none) return true;
  if (bound.kind == Egress::Kind::none || egress.kind == Egress::Kind::web) return false;
  return std::ranges::all_of(egress.hosts, [&](const std::string& host) { return is_listed(bound, host); });
}

Egress common(const Egress& bound, const Egress& egress) {
  if (covers(bound, egress)) return egress;
  if (covers(egress, bound)) return bound;
  // Two lists: the entries of each that the other has or spans.
  Egress both{.kind = Egress::Kind::list, .hosts = {}};
  for (const auto& host : egress.hosts)
    if (is_listed(bound, host)) both.hosts.push_back(host);
  for (const auto& host : bound.hosts)
    if (is_listed(egress, host) && std::ranges::find(both.hosts, host) == both.hosts.end()) both.hosts.push_back(host);
  return both;
}

}  // namespace agents
