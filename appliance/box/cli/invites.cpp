#include "appliance/box/cli/subcommands.h"

#include <iomanip>
#include <iostream>
#include <memory>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/table.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

constexpr auto invites_route = "/api/admin/invites";

struct InviteArguments {
  std::string id, plan, group, note;
  unsigned count = 1, uses = 1, days = 30;
};

void print_invite_row(const std::string& id, const std::string& uses, const std::string& expires,
                      const std::string& plan, const std::string& note) {
  std::cout << std::left << std::setw(12) << id << std::setw(14) << uses << std::setw(26) << expires << std::setw(14)
            << plan << note << '\n';
}

int create_codes(const BoxClient& box, const InviteArguments& given) {
  json::object body{{"count", given.count}, {"uses", given.uses}, {"expiresInDays", given.days}};
  if (!given.plan.empty()) body["plan"] = given.plan;
  if (!given.group.empty()) body["group"] = given.group;
  if (!given.note.empty()) body["note"] = given.note;
  const auto made = box.call("POST", "/api/invite/generate", body).as_object();
  for (const auto& code : made.at("codes").as_array())
    std::cout << code.as_string().c_str() << "   (shown this once)\n";
  return 0;
}

int list_invites(const BoxClient& box) {
  const auto answer = box.call("GET", invites_route).as_object();
  print_invite_row("ID", "USED", "EXPIRES", "PLAN", "NOTE");
  for (const auto& entry : answer.at("invites").as_array()) {
    const auto& invite = entry.as_object();
    const auto used = json::serialize(invite.at("used")) + " of " + json::serialize(invite.at("uses"));
    print_invite_row(shown(invite.at("id")), used, shown(invite.at("expiresAt")), shown(invite.at("plan")),
                     shown(invite.at("note")));
  }
  return 0;
}

int revoke_invite(const BoxClient& box, const InviteArguments& given) {
  box.call("DELETE", std::string(invites_route) + "/" + escaped(given.id));
  std::cout << "the invite code is revoked\n";
  return 0;
}

}  // namespace

void add_invites(CLI::App& admin, std::function<int()>& run) {
  auto* invites = admin.add_subcommand("invites", "Manage invite codes");
  invites->require_subcommand(1);
  const auto given = std::make_shared<InviteArguments>();
  auto* creating = invites->add_subcommand("create", "Make codes, and print them this once");
  creating->add_option("--count", given->count, "how many codes [1]")->check(CLI::Range(1, 100));
  creating->add_option("--uses", given->uses, "registrations that each code admits [1]")->check(CLI::Range(1, 10'000));
  creating->add_option("--days", given->days, "days until they expire [30]")->check(CLI::Range(1, 3650));
  creating->add_option("--plan", given->plan, "plan of those who register with them: " + billing::plan_names());
  creating->add_option("--group", given->group, "id of the group that they join: GET /api/admin/groups");
  creating->add_option("--note", given->note, "for the list");
  connect(*creating, run, [given](const BoxClient& box) { return create_codes(box, *given); });
  connect(*invites->add_subcommand("list", "List the codes by id, with their uses"), run, list_invites);
  auto* revoking = invites->add_subcommand("revoke", "Revoke a code: it can no longer be used");
  revoking->add_option("id", given->id, "the code's part before the hyphen")->required();
  connect(*revoking, run, [given](const BoxClient& box) { return revoke_invite(box, *given); });
}

}  // namespace agentbox::cli
