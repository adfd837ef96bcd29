// Questions of agents and their owners' answers, an agent's rules, and what agents report about files.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/access/guards.h"
#include "appliance/hosting/agents/directory.h"
#include "appliance/hosting/gate/gate.h"
#include "web/routes/bind.h"
#include "web/routes/endpoint.h"
#include "web/routes/fields.h"
#include "web/routes/route.h"

namespace gate {

// All of them must outlive the rows.
struct Services {
  Gate& gate;
  const agents::AgentDirectory& agents;
  audit::Audit& audit;
};

// Of requests of agents for an act: why, in the agent's own words. The owner sees it with the question.
using Reason = web::Prose<0, 1'000>;

struct AskView {
  std::string id;
  std::optional<std::string> agentId, conversationId;
  std::string kind;
  Effect effect;
  std::string target, title;
  boost::json::object act;
  std::string reason;  // the agent's own words
  std::vector<std::string> sources;
  State state;
  std::optional<std::string> answeredBy, note, failure;
  std::optional<boost::json::object> result;
  store::Time createdAt, expiresAt;
  std::optional<store::Time> answeredAt, finishedAt;
};
BOOST_DESCRIBE_STRUCT(AskView, (),
                      (id, agentId, conversationId, kind, effect, target, title, act, reason, sources, state,
                       answeredBy, note, failure, result, createdAt, expiresAt, answeredAt, finishedAt))

struct AskQuery {
  std::optional<web::Id> agentId;
  std::optional<bool> waiting;
  std::optional<web::Integer<1, 200>> limit;
  std::optional<web::Text<1, 100>> before;
};
BOOST_DESCRIBE_STRUCT(AskQuery, (), (agentId, waiting, limit, before))

struct AskList {
  std::vector<AskView> asks;
  std::optional<std::string> next;
};
BOOST_DESCRIBE_STRUCT(AskList, (), (asks, next))

BOOST_DEFINE_ENUM_CLASS(Choice, allow, refuse)
BOOST_DEFINE_ENUM_CLASS(Scope, target, effect)

// Makes the answer a rule.
struct AlwaysRequest {
  Scope of = Scope::target;              // this target, or every act of the effect
  std::optional<bool> thisConversation;  // only
  std::optional<web::Text<1, 40>> until;
};
BOOST_DESCRIBE_STRUCT(AlwaysRequest, (), (of, thisConversation, until))

struct AnswerRequest {
  Choice decision = Choice::refuse;
  std::optional<web::Prose<0, 1'000>> note;
  std::optional<AlwaysRequest> always;
  std::optional<boost::json::object> content;
};
BOOST_DESCRIBE_STRUCT(AnswerRequest, (), (decision, note, always, content))

struct LinkRequest {
  web::Text<1, 300> token;
};
BOOST_DESCRIBE_STRUCT(LinkRequest, (), (token))

struct LinkAnswerRequest {
  web::Text<1, 300> token;
  Choice decision = Choice::refuse;
};
BOOST_DESCRIBE_STRUCT(LinkAnswerRequest, (), (token, decision))

struct RuleItem {
  Effect effect = Effect::outward;
  std::optional<Turns> turns;
  Decision decision = Decision::ask;
  std::optional<web::Text<1, 200>> target;
  std::optional<web::Id> conversationId;
  std::optional<web::Text<1, 40>> until;
};
BOOST_DESCRIBE_STRUCT(RuleItem, (), (effect, turns, decision, target, conversationId, until))

struct RulesRequest {
  web::List<RuleItem, 0, max_rules> rules;
  std::optional<web::Integer<1, 2'592'000>> askSeconds;
};
BOOST_DESCRIBE_STRUCT(RulesRequest, (), (rules, askSeconds))

struct MarkView {
  std::string what, source;
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(MarkView, (), (what, source, at))

struct RulesView {
  std::vector<RuleItem> rules, planRules;
  std::int64_t askSeconds = 0;
  std::vector<MarkView> marks;
};
BOOST_DESCRIBE_STRUCT(RulesView, (), (rules, planRules, askSeconds, marks))

struct MarkQuery {
  std::optional<web::Text<1, 1'000>> what;
};
BOOST_DESCRIBE_STRUCT(MarkQuery, (), (what))

struct MarksCleared {
  bool success = true;
};
BOOST_DESCRIBE_STRUCT(MarksCleared, (), (success))

// At most half a day apart: what runs once a day stays that far apart when the clocks change.
struct TaskLimitsBody {
  web::Integer<0, 1'000> tasks;
  web::Integer<1, 43'200> secondsApart;
};
BOOST_DESCRIBE_STRUCT(TaskLimitsBody, (), (tasks, secondsApart))

struct PlanRulesRequest {
  std::optional<web::List<RuleItem, 0, max_rules>> rules;
  std::optional<TaskLimitsBody> ownTasks;
};
BOOST_DESCRIBE_STRUCT(PlanRulesRequest, (), (rules, ownTasks))

struct TaskLimitsView {
  std::int64_t tasks = 0, secondsApart = 0;
};
BOOST_DESCRIBE_STRUCT(TaskLimitsView, (), (tasks, secondsApart))

struct PlanRulesView {
  std::string plan;
  std::vector<RuleItem> rules;
  TaskLimitsView ownTasks;
};
BOOST_DESCRIBE_STRUCT(PlanRulesView, (), (plan, rules, ownTasks))

using PathList = web::List<web::Text<0, 4'096>, 0, 100>;
struct FileUseRequest {
  std::optional<PathList> reads, writes;
  std::optional<bool> readsMemory, writesMemory, readsHistory;
};
BOOST_DESCRIBE_STRUCT(FileUseRequest, (), (reads, writes, readsMemory, writesMemory, readsHistory))

struct TaintView {
  bool foreign = false;
  std::vector<std::string> sources;
};
BOOST_DESCRIBE_STRUCT(TaintView, (), (foreign, sources))

AskView view(Ask);

// The answer of a route that an agent has called, if it may not go on: 202 with waiting_answer(), or the refusal.
// Nothing: the act is allowed.
//
//   auto verdict = co_await services.gate.check(std::move(act));
//   if (auto stopped = gate::answer_to_agent(verdict)) co_return std::move(*stopped);
std::optional<web::Result<web::Response>> answer_to_agent(const web::Result<Verdict>&);

// /api/asks, /api/ask-links and /api/agents/:id/gate.
std::vector<web::Route> web_routes(const agentbox::Guards&, const web::Bind<Services>&);
// /api/agent-gate and /api/agent-asks, for agents; /api/admin/plans/:plan/gate.
std::vector<web::Route> backend_routes(const agentbox::Guards&, const web::Bind<Services>&);

}  // namespace gate
