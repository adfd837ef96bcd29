// Where sessions were begun, for the list of a user's sessions.
#pragma once

#include <boost/describe.hpp>
#include <string>
#include <string_view>

#include "store/table.h"

namespace accounts {

struct SessionOrigin {
  std::string id;          // of the session
  std::string user_agent;  // as the browser sent it, at most 500 bytes
  std::string address;
};
BOOST_DESCRIBE_STRUCT(SessionOrigin, (), (id, user_agent, address))

inline const store::Global<SessionOrigin> session_origins{
    {.family = "session_origins", .number = 142}, &SessionOrigin::id, {}};

// "Firefox on Linux", as well as a User-Agent tells; empty for an empty one, "another program" for an unknown one.
std::string browser_name(std::string_view user_agent);

}  // namespace accounts
