#include "appliance/network/otlp/handlers.h"

#include <boost/json.hpp>

#include "appliance/models/providers/openai_wire.h"
#include "appliance/network/otlp/import.h"
#include "appliance/network/otlp/protobuf.h"
#include "web/protocol/body_decoder.h"
#include "web/routes/endpoint.h"
#include "web/routes/reply.h"

namespace otlp {

namespace {

constexpr std::string_view protobuf_type = "application/x-protobuf";

bool has_type(const web::Request& request, std::string_view type) {
  return request.header("Content-Type").substr(0, type.size()) == type;
}

web::Error unreadable(web::Decoding result) {
  if (result == web::Decoding::too_large)
    return {.kind = web::Kind::too_large, .message = "The decoded body must be at most 16 MB"};
  return web::invalid("The body is not valid in its Content-Encoding");
}

web::Task<web::Result<std::string>> read_body(const web::Request& request, web::BodyStream& body) {
  auto decoder = web::BodyDecoder::of(request.header("Content-Encoding"), max_decoded_bytes);
  if (!decoder) co_return web::invalid("The request " + decoder.error().message);
  std::string decoded;
  const auto append = [&decoded](std::string_view piece) {
    decoded.append(piece);
    return true;
  };
  for (;;) {
    const auto piece = co_await body.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    const auto result = decoder->write(*piece, append);
    if (result != web::Decoding::ok) co_return unreadable(result);
  }
  if (!decoder->is_complete()) co_return unreadable(web::Decoding::broken);
  co_return decoded;
}

// google.rpc.Status, which the protocol wants as the body of errors to requests in protobuf.
web::Response protobuf_error(const web::Error& error) {
  auto response = web::error_response(error);
  std::string status;
  protobuf::append_bytes(status, 2, error.message);
  response.content_type = protobuf_type;
  response.body = std::move(status);
  return response;
}

// ExportTraceServiceResponse.
web::Response accepted(const Imported& imported, bool is_protobuf) {
  web::Response response;
  if (is_protobuf) {
    response.content_type = protobuf_type;
    std::string partial, body;
    if (imported.rejected > 0) {
      protobuf::append_varint(partial, 1, static_cast<std::uint64_t>(imported.rejected));
      protobuf::append_bytes(partial, 2, imported.reason);
      protobuf::append_bytes(body, 1, partial);
    }
    response.body = std::move(body);
    return response;
  }
  boost::json::object partial;
  if (imported.rejected > 0)
    partial = {{"rejectedSpans", std::to_string(imported.rejected)}, {"errorMessage", imported.reason}};
  return web::json(boost::json::object{{"partialSuccess", std::move(partial)}});
}

web::Task<web::Result<Imported>> store(const Services& services, const web::Request& request, web::BodyStream& body,
                                       bool is_protobuf) {
  const auto bytes = co_await read_body(request, body);
  if (!bytes) co_return bytes.error();
  auto received = is_protobuf ? read_protobuf(*bytes) : read_json(*bytes);
  if (!received) co_return received.error();
  const Sender sender{.user = request.caller.user_id, .agent = request.caller.agent};
  auto imported = import(std::move(*received), sender, store::now());
  if (!services.recorder.offer(std::move(imported.spans)))
    co_return web::unavailable("Too many spans are waiting to be stored: send them again in a moment");
  co_await services.recorder.written();
  co_return imported;
}

web::Answer receive_traces(const Services& services, const web::Request& request, web::BodyStream& body) {
  const bool is_protobuf = has_type(request, protobuf_type);
  if (!is_protobuf && !has_type(request, "application/json")) {
    auto response =
        web::error_response(web::invalid("Content-Type must be application/x-protobuf or application/json"));
    response.status = 415;
    co_return response;
  }
  const auto imported = co_await store(services, request, body, is_protobuf);
  if (imported) co_return accepted(*imported, is_protobuf);
  if (is_protobuf) co_return protobuf_error(imported.error());
  co_return imported.error();
}

const web::RateLimit span_rate{.group = "spans", .limit = 3'000};

constexpr const char* receive_text =
    "The trace signal of OpenTelemetry's OTLP/HTTP, as protobuf (application/x-protobuf) or JSON, with gzip or "
    "without; "
    "at most 4 MB and 10,000 spans. The spans appear beside the box's own: gen_ai.operation.name makes them turns, "
    "tool "
    "calls or model calls, and gen_ai.usage.*, gen_ai.request.model and gen_ai.provider.name are shown. With an "
    "agent's "
    "token they are that agent's; with an API key they are of an agent elsewhere, named by gen_ai.agent.name, "
    "gen_ai.agent.id or service.name. Spans that began more than a week ago or lie ahead are rejected "
    "(partialSuccess); a span that is sent twice counts once. 503 while too many spans wait to be stored.";

}  // namespace

std::vector<web::Route> routes(const web::Guard& guard, const web::Bind<Services>& on) {
  auto endpoint = web::stream(max_body_bytes, on(receive_traces));
  endpoint.problem = models::openai::error_schema;
  return {
      {web::POST, "/v1/traces", guard, &span_rate,
       std::move(endpoint).describe(receive_text).fails({web::Kind::unavailable}), "Send OpenTelemetry spans"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return routes(guards.model_caller, on);
}

}  // namespace otlp
