// The form of a server's question to the owner (elicitation).
#pragma once

#include <boost/json/object.hpp>

#include "web/result.h"

namespace mcp_servers {

// Whether `content` fits the flat schema of the question: its fields are text, numbers, yes or no, and choices.
// invalid, naming the field ("content.name").
web::Result<void> check_content(const boost::json::object& schema, const boost::json::object& content);

}  // namespace mcp_servers
