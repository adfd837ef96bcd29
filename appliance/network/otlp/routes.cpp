#include "appliance/network/otlp/routes.h"

#include "appliance/models/providers/openai_wire.h"
#include "appliance/network/otlp/handlers.h"
#include "web/routes/endpoint.h"

namespace otlp {

namespace {

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
  auto endpoint = web::stream(most_body_bytes, on(receive_traces));
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
