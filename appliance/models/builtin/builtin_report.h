// The builtin model's report of a tool's result.
#pragma once

#include <string>
#include <string_view>

namespace models {

// `arguments` and `result` are JSON objects as text. A result with "error" is reported as an error, unknown shapes by
// their best sentences. Returns at most a few kilobytes.
std::string report_tool_result(std::string_view tool, std::string_view arguments, std::string_view result);

}  // namespace models
