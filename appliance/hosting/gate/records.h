// What is stored of the gate: questions to owners, rules, and which conversations and files hold texts of others.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/table.h"

namespace gate {

// What a tool does: reads, writes in the workspace, reaches others (mail, message, post, HTTP with a body), runs
// commands, or pays.
BOOST_DEFINE_ENUM_CLASS(Effect, read, write, outward, code, money)
BOOST_DEFINE_ENUM_CLASS(Decision, allow, ask, refuse)

BOOST_DEFINE_ENUM_CLASS(State,
                        waiting,  // for the owner
                        refused,  // by the owner
                        expired,  // without an answer
                        allowed,  // about to be carried out
                        running,  // being carried out
                        done, failed,
                        unknown)  // the box ended while it was carried out: it may have happened, and is not repeated

// A question to the owner: may the agent do this?
struct Ask {
  std::int64_t owner = 0;
  std::string id;            // ask_ and an ordered id
  std::string agent;         // empty: the owner's own payment
  std::string conversation;  // where the turn goes on; empty: it does not
  std::string kind;          // who carries it out: "message", "mcp", "payment", "command"
  Effect effect = Effect::outward;
  std::string key;                   // <kind>/<what it is about>: asked once
  std::string target;                // receiver, tool or command: what an "always" is about
  std::string title;                 // a sentence that says what would happen
  boost::json::object act;           // exactly what would happen; enough to carry it out
  std::string reason;                // in the agent's words
  std::vector<std::string> sources;  // whose texts the turn has, besides the owner's
  State state = State::waiting;
  std::string answered_by;             // "user:7", "mail", "channel:…"; empty: nobody
  std::string note;                    // the owner's words to the agent
  boost::json::object content;         // the owner's answer, if the question asks for more than yes or no
  boost::json::object result;          // done
  std::string failure;                 // failed, unknown: a sentence
  std::optional<std::string> pending;  // the id, while there is work left
  bool is_told = false;                // the agent knows the outcome
  store::Time created_at, expires_at;
  std::optional<store::Time> answered_at, finished_at;
};
BOOST_DESCRIBE_STRUCT(Ask, (),
                      (owner, id, agent, conversation, kind, effect, key, target, title, act, reason, sources, state,
                       answered_by, note, content, result, failure, pending, is_told, created_at, expires_at,
                       answered_at, finished_at))

inline const store::Owned<Ask> asks{
    {.family = "gate_asks", .number = 194},
    &Ask::owner,
    &Ask::id,
    {store::unique<Ask>(1, "key", &Ask::key), store::index<Ask>(2, "pending", &Ask::pending)}};

// Turns that a rule is for: those with the owner's words only are clean.
BOOST_DEFINE_ENUM_CLASS(Turns, any, clean, foreign)

struct Rule {
  Effect effect = Effect::outward;
  Turns turns = Turns::any;
  Decision decision = Decision::ask;
  std::string target;                // empty: all
  std::string conversation;          // empty: all
  std::optional<store::Time> until;  // not set: until it is removed
};
BOOST_DESCRIBE_STRUCT(Rule, (), (effect, turns, decision, target, conversation, until))

// Of one agent. The narrower rule wins: one with a conversation, then one with a target; among equals the last.
struct Rules {
  std::int64_t owner = 0;
  std::string id;  // the agent's
  std::vector<Rule> rules;
  std::optional<std::int64_t> ask_seconds;  // how long its questions wait; not set: usual_lifetime
  store::Time changed_at;
};
BOOST_DESCRIBE_STRUCT(Rules, (), (owner, id, rules, ask_seconds, changed_at))

inline const store::Owned<Rules> rules_table{{.family = "gate_rules", .number = 195}, &Rules::owner, &Rules::id, {}};

// A conversation, file or memory of an agent that has texts of others.
struct Mark {
  std::int64_t owner = 0;
  std::string id;      // <agent>/<what>: "c:" and a conversation, "f:" and a path in the workspace, "m" for its memory
  std::string source;  // "a web page", "a mail"
  store::Time at;
};
BOOST_DESCRIBE_STRUCT(Mark, (), (owner, id, source, at))

inline const store::Owned<Mark> marks{{.family = "gate_marks", .number = 196}, &Mark::owner, &Mark::id, {}};

// What the administrator has set for the agents of a plan, in the place of the usual rules.
// What keeps agents from scheduling themselves without end: the most tasks that each may have made, and the least time
// between two runs of those that it makes, changes or starts.
struct TaskLimits {
  std::int64_t tasks = 20;
  std::chrono::seconds apart{60};
};

struct PlanRules {
  std::string plan;
  std::vector<Rule> rules;
  store::Time changed_at;
  std::int64_t max_tasks = TaskLimits().tasks, seconds_apart = TaskLimits().apart.count();
};
BOOST_DESCRIBE_STRUCT(PlanRules, (), (plan, rules, changed_at, max_tasks, seconds_apart))

inline const store::Global<PlanRules> plan_rules{{.family = "gate_plans", .number = 197}, &PlanRules::plan};

}  // namespace gate
