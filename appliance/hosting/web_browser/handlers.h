// Browsers of agents: for the agent itself, and for its owner, who watches and may take over.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/gate/handlers.h"
#include "appliance/hosting/web_browser/browsers.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/route.h"

namespace uploads {
class Uploads;
}

namespace browser {

// Must outlive the rows.
struct Services {
  Browsers& browsers;
  gate::Gate& gate;
  const agents::AgentDirectory& agents;
  uploads::Uploads& uploads;
  audit::Audit& audit;
  boost::asio::thread_pool& blocking;
  std::atomic<int>& viewers;
  std::function<std::string()> why_not;                               // a sentence; empty: agents can have browsers
  std::function<runtime::CommandSpec(const agents::Agent&)> spec_of;  // without the text
};

struct FieldRequest {
  web::Text<1, 20> ref;
  web::Verbatim<0, 20'000> text;
};
BOOST_DESCRIBE_STRUCT(FieldRequest, (), (ref, text))

struct ActRequest {
  Action action = Action::read;
  std::optional<web::Text<1, 4'000>> url;
  std::optional<web::Text<1, 20>> ref;
  std::optional<web::List<FieldRequest, 1, 50>> fields;
  std::optional<bool> submit;
  std::optional<gate::Reason> why;
};
BOOST_DESCRIBE_STRUCT(ActRequest, (), (action, url, ref, fields, submit, why))

struct PageAnswer {
  std::string url, title;
  std::optional<std::string> text, screenshot, file;
  std::optional<std::int64_t> bytes;
  std::vector<std::string> notes;
};
BOOST_DESCRIBE_STRUCT(PageAnswer, (), (url, title, text, screenshot, file, bytes, notes))

BOOST_DEFINE_ENUM_CLASS(Hand, take, give, end, open, pressed, released, moved, wheel, key, text)

struct HandRequest {
  Hand action = Hand::take;
  std::optional<web::Text<1, 4'000>> url;
  std::optional<web::NumberBetween<0, 10'000>> x, y;
  std::optional<web::NumberBetween<-10'000, 10'000>> down;
  std::optional<web::Text<1, 20>> key;
  std::optional<web::Verbatim<1, 4'000>> text;
};
BOOST_DESCRIBE_STRUCT(HandRequest, (), (action, url, x, y, down, key, text))

// Puts a download into the agent's workspace, under downloads/. It has texts of others there.
web::Task<web::Result<PageAnswer>> store_download(const Services&, const agents::Agent&, Download);

// The gate's name for what is done in browsers, and whose texts pages are.
inline constexpr auto gate_kind = "browser", gate_source = "a page in the browser";
gate::Executor gate_executor(Services);

// /api/agents/:id/browser, for the owner.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-browser, for the agent itself.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace browser
