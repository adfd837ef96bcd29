#include "web/admission/trusted_proxies.h"

#include <algorithm>
#include <stdexcept>

#include "web/ascii.h"

namespace web {

namespace ip = boost::asio::ip;
using boost::system::error_code;

namespace {

bool inside(const ip::network_v4& network, const ip::address_v4& address) {
  return (address.to_uint() & network.netmask().to_uint()) == network.network().to_uint();
}

bool inside(const ip::network_v6& network, const ip::address_v6& address) {
  return ip::network_v6(address, network.prefix_length()).network() == network.network();
}

// An address as proxies write it: sometimes with a port, and then IPv6 in brackets.
std::optional<ip::address> parse_hop(std::string_view hop) {
  if (hop.starts_with('[')) {
    hop = hop.substr(1, hop.find(']') == std::string_view::npos ? 0 : hop.find(']') - 1);
  } else if (std::count(hop.begin(), hop.end(), ':') == 1) {
    hop = hop.substr(0, hop.find(':'));
  }
  error_code error;
  auto address = ip::make_address(std::string(hop), error);
  if (error) return std::nullopt;
  return plain_address(address);
}

}  // namespace

ip::address plain_address(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  }
  return address;
}

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks) {
  for (auto& text : networks)
    if (!add(text))
      throw std::runtime_error("trusted proxy \"" + text + "\" is not an address or network (10.0.0.0/8)");
}

bool TrustedProxies::is_network(const std::string& text) {
  return TrustedProxies(std::vector<std::string>()).add(text);
}

bool TrustedProxies::add(const std::string& text) {
  error_code error;
  auto slash = text.find('/');
  auto address = ip::make_address(text.substr(0, slash), error);
  if (error) return false;
  auto cidr = slash == std::string::npos ? text + (address.is_v4() ? "/32" : "/128") : text;
  if (address.is_v4()) {
    auto network = ip::make_network_v4(cidr, error);
    if (!error) v4_.push_back(network.canonical());
  } else {
    auto network = ip::make_network_v6(cidr, error);
    if (!error) v6_.push_back(network.canonical());
  }
  return !error;
}

bool TrustedProxies::contains(const ip::address& address) const {
  if (address.is_v4()) {
    return std::any_of(v4_.begin(), v4_.end(), [&](auto& network) { return inside(network, address.to_v4()); });
  }
  return std::any_of(v6_.begin(), v6_.end(), [&](auto& network) { return inside(network, address.to_v6()); });
}

std::string TrustedProxies::client_of(const Request& request, const std::string& peer) const {
  auto client = peer;
  for (auto field = request.headers.rbegin(); field != request.headers.rend(); ++field) {
    if (!equal_ignoring_case(field->name, "x-forwarded-for")) continue;
    auto hops = field->value;
    while (!hops.empty()) {
      auto comma = hops.rfind(',');
      auto hop = parse_hop(trim(comma == std::string_view::npos ? hops : hops.substr(comma + 1)));
      if (!hop) return client;
      client = hop->to_string();
      if (!contains(*hop)) return client;
      hops = comma == std::string_view::npos ? std::string_view() : hops.substr(0, comma);
    }
  }
  return client;
}

bool TrustedProxies::secure(const Request& request) {
  for (auto field = request.headers.rbegin(); field != request.headers.rend(); ++field) {
    if (!equal_ignoring_case(field->name, "x-forwarded-proto")) continue;
    auto comma = field->value.rfind(',');
    auto last = comma == std::string_view::npos ? field->value : field->value.substr(comma + 1);
    return equal_ignoring_case(trim(last), "https");
  }
  return false;
}

}  // namespace web
