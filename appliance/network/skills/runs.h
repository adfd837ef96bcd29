// Uses of skills: the agent gets a message that names the skill and its inputs, and its answer is the result.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "appliance/billing/spending/spend_policy.h"
#include "appliance/billing/usage/ledger.h"
#include "appliance/foundation/task_group.h"
#include "appliance/hosting/chat/chat.h"
#include "appliance/network/skills/installer.h"

namespace skills {

struct Use {
  std::string skill;
  std::string agent;  // empty: the one that has the skill
  boost::json::object inputs;
  std::string prompt;    // what else is to be said; may be empty
  bool is_paid = false;  // by somebody else, at the gateway: the caller is not charged the price
};

// Thread-safe. All arguments must outlive it.
class Runs {
 public:
  Runs(store::System system, const Catalogue& catalogue, const Installer& installer, chat::Chat& chat,
       const billing::SpendPolicy& policy, usage::Ledger& ledger, boost::asio::io_context& home)
      : system_(std::move(system)),
        catalogue_(catalogue),
        installer_(installer),
        chat_(chat),
        policy_(policy),
        ledger_(ledger),
        background_(home, "skill_run_failed") {}

  // Stores the run. not_found: no such skill; conflict: the agent, or none or several of them, has it; invalid, naming
  // the input; for a skill with a price also payment_required and too_many, as for model calls (SpendPolicy).
  struct Started {
    Run run;
    std::string message;
    std::optional<usage::Reservation> charge;
  };
  web::Task<web::Result<Started>> start(web::Caller, Use);
  // Sends the message, waits for the answer and stores how it ended. A failed run is not charged.
  web::Task<Run> finish(Started);
  // The same in the background.
  void finish_later(Started);

  // Newest first.
  std::vector<Run> list(store::UserId, const std::string& skill) const;
  std::optional<Run> find(store::UserId, const std::string& skill, std::string_view id) const;

  // Runs that the end of the box cut off have failed.
  web::Task<> recover();
  // Gives up what runs in the background.
  web::Task<> stop() { return background_.stop(); }

 private:
  web::Result<std::string> agent_of(store::UserId, const Use&) const;
  web::Task<web::Result<std::optional<usage::Reservation>>> reserve(web::Caller, std::string agent, const Skill&);
  web::Task<> settle(usage::Reservation, bool succeeded);
  web::Task<> prune(store::UserId, std::string skill);
  static web::Task<> run_in_background(Runs&, Started);

  store::System system_;
  const Catalogue& catalogue_;
  const Installer& installer_;
  chat::Chat& chat_;
  const billing::SpendPolicy& policy_;
  usage::Ledger& ledger_;
  const store::Time began_ = store::now();  // what is older was left by an earlier process
  agentbox::TaskGroup background_;
};

// The message to the agent. invalid, naming the input: an unknown or missing one, or one that is no text, number or
// boolean, or too long.
web::Result<std::string> message_of(const Skill&, const Use&);

}  // namespace skills
