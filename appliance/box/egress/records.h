// What left the box: connections to the outside, added up by hour.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <string>

#include "store/store.h"
#include "store/table.h"

namespace egress {

struct HourLine {
  std::string id;      // the hour's number in seconds (ten digits), "/", and a digest of the members up to `setting`
  store::Time hour{};  // its beginning
  std::string part;    // of the box: models, mail, git, ...
  std::int64_t user_id = 0;
  std::string agent_id;
  std::string host;  // "*" with port 0: destinations beyond the bound of an hour, added up
  std::int64_t port = 0;
  std::string setting;  // that admitted it, or refused it
  std::int64_t calls = 0, refused = 0, bytes_out = 0, bytes_in = 0;
};
BOOST_DESCRIBE_STRUCT(HourLine, (),
                      (id, hour, part, user_id, agent_id, host, port, setting, calls, refused, bytes_out, bytes_in))

inline const store::Global<HourLine> lines{
    {.family = "egress", .number = 165}, &HourLine::id, {store::index<HourLine>(1, "hour", &HourLine::hour)}};

}  // namespace egress
