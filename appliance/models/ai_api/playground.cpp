#include "appliance/models/ai_api/playground.h"

#include <chrono>
#include <memory>

#include "appliance/models/call_handle.h"
#include "appliance/models/openai_api/model_call.h"
#include "web/protocol/event_text.h"
#include "web/routes/reply.h"

namespace models::playground {

namespace json = boost::json;

namespace {

using Clock = std::chrono::steady_clock;

// A call with what its answer is measured by.
struct Running {
  CallHandle handle;
  std::shared_ptr<const Catalogue> catalogue;
  bool is_cached = false;
  Clock::time_point started = Clock::now();
  std::optional<Clock::time_point> first_piece{};
};

ModelCall call_of(Trial trial, billing::Payer payer) {
  ModelCall call{
      .request = {}, .query = {.model = std::move(trial.model), .task = {}, .provider = {}}, .payer = std::move(payer)};
  call.request.model = call.query.model;
  call.request.stream = trial.stream.value_or(false);
  if (trial.system && !trial.system->empty())
    call.request.messages.push_back({.role = Role::system, .content = std::move(*trial.system)});
  call.request.messages.push_back({.role = Role::user, .content = std::move(trial.message)});
  if (trial.temperature) call.request.temperature = trial.temperature->value;
  if (trial.maxTokens) call.request.max_tokens = trial.maxTokens->value;
  return call;
}

bool is_cached(AnswerCache& cache, const ModelCall& call) {
  const auto lifetime = cache.lifetime(call.payer.user);
  if (lifetime.count() <= 0) return false;
  return cache.find(AnswerCache::key_of(call.payer.user, call.request, call.query), lifetime, Clock::now()).has_value();
}

std::optional<std::string> cost_of(const ChatAnswer& answer, const Running& running) {
  if (running.is_cached || answer.provider == "local" || answer.provider == "builtin")
    return usage::Money().to_string();
  const auto* model = running.catalogue->find(answer.model);
  if (!model) return std::nullopt;
  return model->price.of(answer.usage.input, answer.usage.output, answer.usage.cached).to_string();
}

std::int64_t milliseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

TrialAnswer view(const ChatAnswer& answer, const Running& running) {
  TrialAnswer view{.model = answer.model,
                   .provider = answer.provider,
                   .message = answer.message.content,
                   .finish = answer.finish,
                   .inputTokens = answer.usage.input,
                   .outputTokens = answer.usage.output,
                   .estimated = answer.usage.estimated,
                   .cached = running.is_cached,
                   .cost = cost_of(answer, running),
                   .latencyMs = milliseconds(Clock::now() - running.started),
                   .timeToFirstTokenMs = {}};
  if (running.first_piece) view.timeToFirstTokenMs = milliseconds(*running.first_piece - running.started);
  return view;
}

std::string place_event(const FairQueue::Place& place) {
  const json::object event{{"place", place.number}, {"expectedSeconds", place.expected.count()}};
  std::string text;
  web::append_event(text, json::serialize(event), "queued");
  return text;
}

web::Task<> send_events(Running& running, web::StreamWriter& writer) {
  bool is_queued = false;
  for (;;) {
    const auto pieces = co_await running.handle.next_within(openai_api::comment_interval);
    if (!pieces) {
      const auto place = running.handle.place();
      std::string waiting = place || is_queued ? place_event(place.value_or(FairQueue::Place())) : ": waiting\n\n";
      is_queued = place.has_value();
      co_await writer.write(std::move(waiting));
      continue;
    }
    if (pieces->empty()) break;
    if (!running.first_piece) running.first_piece = Clock::now();
    std::string events;
    if (std::exchange(is_queued, false)) events = place_event({});
    for (const auto& piece : *pieces) {
      const json::object delta{{"content", piece.text}};
      web::append_event(events, json::serialize(delta), "delta");
    }
    co_await writer.write(std::move(events));
  }
  const auto answer = co_await running.handle.answer();
  if (!answer) {
    json::object event{{"error", answer.error().message}, {"code", answer.error().code}};
    for (const auto& [name, value] : answer.error().extra) event[name] = value;
    const auto text = json::serialize(event);
    co_await writer.event(text, "error");
    co_return;
  }
  std::string done;
  web::write_json(done, view(*answer, running));
  co_await writer.event(done, "done");
}

}  // namespace

web::Answer try_model(const Services& services, const web::Request& request, Trial body) {
  web::Caller caller = request.caller;
  caller.credential.clear();  // of the session, which is not an API key
  auto payer = services.gateway.policy().payer_of(caller);
  if (!payer) co_return payer.error();
  auto call = call_of(std::move(body), std::move(*payer));
  const bool stream = call.request.stream, cached = is_cached(services.gateway.cache(), call);
  auto catalogue = services.gateway.catalogues().current();
  auto handle = co_await CallHandle::start(services.gateway, std::move(call), stream);
  const auto running = std::make_shared<Running>(
      Running{.handle = std::move(handle), .catalogue = std::move(catalogue), .is_cached = cached});
  // A failure before the first piece, and before the head has to be sent, gets an error status.
  std::optional<bool> begun = false;
  if (stream) begun = co_await running->handle.begins_within(openai_api::comment_interval);
  if (begun.value_or(true)) {
    if (begun) running->first_piece = Clock::now();
    auto response = web::server_sent_events(
        [running](web::StreamWriter& writer) -> web::Task<> { return send_events(*running, writer); });
    response.set("X-Accel-Buffering", "no");
    co_return response;
  }
  const auto answer = co_await running->handle.answer();
  if (!answer) co_return answer.error();
  const auto found = view(*answer, *running);
  co_return web::reply(found);
}

namespace {

const web::RateLimit rate{.group = "playground", .limit = 60};

constexpr const char* text =
    "Sends `message`, after `system` if there is one, to one model and measures it: tokens, time, and the cost in US "
    "dollars at the catalogue's prices (null for models without a price; 0 for local models and answers from your "
    "response cache). The call is metered like those of your API keys: it counts towards your plan, your caps apply, "
    "and your own provider keys are used. `model` is a name of GET /api/models or auto; the answer says which one "
    "served. With `stream` the answer is sent as server-sent events: `delta` {content}, then `done` with the complete "
    "answer and timeToFirstTokenMs, or `error` {error, code}; while the call waits in the queue before the model, "
    "`queued` {place, expectedSeconds}, with place 0 once it does not. 402 or 429 with a `code` when the budget is "
    "used up; "
    "400 model_not_found; 403 MODEL_RESTRICTED when the plan does not include the model.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/playground", guards.session, &rate,
       web::body<Trial>(on(try_model)).returns<TrialAnswer>().describe(text), "Try a model with one message"},
  };
}

}  // namespace models::playground
