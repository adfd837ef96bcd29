// POST /api/ai/chat.
#include <algorithm>
#include <array>

#include "appliance/access/acting_as.h"
#include "appliance/models/ai_api/handlers.h"
#include "appliance/models/call_handle.h"
#include "appliance/models/providers/wire_json.h"
#include "web/json.h"
#include "web/protocol/event_text.h"
#include "web/routes/reply.h"

namespace models::ai_api {

namespace json = boost::json;

namespace {

// Results of tools are accepted by the OpenAI-compatible API only.
std::optional<web::Error> wrong_role(const json::object& body) {
  constexpr std::array<std::string_view, 3> roles{"user", "assistant", "system"};
  const auto* messages = web::array_member(body, "messages");
  for (std::size_t i = 0; messages && i < messages->size(); ++i) {
    const auto* message = (*messages)[i].if_object();
    if (message && std::ranges::count(roles, web::string_member(*message, "role")) > 0) continue;
    return web::invalid("messages[" + std::to_string(i) + "].role must be one of: user, assistant, system");
  }
  return std::nullopt;
}

// The body has the messages of OpenAI's form without tools, and other fields of the same names.
web::Result<ModelCall> parse_chat(const web::Request& request) {
  const auto body = web::parse_body<json::object>(request);
  if (!body) return body.error();
  if (auto wrong = wrong_role(*body)) return std::move(*wrong);
  json::object form;
  for (const auto* name : {"messages", "model", "temperature", "top_p", "max_tokens", "stream"})
    if (const auto* value = body->if_contains(name)) form[name] = *value;
  auto parsed = openai::parse_request(form);
  if (!parsed) return parsed.error();
  ModelCall call{.request = std::move(*parsed), .query = {}, .payer = {}};
  for (std::size_t i = 0; i < call.request.messages.size(); ++i) {
    const auto where = "messages[" + std::to_string(i) + "]";
    const auto& message = call.request.messages[i];
    if (!message.tool_calls.empty()) return web::invalid(where + ".tool_calls is not supported");
    if (message.content.find_first_not_of(" \t\r\n") == std::string::npos && message.parts.empty())
      return web::invalid(where + ".content must not be empty");
  }
  call.query.model = call.request.model;
  call.query.task = "general";
  if (const auto* task = body->if_contains("taskType"); task && !task->is_null()) {
    const auto text = web::parse_value<web::Text<0, 100>>(*task, "taskType");
    if (!text) return text.error();
    if (!text->empty()) call.query.task = *text;
  }
  return call;
}

json::object to_wire(const ChatAnswer& answer) {
  return {{"id", answer.id},
          {"model", answer.model},
          {"provider", answer.provider},
          {"message", {{"role", "assistant"}, {"content", answer.message.content}}},
          {"usage", openai::usage_to_wire(answer.usage)},
          {"timestamp", web::iso8601(store::now())}};
}

web::Task<> send_events(CallHandle& handle, web::StreamWriter& writer) {
  for (;;) {
    const auto pieces = co_await handle.next();
    if (pieces.empty()) break;
    std::string events;
    for (const auto& piece : pieces) {
      if (!piece.is_text()) continue;
      const json::object delta{{"content", piece.text}};
      web::append_event(events, json::serialize(delta), "delta");
    }
    if (!events.empty()) co_await writer.write(std::move(events));
  }
  const auto answer = co_await handle.answer();
  if (!answer) {
    json::object event{{"error", answer.error().message}, {"code", answer.error().code}};
    for (const auto& [name, value] : answer.error().extra) event[name] = value;
    co_await writer.event(json::serialize(event), "error");
    co_return;
  }
  co_await writer.event(json::serialize(to_wire(*answer)), "done");
}

// The contract has one status for calls that no provider could serve; `code` and the message have the cause.
web::Error to_contract_error(web::Error error) {
  using web::Kind;
  const bool is_of_provider = error.kind == Kind::bad_gateway || error.kind == Kind::timeout ||
                              (error.kind == Kind::unavailable && !error.code.empty());
  if (is_of_provider) error.kind = Kind::internal;
  return error;
}

// Administrators need neither plan nor subscription. The key's holder says whom a call is for, so each such call is in
// the audit log with what it said.
web::Task<> note_bypass(const Services& services, const web::Request& request, const billing::Payer& payer) {
  const auto said = [&](std::string_view header, std::string_view otherwise) {
    const auto value = request.header(header);
    return agentbox::recordable(value.empty() ? otherwise : value);
  };
  auto entry = audit::of_request(request, "model call as administrator", "");
  entry.user_id = payer.user;
  entry.subject = said(agentbox::user_email_header, "") + ", id " + said(agentbox::user_id_header, "anonymous") +
                  ", role " + said(agentbox::user_role_header, "none");
  co_await services.audit.note(std::move(entry));
}

}  // namespace

web::Answer chat(const Services& services, const web::Request& request) {
  const billing::PlanClaim claim{.email = request.header(agentbox::user_email_header),
                                 .plan = request.header("x-user-plan"),
                                 .subscription_id = request.header("x-billing-subscription-id")};
  auto payer = services.gateway.policy().payer_of(claim);
  if (!payer) co_return payer.error();
  if (payer->is_admin) co_await note_bypass(services, request, *payer);
  auto call = parse_chat(request);
  if (!call) co_return call.error();
  call->payer = std::move(*payer);
  const bool stream = call->request.stream;
  auto handle = co_await CallHandle::start(services.gateway, std::move(*call), stream);
  if (stream && co_await handle.begins()) {
    const auto shared = std::make_shared<CallHandle>(std::move(handle));
    auto response = web::server_sent_events(
        [shared](web::StreamWriter& writer) -> web::Task<> { return send_events(*shared, writer); });
    response.set("X-Accel-Buffering", "no");
    co_return response;
  }
  const auto answer = co_await handle.answer();
  if (!answer) co_return to_contract_error(answer.error());
  co_return web::json(to_wire(*answer));
}

}  // namespace models::ai_api
