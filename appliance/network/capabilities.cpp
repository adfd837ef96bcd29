// The capabilities of this module. What each is built of is in the *_capabilities.cpp beside this file.
#include "appliance/network/capabilities.h"

namespace fleet {
network::Capability capability();
}

namespace traces {
network::Capability capability();
}

namespace otlp {
network::Capability capability();
}

namespace colony {
network::Capability capability();
}

namespace platform_metrics {
network::Capability capability();
}

namespace skills {
network::Capability capability();
}

namespace swarms {
network::Capability capability();
}

namespace bus_keys {
network::Capability capability();
}

namespace bus {
network::Capability capability();
}

namespace events {
network::Capability capability();
}

namespace negotiation {
network::Capability capability();
}

namespace amplification {
network::Capability capability();
}

namespace a2a {
network::Capability capability();
}

namespace hosting_mcp {
network::Capability capability();
}

namespace data_feeds {
network::Capability capability();
}

namespace email_in {
network::Capability capability();
}

namespace mcp_authorization {
network::Capability capability();
}

namespace mcp_server {
network::Capability capability();
}

namespace network {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::fleet::capability(),
      ::traces::capability(),
      ::otlp::capability(),
      ::colony::capability(),
      ::platform_metrics::capability(),
      ::skills::capability(),
      ::swarms::capability(),
      ::bus_keys::capability(),
      ::bus::capability(),
      ::events::capability(),
      ::negotiation::capability(),
      ::amplification::capability(),
      ::a2a::capability(),
      ::hosting_mcp::capability(),
      ::data_feeds::capability(),
      ::email_in::capability(),
      ::mcp_authorization::capability(),
      ::mcp_server::capability(),
  };
}

}  // namespace network
