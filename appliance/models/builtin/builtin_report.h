// How the builtin model tells what a tool brought back.
#pragma once

#include <string>
#include <string_view>

namespace models {

// `arguments` and `result` are JSON objects as text, as the tool protocol carries them; a result with "error" is told
// as one. Anything else is told by its best sentences. At most a few kilobytes.
std::string report_tool_result(std::string_view tool, std::string_view arguments, std::string_view result);

}  // namespace models
