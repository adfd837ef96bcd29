#include "appliance/hosting/web_browser/handlers.h"

#include <algorithm>
#include <boost/json.hpp>

#include "appliance/access/key_guards.h"
#include "appliance/hosting/gate/messages.h"
#include "appliance/hosting/rate_groups.h"
#include "web/json.h"
#include "web/protocol/event_text.h"
#include "web/routes/precondition.h"
#include "web/utf8.h"

namespace browser {

namespace {

namespace json = boost::json;
using web::Request;
using web::Result;
using web::Task;

constexpr int max_viewers = 16;
constexpr std::chrono::seconds view_patience{10}, longest_view{600};
constexpr std::chrono::milliseconds between_views{80};

const web::RateLimit hand_rate{.group = "browser-input", .limit = 3'000};

Result<Order> order_of(ActRequest body) {
  Order order{.action = body.action, .url = {}, .ref = {}};
  const bool takes_url = body.action == Action::open || body.action == Action::download;
  const bool takes_ref = body.action == Action::click || body.action == Action::download;
  if (body.url && !takes_url) return web::invalid("url is for the actions open and download");
  if (body.ref && !takes_ref) return web::invalid("ref is for the actions click and download");
  if ((body.fields || body.submit) && body.action != Action::type)
    return web::invalid("fields and submit are for the action type");
  if (body.action == Action::open && !body.url) return web::invalid("url is required");
  if (body.action == Action::click && !body.ref) return web::invalid("ref is required");
  if (body.action == Action::download && body.ref.has_value() == body.url.has_value())
    return web::invalid("give either ref (what to click) or url");
  if (body.action == Action::type && !body.fields) return web::invalid("fields is required");
  if (body.url) order.url = std::move(*body.url);
  if (body.ref) order.ref = std::move(*body.ref);
  if (body.fields)
    for (auto& field : *body.fields)
      order.fields.push_back({.ref = std::move(field.ref), .text = std::move(field.text)});
  order.submits = body.submit.value_or(false);
  return order;
}

// What the owner sees, and enough to carry it out later.
json::object act_in(const Prospect& prospect) {
  json::object act{{"action", boost::describe::enum_to_string(prospect.order.action, "")}, {"page", prospect.url}};
  json::array elements;
  for (std::size_t at = 0; at < prospect.elements.size(); ++at) {
    const auto& one = prospect.elements[at];
    json::object element{{"role", one.role}, {"name", one.name}, {"ref", one.ref}, {"node", one.node}};
    if (at < prospect.order.fields.size()) element["text"] = prospect.order.fields[at].text;
    elements.push_back(std::move(element));
  }
  if (!elements.empty()) act["elements"] = std::move(elements);
  if (prospect.order.action == Action::type) act["submit"] = prospect.order.submits;
  return act;
}

Prospect prospect_in(const gate::Ask& ask) {
  Prospect prospect{.order = {}, .url = web::string_member(ask.act, "page"), .host = ask.target, .elements = {}};
  boost::describe::enum_from_string(web::string_member(ask.act, "action").c_str(), prospect.order.action);
  prospect.order.url = prospect.url;
  const auto* submits = ask.act.if_contains("submit");
  prospect.order.submits = submits && submits->is_bool() && submits->get_bool();
  if (const auto* elements = web::array_member(ask.act, "elements"))
    for (const auto& one : *elements) {
      const auto* element = one.if_object();
      if (!element) continue;
      const auto* node = element->if_contains("node");
      prospect.elements.push_back({.ref = web::string_member(*element, "ref"),
                                   .node = node && node->is_int64() ? node->get_int64() : 0,
                                   .role = web::string_member(*element, "role"),
                                   .name = web::string_member(*element, "name")});
      if (element->contains("text"))
        prospect.order.fields.push_back(
            {.ref = prospect.elements.back().ref, .text = web::string_member(*element, "text")});
    }
  return prospect;
}

std::string title_of(const Prospect& prospect) {
  const auto named = [](const Element& one) {
    return one.role + (one.name.empty() ? "" : " \"" + std::string(web::utf8_prefix(one.name, 60)) + "\"");
  };
  std::string title;
  switch (prospect.order.action) {
    case Action::click:
      title = "Click " + named(prospect.elements.front());
      break;
    case Action::type:
      title = "Type into " + named(prospect.elements.front());
      if (prospect.elements.size() > 1)
        title += " and " + std::to_string(prospect.elements.size() - 1) + " more fields";
      if (prospect.order.submits) title += ", and submit it,";
      break;
    case Action::download:
      title = "Download a file";
      break;
    default:
      title = "Open a page";
  }
  return gate::in_one_line(title + " on " + prospect.host);
}

gate::Act act_of(store::UserId owner, const std::string& agent, const Prospect& prospect) {
  gate::Act act{.owner = owner, .agent = agent, .kind = gate_kind};
  act.effect = prospect.is_outward ? gate::Effect::outward : gate::Effect::read;
  act.target = prospect.host;
  act.title = title_of(prospect);
  act.act = act_in(prospect);
  return act;
}

Task<Result<PageAnswer>> answer_of(const Services& services, const agents::Agent& agent, Outcome outcome) {
  if (outcome.download) co_return co_await store_download(services, agent, std::move(*outcome.download));
  PageAnswer answer{.url = std::move(outcome.page.url),
                    .title = std::move(outcome.page.title),
                    .notes = std::move(outcome.page.notes)};
  if (outcome.screenshot.empty())
    answer.text = std::move(outcome.page.text);
  else
    answer.screenshot = std::move(outcome.screenshot);
  co_return answer;
}

web::Answer act(const Services& services, const Request& request, ActRequest body) {
  const auto reason = body.why.value_or("");
  auto order = order_of(std::move(body));
  if (!order) co_return order.error();
  if (auto why = services.why_not(); !why.empty()) co_return web::conflict("There is no browser on this box: " + why);
  const auto agent = services.agents.find(request.caller.user_id, request.caller.agent);
  if (!agent) co_return web::not_found("No such agent");
  auto prospect = co_await services.browsers.look_up(agent->id, std::move(*order));
  if (!prospect) co_return prospect.error();
  auto wanted = act_of(agent->owner, agent->id, *prospect);
  wanted.reason = reason;
  const auto verdict = co_await services.gate.check(std::move(wanted));
  if (auto stopped = gate::answer_to_agent(verdict)) co_return std::move(*stopped);
  services.gate.turns().taint(agent->id, gate_source);
  auto outcome = co_await services.browsers.act(services.spec_of(*agent), std::move(*prospect));
  if (!outcome) co_return outcome.error();
  const auto answer = co_await answer_of(services, *agent, std::move(*outcome));
  if (!answer) co_return answer.error();
  co_return web::reply(*answer, 200);
}

Task<Result<json::object>> run(Services services, gate::Ask ask) {
  if (auto why = services.why_not(); !why.empty()) co_return web::conflict("There is no browser on this box: " + why);
  const auto agent = services.agents.find(ask.owner, ask.agent);
  if (!agent) co_return web::not_found("No such agent");
  services.gate.turns().taint_conversation(ask.owner, ask.agent, ask.conversation, gate_source);
  auto outcome = co_await services.browsers.act_later(services.spec_of(*agent), prospect_in(ask));
  if (!outcome) co_return outcome.error();
  auto answer = co_await answer_of(services, *agent, std::move(*outcome));
  if (!answer) co_return answer.error();
  co_return std::move(web::to_json(*answer).as_object());
}

// The number of those who watch, for as long as it lives.
class Viewer {
 public:
  explicit Viewer(std::atomic<int>& count) : count_(count) { is_admitted_ = ++count_ <= max_viewers; }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;
  ~Viewer() { --count_; }
  bool is_admitted() const { return is_admitted_; }

 private:
  std::atomic<int>& count_;
  bool is_admitted_ = false;
};

std::string event_of(const View& view) {
  json::object about{{"running", view.is_running}, {"taken", view.is_taken}, {"url", view.url}, {"title", view.title}};
  if (!view.picture.jpeg.empty()) {
    about["picture"] = view.picture.jpeg;
    about["width"] = view.picture.width;
    about["height"] = view.picture.height;
  }
  std::string text;
  web::append_event(text, json::serialize(about), "view");
  return text;
}

// The browser of the reader connects again when it ends, and is then asked who it is.
Task<> send_views(Browsers& browsers, std::string agent, std::shared_ptr<Viewer>, web::StreamWriter& writer) {
  const auto end = std::chrono::steady_clock::now() + longest_view;
  std::uint64_t last = 0;
  while (std::chrono::steady_clock::now() < end) {
    const auto view = co_await browsers.watch(agent, last, view_patience);
    auto text = view.number == last ? std::string(": nothing new\n\n") : event_of(view);
    last = view.number;
    co_await writer.write(std::move(text));
    co_await web::sleep_for(between_views);
  }
}

Result<void> require_agent(const Services& services, const Request& request) {
  if (services.agents.find(request.caller.user_id, request.param("id"))) return {};
  return web::not_found("Agent not found");
}

web::Answer watch(const Services& services, const Request& request) {
  const auto agent = services.agents.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found("Agent not found");
  auto viewer = std::make_shared<Viewer>(services.viewers);
  if (!viewer->is_admitted())
    co_return web::Error{.kind = web::Kind::too_many, .message = "Too many watch browsers of agents: try again later."};
  auto response =
      web::server_sent_events([&browsers = services.browsers, id = agent->id, viewer = std::move(viewer)](
                                  web::StreamWriter& writer) { return send_views(browsers, id, viewer, writer); });
  response.endless = true;
  co_return response;
}

web::Answer reach(const Services& services, const Request& request, HandRequest body) {
  const auto agent = services.agents.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found("Agent not found");
  Result<void> done;
  if (body.action == Hand::take || body.action == Hand::give) {
    done = co_await services.browsers.take(agent->id, body.action == Hand::take);
    const auto* what = body.action == Hand::take ? "browser of an agent taken over" : "browser of an agent given back";
    if (done) co_await services.audit.note(audit::of_request(request, what, agent->id));
  } else if (body.action == Hand::end) {
    co_await services.browsers.end(agent->id);
  } else if (body.action == Hand::open) {
    if (!body.url) co_return web::invalid("url is required");
    if (const auto host = host_of(*body.url); !host) co_return host.error();
    done = co_await services.browsers.go(agent->id, std::move(*body.url));
  } else {
    Input input{.kind = boost::describe::enum_to_string(body.action, ""), .key = {}, .text = {}};
    if (body.x) input.x = *body.x;
    if (body.y) input.y = *body.y;
    if (body.down) input.down = *body.down;
    if (body.key) input.key = std::move(*body.key);
    if (body.text) input.text = std::move(*body.text);
    done = co_await services.browsers.use(agent->id, std::move(input));
  }
  if (!done) co_return done.error();
  co_return web::reply(web::Succeeded(), 200);
}

constexpr auto acting =
    "open: a page at url. read: its text, an accessibility tree whose parts that can be used have references. click: "
    "ref. type: into fields, and with submit the Enter key after the last. screenshot: a JPEG in base64. download: by "
    "a "
    "click on ref, or from url, to downloads/ in the workspace. All but the last two answer the page's text. Typing, "
    "and "
    "clicks on anything but links and tabs, reach others: 202 if the owner has to allow them first, who sees why. 409 "
    "without a browser, while it is busy, and while the owner uses it.";

constexpr auto watching =
    "Server-sent events `view` {running, taken, url, title, picture, width, height}: the page as it is, whenever it "
    "has "
    "changed; picture is a JPEG in base64. The stream ends after ten minutes.";

constexpr auto reaching =
    "take: the agent waits until give, or until nobody has watched for two minutes. pressed, released, moved and wheel "
    "(down) are of the mouse, at x and y in pixels of the page; key is one of Enter, Tab, Backspace, Delete, Escape, "
    "Home, End, PageUp, PageDown and the arrows; text is typed. open: a url. end: the browser is ended.";

}  // namespace

gate::Executor gate_executor(Services services) {
  gate::Executor executor;
  executor.run = [services](gate::Ask ask) { return run(services, std::move(ask)); };
  return executor;
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::GET, "/api/agents/:id/browser", agentbox::session_or_key(guards, key_scopes::Scope::agents_read),
       &hosting::agents_rate, web::plain(on(watch)).describe(watching), "Watch an agent's browser"},
      {web::POST, "/api/agents/:id/browser", agentbox::session_or_key(guards, key_scopes::Scope::agents_write),
       &hand_rate,
       web::check_before(on(require_agent), web::body<HandRequest>(on(reach)))
           .returns<web::Succeeded>()
           .describe(reaching),
       "Take an agent's browser over, and use it"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  return {
      {web::POST, "/api/agent-browser", guards.agent_token, nullptr,
       web::body<ActRequest>(on(act)).returns<PageAnswer>().describe(acting).fails(
           {web::Kind::too_many, web::Kind::unavailable, web::Kind::bad_gateway, web::Kind::timeout}),
       "Use the browser of the calling agent"},
  };
}

}  // namespace browser
