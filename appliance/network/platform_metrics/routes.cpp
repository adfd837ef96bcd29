#include "appliance/network/platform_metrics/routes.h"

#include "appliance/network/platform_metrics/handlers.h"
#include "web/routes/endpoint.h"

namespace platform_metrics {

namespace {

constexpr const char* metrics_text =
    "Your own figures: agents by status, their turns (messages they answered), scheduled prompts, kept spans, and the "
    "model calls of today and this month (UTC) without those with your own provider keys. Rates are null where there "
    "is "
    "nothing to divide by.";

}  // namespace

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/metrics", guards.session, nullptr,
       web::plain(on(show_metrics)).returns<Metrics>().describe(metrics_text),
       "Your agents and model calls in figures"},
  };
}

}  // namespace platform_metrics
