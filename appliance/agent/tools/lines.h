// Long texts in parts: lines with their numbers.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string_view>

#include "web/result.h"

namespace agent_process {

// Of one part; it also ends after some 24 KB.
inline constexpr std::int64_t max_part_lines = 2'000;

// {lines: all of the text, content: the part from the line `from` (1 is the first), next_line?}; each line has its
// number and a tab before it, and is cut after 4,000 bytes. invalid when `from` is beyond the end.
web::Result<boost::json::object> numbered_lines(std::string_view text, std::int64_t from, std::int64_t lines);

}  // namespace agent_process
