// Closes this machine, its networks and cloud metadata to containers, by packet filter rules of a chain of the box's
// own. They are in the table mangle, where packets arrive, so they hold whatever the Docker Engine and other programs
// put into the table filter, and cover what is forwarded as well as this machine's own listeners. They stay while
// containers run without the box.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "web/result.h"

namespace runtime::docker {

// What containers on the box's two bridges may reach. Interfaces need not exist yet.
struct Openings {
  std::string web_bridge;                 // public addresses and name servers; everything if `lan_is_open`
  std::string closed_bridge;              // only the box
  std::string gateway;                    // where the box listens for agents, IPv4
  std::vector<std::uint16_t> ports;       // of that address: the agent listener, and the proxy if there is one
  std::vector<std::string> name_servers;  // IPv4
  bool lan_is_open = false;

  bool operator==(const Openings&) const = default;
};

// The chain as text for iptables-restore --noflush, which replaces it at once. There is none for IPv6, of which
// everything is dropped: the box's networks have no such addresses.
std::string filter_text(const std::string& chain, const Openings&);
std::string filter_text_of_ipv6(const std::string& chain, const Openings&);

// Name servers that containers ask directly: those of this text of resolv.conf(5), without loopback addresses, which
// the engine asks for them.
std::vector<std::string> name_servers_in(std::string_view resolv_conf);
std::vector<std::string> name_servers_here();

class PacketFilter {
 public:
  // `box` as in Names.
  explicit PacketFilter(const std::string& box) : chain_("AGENTBOX-" + box.substr(0, 12)) {}

  // Why this process cannot have rules; empty if it can.
  static std::string why_not();
  // Puts the rules in, or makes sure that they are still there. Blocks for some 20 milliseconds; thread-safe.
  web::Result<void> apply(const Openings&);
  // Removes what this box, or an earlier process of it, put in. Blocks; thread-safe.
  void remove();

 private:
  void unhook(const std::string& program);

  const std::string chain_;
  std::mutex mutex_;  // one change at a time
};

}  // namespace runtime::docker
