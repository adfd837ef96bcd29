#include "appliance/hosting/gate/handlers.h"

#include "appliance/access/key_guards.h"
#include "appliance/foundation/timestamp.h"
#include "appliance/hosting/gate/descriptions.h"
#include "appliance/hosting/rate_groups.h"
#include "web/routes/reply.h"

namespace gate {

namespace {

using web::Request;

constexpr std::size_t asks_listed = 50, marks_listed = 500;

std::optional<std::string> unless_empty(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

std::string user_of(const web::Caller& caller) { return "user:" + std::to_string(caller.user_id); }

web::Result<std::optional<store::Time>> time_in(const std::optional<web::Text<1, 40>>& text, const std::string& field) {
  if (!text) return std::nullopt;
  const auto time = agentbox::parse_timestamp(*text);
  if (!time) return web::invalid(field + " must be a time such as 2026-12-31T12:00:00Z");
  return time;
}

RuleItem item_of(const Rule& rule) {
  RuleItem item{.effect = rule.effect, .turns = rule.turns, .decision = rule.decision};
  if (!rule.target.empty()) item.target = rule.target;
  if (!rule.conversation.empty()) item.conversationId = rule.conversation;
  if (rule.until) item.until = web::iso8601(*rule.until);
  return item;
}

template <class Items>
web::Result<std::vector<Rule>> rules_in(const Items& items) {
  std::vector<Rule> rules;
  for (const auto& item : items) {
    const auto until = time_in(item.until, "rules[" + std::to_string(rules.size()) + "].until");
    if (!until) return until.error();
    rules.push_back({.effect = item.effect,
                     .turns = item.turns.value_or(Turns::any),
                     .decision = item.decision,
                     .target = item.target.value_or(""),
                     .conversation = item.conversationId.value_or(""),
                     .until = *until});
  }
  return rules;
}

std::vector<RuleItem> items_of(const std::vector<Rule>& rules) {
  std::vector<RuleItem> items;
  for (const auto& rule : rules) items.push_back(item_of(rule));
  return items;
}

billing::Plan plan_of(const agents::Agent& agent) {
  return billing::plan_named(agent.plan).value_or(billing::Plan::label);
}

RulesView rules_view(const Services& services, const agents::Agent& agent) {
  const auto& system = services.gate.system();
  RulesView answer{.rules = items_of(rules_of_agent(system, agent.owner, agent.id)),
                   .planRules = items_of(rules_of_plan(system, plan_of(agent))),
                   .askSeconds = lifetime_of(system, agent.owner, agent.id).count(),
                   .marks = {}};
  for (auto& mark : services.gate.turns().marked(agent.owner, agent.id, marks_listed))
    answer.marks.push_back({.what = std::move(mark.id), .source = std::move(mark.source), .at = mark.at});
  return answer;
}

web::Answer list_asks(const Services& services, const Request& request, AskQuery query) {
  AskPage page{.limit = query.limit ? std::size_t(query.limit->value) : asks_listed,
               .before = query.before.value_or(""),
               .agent = query.agentId.value_or(""),
               .is_waiting = query.waiting.value_or(false)};
  AskList answer;
  for (auto& ask : services.gate.list(request.caller.user_id, page)) answer.asks.push_back(view(std::move(ask)));
  if (answer.asks.size() == page.limit) answer.next = answer.asks.back().id;
  co_return web::reply(answer, 200);
}

web::Answer show_ask(const Services& services, const Request& request) {
  auto found = services.gate.find(request.caller.user_id, request.param("id"));
  if (!found) co_return web::not_found("No such question");
  co_return web::reply(view(std::move(*found)), 200);
}

web::Answer answer_ask(const Services& services, const Request& request, AnswerRequest body) {
  Answer given{.is_allowed = body.decision == Choice::allow, .by = user_of(request.caller)};
  given.note = body.note.value_or("");
  given.content = std::move(body.content);
  if (body.always) {
    const auto until = time_in(body.always->until, "always.until");
    if (!until) co_return until.error();
    given.always = Always{.is_for_target = body.always->of == Scope::target,
                          .is_for_conversation = body.always->thisConversation.value_or(false),
                          .until = *until};
  }
  auto ask = co_await services.gate.answer(request.caller.user_id, request.param("id"), std::move(given));
  if (!ask) co_return ask.error();
  co_return web::reply(view(std::move(*ask)), 200);
}

web::Answer show_linked(const Services& services, const Request&, LinkRequest body) {
  auto found = services.gate.of_link(body.token);
  if (!found) co_return web::not_found("This link is invalid. Answer in the console instead.");
  co_return web::reply(view(std::move(*found)), 200);
}

web::Answer answer_linked(const Services& services, const Request&, LinkAnswerRequest body) {
  const auto found = services.gate.of_link(body.token);
  if (!found) co_return web::not_found("This link is invalid. Answer in the console instead.");
  Answer given{.is_allowed = body.decision == Choice::allow, .by = "mail"};
  auto ask = co_await services.gate.answer(found->owner, found->id, std::move(given));
  if (!ask) co_return ask.error();
  co_return web::reply(view(std::move(*ask)), 200);
}

web::Answer show_rules(const Services& services, const Request& request) {
  const auto agent = services.agents.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found("Agent not found");
  co_return web::reply(rules_view(services, *agent), 200);
}

web::Answer set_rules(const Services& services, const Request& request, RulesRequest body) {
  const auto agent = services.agents.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found("Agent not found");
  auto rules = rules_in(body.rules);
  if (!rules) co_return rules.error();
  Rules requested{
      .owner = agent->owner, .id = agent->id, .rules = std::move(*rules), .ask_seconds = {}, .changed_at = {}};
  if (body.askSeconds) requested.ask_seconds = body.askSeconds->value;
  co_await set_rules_of_agent(services.gate.system(), std::move(requested));
  auto entry = audit::of_request(request, "rules of an agent changed", agent->id);
  co_await services.audit.note(std::move(entry));
  co_return web::reply(rules_view(services, *agent), 200);
}

web::Answer clear_marks(const Services& services, const Request& request, MarkQuery query) {
  const auto agent = services.agents.find(request.caller.user_id, request.param("id"));
  if (!agent) co_return web::not_found("Agent not found");
  co_await services.gate.turns().clear(agent->owner, agent->id, query.what.value_or(""));
  auto entry = audit::of_request(request, "texts of an agent vouched for", agent->id + " " + query.what.value_or(""));
  co_await services.audit.note(std::move(entry));
  co_return web::reply(MarksCleared(), 200);
}

web::Answer show_own_ask(const Services& services, const Request& request) {
  auto found = services.gate.find(request.caller.user_id, request.param("id"));
  if (!found || found->agent != request.caller.agent) co_return web::not_found("No such question");
  co_return web::reply(view(std::move(*found)), 200);
}

web::Answer use_files(const Services& services, const Request& request, FileUseRequest body) {
  FileUse use{.reads_memory = body.readsMemory.value_or(false),
              .writes_memory = body.writesMemory.value_or(false),
              .reads_history = body.readsHistory.value_or(false)};
  if (body.reads) use.reads.assign(body.reads->begin(), body.reads->end());
  if (body.writes) use.writes.assign(body.writes->begin(), body.writes->end());
  auto taint = services.gate.turns().use(request.caller.user_id, request.caller.agent, use);
  const TaintView answer{.foreign = taint.is_foreign(), .sources = std::move(taint.sources)};
  co_return web::reply(answer, 200);
}

PlanRulesView view_of(const store::System& system, billing::Plan plan) {
  const auto limits = task_limits_of_plan(system, plan);
  return {.plan = std::string(billing::to_string(plan)),
          .rules = items_of(rules_of_plan(system, plan)),
          .ownTasks = {.tasks = limits.tasks, .secondsApart = limits.apart.count()}};
}

web::Answer set_plan_rules(const Services& services, const Request& request, PlanRulesRequest body) {
  const auto plan = billing::plan_named(request.param("plan"));
  if (!plan) co_return web::not_found("No such plan: there are " + billing::plan_names());
  if (!body.rules && !body.ownTasks) co_return web::invalid("rules or ownTasks is required");
  const auto system = services.gate.system();
  if (body.rules) {
    auto rules = rules_in(*body.rules);
    if (!rules) co_return rules.error();
    co_await set_rules_of_plan(system, *plan, std::move(*rules));
  }
  if (const auto& limits = body.ownTasks) {
    const TaskLimits given{.tasks = limits->tasks.value, .apart = std::chrono::seconds(limits->secondsApart.value)};
    co_await set_task_limits_of_plan(system, *plan, given);
  }
  const auto answer = view_of(system, *plan);
  auto entry = audit::of_request(request, "rules of a plan changed", answer.plan);
  co_await services.audit.note(std::move(entry));
  co_return web::reply(answer, 200);
}

web::Answer show_plan_rules(const Services& services, const Request& request) {
  const auto plan = billing::plan_named(request.param("plan"));
  if (!plan) co_return web::not_found("No such plan: there are " + billing::plan_names());
  co_return web::reply(view_of(services.gate.system(), *plan), 200);
}

const web::RateLimit links_rate{.group = "ask-links", .limit = 30};

}  // namespace

AskView view(Ask ask) {
  AskView answer{.id = std::move(ask.id),
                 .agentId = unless_empty(std::move(ask.agent)),
                 .conversationId = unless_empty(std::move(ask.conversation)),
                 .kind = std::move(ask.kind),
                 .effect = ask.effect,
                 .target = std::move(ask.target),
                 .title = std::move(ask.title),
                 .act = std::move(ask.act),
                 .reason = std::move(ask.reason),
                 .sources = std::move(ask.sources),
                 .state = ask.state,
                 .answeredBy = unless_empty(std::move(ask.answered_by)),
                 .note = unless_empty(std::move(ask.note)),
                 .failure = unless_empty(std::move(ask.failure)),
                 .result = {},
                 .createdAt = ask.created_at,
                 .expiresAt = ask.expires_at,
                 .answeredAt = ask.answered_at,
                 .finishedAt = ask.finished_at};
  if (ask.state == State::done) answer.result = std::move(ask.result);
  if (ask.state == State::waiting && ask.expires_at <= store::now()) answer.state = State::expired;
  return answer;
}

std::optional<web::Result<web::Response>> answer_to_agent(const web::Result<Verdict>& verdict) {
  if (!verdict) return web::Result<web::Response>(verdict.error());
  if (verdict->decision == Decision::allow) return std::nullopt;
  return web::Result<web::Response>(web::reply(waiting_answer(*verdict->ask), 202));
}

std::vector<web::Route> web_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  using key_scopes::Scope;
  const auto& read = agentbox::session_or_key(guards, Scope::agents_read);
  const auto& write = agentbox::session_or_key(guards, Scope::agents_write);
  const auto& read_all = agentbox::session_or_key(guards, Scope::agents_read, agentbox::RowScope::account);
  const auto& write_all = agentbox::session_or_key(guards, Scope::agents_write, agentbox::RowScope::account);
  return {
      {web::GET, "/api/asks", read_all, &hosting::agents_rate,
       web::query<AskQuery>(on(list_asks)).returns<AskList>().describe(descriptions::asks),
       "Questions of the caller's agents"},
      {web::GET, "/api/asks/:id", read_all, &hosting::agents_rate, web::plain(on(show_ask)).returns<AskView>(),
       "A question of an agent"},
      {web::POST, "/api/asks/:id/answer", write_all, &hosting::actions_rate,
       web::body<AnswerRequest>(on(answer_ask))
           .returns<AskView>()
           .describe(descriptions::answer)
           .fails({web::Kind::conflict}),
       "Allow or refuse what an agent asks for"},
      {web::POST, "/api/ask-links/show", guards.none, &links_rate,
       web::body<LinkRequest>(on(show_linked))
           .returns<AskView>()
           .describe(descriptions::link)
           .fails({web::Kind::not_found}),
       "The question that a mailed link is about"},
      {web::POST, "/api/ask-links/answer", guards.none, &links_rate,
       web::body<LinkAnswerRequest>(on(answer_linked))
           .returns<AskView>()
           .describe(descriptions::link)
           .fails({web::Kind::not_found, web::Kind::conflict}),
       "Answer by a mailed link"},
      {web::GET, "/api/agents/:id/gate", read, &hosting::agents_rate,
       web::plain(on(show_rules)).returns<RulesView>().describe(descriptions::rules), "What an agent may do unasked"},
      {web::PUT, "/api/agents/:id/gate", write, &hosting::agents_rate,
       web::body<RulesRequest>(on(set_rules)).returns<RulesView>().describe(descriptions::rules),
       "Set what an agent may do unasked"},
      {web::DELETE, "/api/agents/:id/gate/marks", write, &hosting::agents_rate,
       web::query<MarkQuery>(on(clear_marks)).returns<MarksCleared>().describe(descriptions::marks),
       "Vouch for texts that an agent keeps"},
  };
}

std::vector<web::Route> backend_routes(const agentbox::Guards& guards, const web::Bind<Services>& on) {
  const auto& token = guards.agent_token;
  const auto& key = guards.backend.internal;
  return {
      {web::POST, "/api/agent-gate/files", token, nullptr,
       web::body<FileUseRequest>(on(use_files)).returns<TaintView>().describe(descriptions::files),
       "Report files that the calling agent is about to read or write"},
      {web::GET, "/api/agent-asks/:id", token, nullptr, web::plain(on(show_own_ask)).returns<AskView>(),
       "A question of the calling agent"},
      {web::GET, "/api/admin/plans/:plan/gate", key, nullptr, web::plain(on(show_plan_rules)).returns<PlanRulesView>(),
       "What agents of a plan may do unasked"},
      {web::PUT, "/api/admin/plans/:plan/gate", key, nullptr,
       web::body<PlanRulesRequest>(on(set_plan_rules)).returns<PlanRulesView>().describe(descriptions::plan_rules),
       "Set what agents of a plan may do unasked"},
  };
}

}  // namespace gate
