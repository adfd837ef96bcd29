// The capabilities of this module. What each is built of is in the *_capabilities.cpp beside this file.
#include "appliance/hosting/capabilities.h"

namespace agents {
hosting::Capability capability();
}

namespace agent_administration {
hosting::Capability capability();
}

namespace plan_egress {
hosting::Capability capability();
}

namespace watchdog {
hosting::Capability capability();
}

namespace deployments {
hosting::Capability capability();
}

namespace cloning {
hosting::Capability capability();
}

namespace logs {
hosting::Capability capability();
}

namespace chat {
hosting::Capability capability();
}

namespace sharing {
hosting::Capability capability();
}

namespace gate {
hosting::Capability capability();
}

namespace agent_actions {
hosting::Capability capability();
}

namespace memory {
hosting::Capability capability();
}

namespace uploads {
hosting::Capability capability();
}

namespace agent_files {
hosting::Capability capability();
hosting::Capability capability_for_builders();
}  // namespace agent_files

namespace templates {
hosting::Capability capability();
}

namespace image_catalogue {
hosting::Capability capability();
}

namespace mcp_servers {
hosting::Capability capability();
}

namespace commands {
hosting::Capability capability();
}

namespace terminals {
hosting::Capability capability();
}

namespace browser {
hosting::Capability capability();
}

namespace credentials {
hosting::Capability capability();
}

namespace schedule {
hosting::Capability capability();
}

namespace channels {
hosting::Capability capability();
}

namespace notices {
hosting::Capability capability();
}

namespace web_search {
hosting::Capability capability();
}

namespace heartbeat {
hosting::Capability capability();
}

namespace installations {
hosting::Capability capability();
}

namespace storage_watch {
hosting::Capability capability();
}

namespace usage_history {
hosting::Capability capability();
}

namespace plan_limits {
hosting::Capability capability();
}

namespace hosting {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::agents::capability(),
      ::agent_administration::capability(),
      ::plan_egress::capability(),
      ::watchdog::capability(),
      ::deployments::capability(),
      ::cloning::capability(),
      ::logs::capability(),
      ::chat::capability(),
      ::sharing::capability(),
      ::gate::capability(),
      ::agent_actions::capability(),
      ::memory::capability(),
      ::uploads::capability(),
      ::agent_files::capability(),
      ::agent_files::capability_for_builders(),
      ::templates::capability(),
      ::image_catalogue::capability(),
      ::mcp_servers::capability(),
      ::commands::capability(),
      ::terminals::capability(),
      ::browser::capability(),
      ::credentials::capability(),
      ::schedule::capability(),
      ::notices::capability(),
      ::web_search::capability(),
      ::heartbeat::capability(),
      ::installations::capability(),
      ::storage_watch::capability(),
      ::usage_history::capability(),
      ::plan_limits::capability(),
      ::channels::capability(),
  };
}

}  // namespace hosting
