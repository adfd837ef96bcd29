// POST /api/agent-notices, where agents tell their owners something.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/notices/notices.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace notices {

// Must outlive the rows.
struct Services {
  Notices& notices;
};

struct NoticeRequest {
  web::Prose<1, 4'000> text;
  std::optional<web::Text<1, 100>> subject;
};
BOOST_DESCRIBE_STRUCT(NoticeRequest, (), (text, subject))

struct NoticeAnswer {
  std::string messageId;
  bool mailed = false;
  std::int64_t accounts = 0;  // on channels
};
BOOST_DESCRIBE_STRUCT(NoticeAnswer, (), (messageId, mailed, accounts))

std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace notices
