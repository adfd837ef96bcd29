#include "web/admission/cross_origin.h"

#include <algorithm>

#include "web/ascii.h"

namespace web {

namespace {

// Those of Streamable HTTP (MCP), and of OAuth's clients.
constexpr auto sent_headers =
    "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name";
constexpr auto read_headers = "Mcp-Session-Id, WWW-Authenticate, Retry-After";

bool covers(const CrossOrigin& known, const Request& request) {
  return !known.origins.empty() && std::ranges::find(known.paths, request.path) != known.paths.end();
}

}  // namespace

bool admits(const CrossOrigin& known, const Request& request) {
  return covers(known, request) &&
         std::ranges::find(known.origins, lower_case(request.header("Origin"))) != known.origins.end();
}

void add_cross_origin(const CrossOrigin& known, const Request& request, Response& response) {
  if (!covers(known, request)) return;
  response.set("Vary", "Origin");
  if (!admits(known, request)) return;
  response.set("Access-Control-Allow-Origin", std::string(request.header("Origin")));
  if (request.method != Method::options) {
    response.set("Access-Control-Expose-Headers", read_headers);
    return;
  }
  const auto allow = std::ranges::find(response.headers, "Allow", &std::pair<std::string, std::string>::first);
  if (allow != response.headers.end()) response.set("Access-Control-Allow-Methods", std::string(allow->second));
  response.set("Access-Control-Allow-Headers", sent_headers).set("Access-Control-Max-Age", "600");
}

}  // namespace web
