#include "appliance/network/a2a/rpc.h"

#include <boost/json.hpp>

namespace a2a {

namespace {

namespace json = boost::json;

struct Name {
  std::string_view name;
  Method method;
  Version version;
};
constexpr Name names[] = {{"SendMessage", Method::send, Version::v1},
                          {"SendStreamingMessage", Method::stream, Version::v1},
                          {"GetTask", Method::get, Version::v1},
                          {"ListTasks", Method::list, Version::v1},
                          {"CancelTask", Method::cancel, Version::v1},
                          {"SubscribeToTask", Method::subscribe, Version::v1},
                          {"message/send", Method::send, Version::legacy},
                          {"message/stream", Method::stream, Version::legacy},
                          {"tasks/get", Method::get, Version::legacy},
                          {"tasks/list", Method::list, Version::legacy},
                          {"tasks/cancel", Method::cancel, Version::legacy},
                          {"tasks/resubscribe", Method::subscribe, Version::legacy}};

// A version is named with its patch level, too: "0.3.0".
bool is_supported(std::string_view version) {
  return version.empty() || version == "1.0" || version.starts_with("1.0.") || version == "0.3" ||
         version.starts_with("0.3.");
}

RpcError unknown_method(std::string_view method) {
  if (method.find("PushNotification") != std::string_view::npos ||
      method.find("pushNotification") != std::string_view::npos)
    return {errors::push_notifications_unsupported, "Push notifications are not supported.", {}};
  return {errors::unknown_method, "There is no such method.", {}};
}

}  // namespace

json::value id_of(std::string_view body) {
  const auto parsed = web::parse_json(body);
  const auto* id = parsed && parsed->is_object() ? parsed->get_object().if_contains("id") : nullptr;
  return id && (id->is_string() || id->is_number()) ? *id : json::value();
}

ReadCall read_call(Request request, const json::value& id, std::string_view version) {
  ReadCall read;
  if (request.jsonrpc != "2.0") {
    read.error = {errors::invalid_request, "jsonrpc must be 2.0", {}};
    return read;
  }
  if (!is_supported(version)) {
    read.error = {errors::version_unsupported, "A2A-Version must be one of: 1.0, 0.3", {}};
    return read;
  }
  for (const auto& [name, method, of_version] : names) {
    if (name != request.method) continue;
    read.call = Call{.id = id,
                     .method = method,
                     .version = of_version,
                     .params = request.params ? std::move(*request.params) : json::object()};
    return read;
  }
  read.error = unknown_method(request.method);
  return read;
}

json::object result(const json::value& id, json::value value) {
  json::object answer{{"jsonrpc", "2.0"}};
  answer["id"] = id;
  answer["result"] = std::move(value);
  return answer;
}

json::object failure(const json::value& id, const RpcError& error) {
  json::object shown{{"code", error.code}};
  shown["message"] = error.message;
  if (!error.data.empty()) shown["data"] = error.data;
  json::object answer{{"jsonrpc", "2.0"}};
  answer["id"] = id;
  answer["error"] = std::move(shown);
  return answer;
}

RpcError rpc_error(const web::Error& error) {
  switch (error.kind) {
    case web::Kind::invalid:
      return {errors::invalid_params, error.message, error.extra};
    case web::Kind::not_found:
      return {errors::task_not_found, error.message, error.extra};
    case web::Kind::conflict:
      return {errors::task_not_cancelable, error.message, error.extra};
    case web::Kind::internal:
      return {errors::internal, error.message, error.extra};
    default:
      return {errors::refused, error.message, error.extra};
  }
}

web::ErrorForm error_form() {
  return {.prefix = "/a2a", .body = [](const web::Error& error) {
            const int code = error.kind == web::Kind::invalid    ? errors::invalid_request
                             : error.kind == web::Kind::internal ? errors::internal
                                                                 : errors::refused;
            return failure(nullptr, {code, error.message, error.extra});
          }};
}

}  // namespace a2a
