
#include "appliance/models/demo/handlers.h"
#include "web/routes/endpoint.h"

namespace models::demo {

namespace {

const web::RateLimit models_rate{.group = "demo-models", .limit = 60, .message = "Too many requests"};
const web::RateLimit chat_rate{.group = "demo-chat", .limit = 10, .message = "Too many requests"};

constexpr const char* chat_text =
    "Returns {id, model, message, usage, conversation: {given, used, cut, limits}, done: true}. Only entries of "
    "`conversation` with the role user are used, each "
    "cut at 4000 characters; of these the newest 50, with 16,000 characters in total; `conversation` counts them and "
    "has these limits. 429 also when a visitor has used a "
    "quarter of the demo's daily tokens, or all visitors its daily tokens or money (UTC). If the model does not "
    "answer, "
    "another one of the demo does, and `model` says which; 503 when none of them can be reached, and where the demo is "
    "off: DEMO_CHAT=off, or a daily limit of 0.";

web::Endpoint chat_endpoint(const web::Bind<Services>& on) {
  auto endpoint = web::plain(on(chat));
  endpoint.body = web::schema_of<DemoBody>;
  endpoint.description = chat_text;
  return endpoint;
}

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& none = guards.none;
  return {
      {web::GET, "/api/demo/chat", none, &models_rate, web::plain(on(show_demo)).returns<DemoInfo>(),
       "List the models of the demo"},
      {web::POST, "/api/demo/chat", none, &chat_rate, chat_endpoint(on), "Ask a model without an account"},
  };
}

}  // namespace models::demo
