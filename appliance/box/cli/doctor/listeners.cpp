#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fstream>

#include "appliance/box/cli/doctor/checks.h"

namespace agentbox::cli::doctor {

namespace {

using boost::asio::ip::tcp;

// "[::1]:3000" in its two parts.
std::pair<std::string, std::string> host_and_port(const std::string& address) {
  const auto colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, address.substr(colon + 1)};
}

Finding check_free(const std::string& check, const std::string& setting, const std::string& address) {
  const auto [host, port] = host_and_port(address);
  boost::asio::io_context io;
  boost::system::error_code failure;
  const auto found = tcp::resolver(io).resolve(host, port, tcp::resolver::passive, failure);
  if (failure || found.empty())
    return {check, Level::problem, host + " is no address of this machine: " + failure.message(), "change " + setting};
  const tcp::endpoint endpoint = *found.begin();
  tcp::acceptor socket(io);
  socket.open(endpoint.protocol(), failure);
  if (!failure) socket.set_option(tcp::acceptor::reuse_address(true), failure);
  if (!failure) socket.bind(endpoint, failure);
  if (!failure) socket.listen(1, failure);
  if (!failure) return {check, Level::ok, address + " is free", {}};
  if (failure == boost::asio::error::address_in_use)
    return {check, Level::problem, address + " is used by another program",
            "ss -ltnp 'sport = :" + port + "' shows which; stop it, or change " + setting};
  if (failure == boost::asio::error::access_denied)
    return {check, Level::problem, "this user may not listen on " + address,
            "use a port of 1024 or above, systemd's socket activation, or CAP_NET_BIND_SERVICE"};
  return {check, Level::problem, address + ": " + failure.message(), "change " + setting};
}

Finding check_agent_ports(const Settings& settings) {
  const std::string check = "agents' ports";
  const auto range = std::to_string(settings.agent_port_first) + "-" + std::to_string(settings.agent_port_last);
  std::ifstream input("/proc/sys/net/ipv4/ip_local_port_range");
  unsigned first = 0, last = 0;
  if (input >> first >> last && first <= settings.agent_port_last && last >= settings.agent_port_first)
    return {check, Level::warning, range + " overlaps with the ports of outgoing connections",
            "choose an AGENT_PORT_RANGE outside of " + std::to_string(first) + "-" + std::to_string(last)};
  return {check, Level::ok, range, {}};
}

}  // namespace

Findings check_listeners(const Settings& settings, bool is_running) {
  Findings findings;
  if (is_running) {
    findings.push_back({"box", Level::ok, "it runs and answers", {}});
  } else {
    findings.push_back({"box", Level::note, "it does not run", "agentbox serve --data " + settings.data.string()});
    findings.push_back(check_free("web listener", "WEB_LISTEN", settings.web_listen));
    findings.push_back(check_free("backend listener", "BACKEND_LISTEN", settings.backend_listen));
    findings.push_back(check_free("summarizer listener", "SUMMARIZER_LISTEN", settings.summarizer_listen));
  }
  findings.push_back(check_agent_ports(settings));
  return findings;
}

}  // namespace agentbox::cli::doctor
