#include "appliance/models/playground/routes.h"

#include "appliance/models/playground/handlers.h"
#include "web/routes/endpoint.h"

namespace models::playground {

namespace {

const web::RateLimit rate{.group = "playground", .limit = 60};

constexpr const char* text =
    "Sends `message`, after `system` if there is one, to one model and measures it: tokens, time, and the cost in US "
    "dollars at the catalogue's prices (null for models without a price; 0 for local models and answers from your "
    "response cache). The call is metered like those of your API keys: it counts towards your plan, your caps apply, "
    "and your own provider keys are used. `model` is a name of GET /api/models or auto; the answer says which one "
    "served. With `stream` the answer is sent as server-sent events: `delta` {content}, then `done` with the complete "
    "answer and timeToFirstTokenMs, or `error` {error, code}. 402 or 429 with a `code` when the budget is used up; "
    "400 model_not_found; 403 MODEL_RESTRICTED when the plan does not include the model.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/playground", guards.session, &rate,
       web::body<Trial>(on(try_model)).returns<TrialAnswer>().describe(text), "Try a model with one message"},
  };
}

}  // namespace models::playground
