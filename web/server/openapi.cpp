// The OpenAPI 3.1 document, generated from the route table.
#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "web/ascii.h"
#include "web/routes/reply.h"
#include "web/server/server.h"

namespace web {
namespace {

namespace json = boost::json;

// "/api/agents/:id" as OpenAPI writes it, and the names of its parameters. OpenAPI cannot express ':name+'.
std::string path_template(std::string_view pattern, std::vector<std::string>& names) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] == ':' && at > 0 && pattern[at - 1] == '/') {
      const auto end = std::min(pattern.find('/', at), pattern.size());
      const bool takes_rest = pattern[end - 1] == '+';
      names.emplace_back(pattern.substr(at + 1, end - at - 1 - (takes_rest ? 1 : 0)));
      out += "{" + names.back() + "}";
      at = end;
    } else {
      out += pattern[at++];
    }
  }
  return out;
}

// "get_api_agents_id"
std::string operation_id(const Route& route) {
  std::string out = lower_case(to_string(route.method));
  for (const char c : route.path)
    if (c == '/' || c == '-' || c == '.')
      out += '_';
    else if (c != ':' && c != '+')
      out += c;
  return out;
}

// The name of a component: letters, digits, '.', '-' and '_'.
std::string scheme_key(std::string key) {
  std::ranges::replace(key, ' ', '_');
  std::erase_if(key, [](char c) { return !is_alphanumeric(c) && c != '_' && c != '-' && c != '.'; });
  return key;
}

// The security schemes of which one opens the guard, by key.
std::vector<std::pair<std::string, json::object>> schemes_of(const Guard& guard) {
  std::vector<std::pair<std::string, json::object>> schemes;
  const bool is_either = guard.scheme == "cookie or bearer";
  if (is_either || guard.scheme == "cookie")
    schemes.emplace_back(scheme_key(is_either ? "session" : guard.name),
                         json::object{{"type", "apiKey"}, {"in", "cookie"}, {"name", "app-session"}});
  if (is_either || guard.scheme == "bearer")
    schemes.emplace_back(scheme_key(guard.name),
                         json::object{{"type", "http"}, {"scheme", "bearer"}, {"description", guard.name}});
  return schemes;
}

const char* described(Kind kind) {
  switch (kind) {
    case Kind::invalid:
      return "Bad input; the message names the field";
    case Kind::unauthenticated:
      return "No valid credential";
    case Kind::payment_required:
      return "Not without a plan or a payment";
    case Kind::forbidden:
      return "Not for this caller";
    case Kind::not_found:
      return "Not found, or it belongs to another user";
    case Kind::conflict:
      return "Not as things are now";
    case Kind::too_large:
      return "More than is taken";
    case Kind::too_many:
      return "Too much; Retry-After says when to try again, where waiting helps";
    case Kind::abandoned:
      return "The client disconnected";
    case Kind::internal:
      return "It failed; the message says why as far as it concerns the caller";
    case Kind::bad_gateway:
      return "Another server answered badly or not at all";
    case Kind::unavailable:
      return "Not now; Retry-After says when to try again";
    case Kind::timeout:
      return "Another server gave no answer in time";
  }
  return "";
}

// The errors before the endpoint runs, and those it declares.
std::set<Kind> failures_of(const Route& route, bool has_params) {
  const Guard& guard = route.guard;
  const Endpoint& endpoint = route.endpoint;
  std::set<Kind> kinds(endpoint.failures.begin(), endpoint.failures.end());
  const bool has_body = static_cast<bool>(endpoint.body);
  if (has_body || endpoint.query_schema) kinds.insert(Kind::invalid);
  if (has_body || endpoint.stream_bytes > 0) kinds.insert(Kind::too_large);
  if (!guard.scheme.empty()) kinds.insert(Kind::unauthenticated);
  const bool reads_only = route.method == Method::get || route.method == Method::head;
  // Forged requests carry cookies, too (csrf.h).
  if (guard.forbids || (guard.scheme == "cookie" && !reads_only)) kinds.insert(Kind::forbidden);
  if (has_params) kinds.insert(Kind::not_found);
  return kinds;
}

json::object problem(const Route& route, const char* description) {
  json::value schema =
      route.endpoint.problem ? route.endpoint.problem() : json::object{{"$ref", "#/components/schemas/Error"}};
  json::object content;
  content["application/json"] = json::object{{"schema", std::move(schema)}};
  return {{"description", description}, {"content", std::move(content)}};
}

// A schema of a non-JSON body names its media type.
json::string media_type(const json::value& schema) {
  const auto* object = schema.if_object();
  const auto* named = object ? object->if_contains("contentMediaType") : nullptr;
  return named ? named->as_string() : json::string("application/json");
}

json::object answers(const Route& route, bool has_params) {
  json::object success{{"description", "Success"}};
  if (route.endpoint.answer) {
    auto schema = route.endpoint.answer();
    auto type = media_type(schema);
    success["content"] = json::object{{std::move(type), json::object{{"schema", std::move(schema)}}}};
  }
  json::object out;
  out[std::to_string(route.endpoint.success)] = std::move(success);
  for (const Kind kind : failures_of(route, has_params))
    out[std::to_string(http_status(kind))] = problem(route, described(kind));
  if (route.endpoint.body) out["415"] = problem(route, "The body's Content-Type is not application/json");
  if (route.rate) {
    auto limited = problem(route, route.rate->message.c_str());
    json::object headers;
    for (const auto* name : {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After"})
      headers[name] = json::object{{"schema", json::object{{"type", "integer"}}}};
    limited["headers"] = std::move(headers);
    out["429"] = std::move(limited);
  }
  out["default"] = problem(route, "Any other failure");
  return out;
}

json::array parameters(const Route& route, const std::vector<std::string>& path_names) {
  json::array out;
  for (const auto& name : path_names)
    out.push_back(
        json::object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", json::object{{"type", "string"}}}});
  if (!route.endpoint.query_schema) return out;
  const auto written = route.endpoint.query_schema();
  const auto& schema = written.as_object();
  const auto* required = schema.if_contains("required");
  const auto* properties = schema.if_contains("properties");
  if (!properties) return out;
  for (const auto& property : properties->as_object()) {
    bool needed = false;
    if (required)
      for (const auto& name : required->as_array()) needed = needed || name.as_string() == property.key();
    out.push_back(
        json::object{{"name", property.key()}, {"in", "query"}, {"required", needed}, {"schema", property.value()}});
  }
  return out;
}

json::object operation(const Route& route, const std::vector<std::string>& path_names) {
  json::object out;
  out["operationId"] = operation_id(route);
  out["summary"] = route.summary;
  if (!route.endpoint.description.empty()) out["description"] = route.endpoint.description;
  if (auto all = parameters(route, path_names); !all.empty()) out["parameters"] = std::move(all);
  if (route.endpoint.body)
    out["requestBody"] =
        json::object{{"required", true},
                     {"content", json::object{{"application/json", json::object{{"schema", route.endpoint.body()}}}}}};
  out["responses"] = answers(route, !path_names.empty());
  if (route.endpoint.stream_bytes > 0) out["x-body-limit"] = route.endpoint.stream_bytes;
  out["x-guard"] = route.guard.name;
  json::array security;
  for (const auto& [key, scheme] : schemes_of(route.guard)) {
    json::object need;
    need[key] = json::array();
    security.push_back(std::move(need));
  }
  out["security"] = std::move(security);
  if (route.rate)
    out["x-rate-limit"] = json::object{
        {"group", route.rate->group}, {"limit", route.rate->limit}, {"windowSeconds", route.rate->window.count()}};
  return out;
}

}  // namespace

json::object openapi(const std::vector<Route>& routes, std::string_view title, std::string_view version,
                     std::string_view server_url) {
  json::object paths, schemes;
  for (const auto& route : routes) {
    std::vector<std::string> names;
    auto& methods = paths[path_template(route.path, names)];
    if (!methods.is_object()) methods.emplace_object();
    methods.get_object()[lower_case(to_string(route.method))] = operation(route, names);
    for (auto& [key, scheme] : schemes_of(route.guard)) schemes[key] = std::move(scheme);
  }
  const json::object error{{"type", "object"},
                           {"required", json::array{"error"}},
                           {"properties", json::object{{"error", json::object{{"type", "string"}}},
                                                       {"code", json::object{{"type", "string"}}}}}};
  json::object document{{"openapi", "3.1.0"}, {"info", json::object{{"title", title}, {"version", version}}}};
  if (!server_url.empty()) document["servers"] = json::array{json::object{{"url", server_url}}};
  document["paths"] = std::move(paths);
  document["components"] =
      json::object{{"schemas", json::object{{"Error", error}}}, {"securitySchemes", std::move(schemes)}};
  return document;
}

}  // namespace web
