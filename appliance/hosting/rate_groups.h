// Rate limits that several capabilities of this module share. Routes of one group count together.
#pragma once

#include "web/routes/route.h"

namespace hosting {

inline const web::RateLimit agents_rate{.group = "agents", .limit = 100};
inline const web::RateLimit instance_rate{.group = "instance", .limit = 30};
inline const web::RateLimit actions_rate{.group = "agent-actions", .limit = 60};
inline const web::RateLimit chat_rate{.group = "chat", .limit = 60};

}  // namespace hosting
