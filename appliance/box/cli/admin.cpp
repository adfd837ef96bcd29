#include "appliance/box/cli/subcommands.h"

#include <iomanip>
#include <iostream>

#include "appliance/billing/subscriptions/plans.h"
#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/confirmation.h"
#include "appliance/box/cli/secret_file.h"
#include "appliance/foundation/crypto/random.h"
#include "web/ascii.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

std::string field_text(const json::object& user, std::string_view name) {
  const auto& value = user.at(name);
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "yes" : "no";
  return value.is_null() ? "-" : json::serialize(value);
}

void print_user(const json::object& user) {
  for (const std::string_view name : {"id", "email", "name", "isAdmin", "isDisabled", "emailVerified", "plan",
                                      "subscriptionId", "credits", "createdAt"})
    std::cout << std::left << std::setw(16) << name << field_text(user, name) << '\n';
}

void print_user_row(const std::string& id, const std::string& plan, const std::string& admin,
                    const std::string& email) {
  std::cout << std::left << std::setw(8) << id << std::setw(12) << plan << std::setw(8) << admin << email << '\n';
}

int list_users(const BoxClient& box) {
  const auto page_after = [&](const std::string& id) {
    return box.call("GET", "/api/admin/users?limit=1000&after=" + id).as_object();
  };
  auto page = page_after("0");
  print_user_row("ID", "PLAN", "ADMIN", "E-MAIL");
  for (;;) {
    for (const auto& entry : page.at("users").as_array()) {
      const auto& user = entry.as_object();
      print_user_row(field_text(user, "id"), field_text(user, "plan"), field_text(user, "isAdmin"),
                     field_text(user, "email") + (user.at("isDisabled").as_bool() ? "  (disabled)" : ""));
    }
    const auto& next = page.at("next");
    if (!next.is_string()) return 0;
    page = page_after(std::string(next.get_string()));
  }
}

int print_outbox(const BoxClient& box) {
  const auto answer = box.call("GET", "/api/admin/outbox").as_object();
  for (const auto& entry : answer.at("mails").as_array()) {
    const auto& mail = entry.as_object();
    for (const std::string_view name : {"createdAt", "to", "subject", "delivery", "problem"})
      if (const std::string text = field_text(mail, name); !text.empty())
        std::cout << std::left << std::setw(12) << name << text << '\n';
    std::cout << '\n' << field_text(mail, "body") << "\n\n";
  }
  return 0;
}

int print_security_events(const BoxClient& box) {
  const auto answer = box.call("GET", "/api/admin/security-events").as_object();
  for (const auto& entry : answer.at("events").as_array()) std::cout << json::serialize(entry) << '\n';
  return 0;
}

struct UserArguments {
  std::string user, plan, password, name;
  bool is_admin = false, is_verified = false;
};

int create_user(const BoxClient& box, const UserArguments& given) {
  const bool is_random = given.password.empty();
  const std::string password = is_random ? crypto::random_token(12) : given.password;
  json::object body{
      {"email", given.user}, {"password", password}, {"isAdmin", given.is_admin}, {"emailVerified", given.is_verified}};
  if (!given.name.empty()) body["name"] = given.name;
  if (!given.plan.empty()) body["plan"] = given.plan;
  print_user(box.call("POST", "/api/admin/users", body).as_object());
  if (is_random) std::cout << "password        " << password << "   (shown this once)\n";
  return 0;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = web::is_alphanumeric(static_cast<char>(c)) || c == '.' || c == '-' || c == '_' || c == '@';
    encoded += plain ? std::string(1, c) : "%" + crypto::hex(std::string_view(&c, 1));
  }
  return encoded;
}

void add_admin(CLI::App& app, std::function<int()>& run) {
  auto* admin = app.add_subcommand("admin", "Manage users, plans and models of the running box");
  admin->require_subcommand(1);
  const auto arguments = std::make_shared<UserArguments>();

  // `act` receives the box and the path of the user.
  using Act = std::function<int(const BoxClient&, const std::string& path)>;
  const auto add = [&](const std::string& name, const std::string& help, bool names_user, Act act) {
    auto* command = admin->add_subcommand(name, help);
    if (names_user) command->add_option("user", arguments->user, "e-mail or id")->required();
    connect(*command, run, [arguments, act = std::move(act)](const BoxClient& box) {
      return act(box, "/api/admin/users/" + escaped(arguments->user));
    });
    return command;
  };
  // The same for what cannot be taken back, or locks somebody out: asks first.
  const auto add_asking = [&](const std::string& name, const std::string& help, const std::string& question, Act act) {
    auto* command = admin->add_subcommand(name, help);
    command->add_option("user", arguments->user, "e-mail or id")->required();
    const Confirmation confirmation(*command);
    connect(*command, run, [arguments, confirmation, question, act = std::move(act)](const BoxClient& box) {
      confirmation.require(question + " " + arguments->user + "?");
      return act(box, "/api/admin/users/" + escaped(arguments->user));
    });
  };
  const auto patch = [](json::object change) -> Act {
    return [change = std::move(change)](const BoxClient& box, const std::string& path) {
      print_user(box.call("PATCH", path, change).as_object());
      return 0;
    };
  };

  add("users", "List all users", false, [](const BoxClient& box, const std::string&) { return list_users(box); });
  add("show", "Show one user", true, [](const BoxClient& box, const std::string& path) {
    print_user(box.call("GET", path).as_object());
    return 0;
  });
  auto* create = admin->add_subcommand("create-user", "Create a user, whatever REGISTRATION is");
  create->add_option("email", arguments->user, "the user's e-mail address")->required();
  add_password(*create, arguments->password, "default: a random one, which is printed");
  create->add_option("--name", arguments->name, "default: the e-mail address");
  create->add_option("--plan", arguments->plan, billing::plan_names());
  create->add_flag("--admin", arguments->is_admin, "make the user an admin");
  create->add_flag("--verified", arguments->is_verified, "you answer for the e-mail address being the user's");
  connect(*create, run, [arguments](const BoxClient& box) { return create_user(box, *arguments); });
  add("plan", "Set a user's plan", true,
      [arguments](const BoxClient& box, const std::string& path) {
        print_user(box.call("PATCH", path, json::object{{"plan", arguments->plan}}).as_object());
        return 0;
      })
      ->add_option("plan", arguments->plan, billing::plan_names() + ", or none to cancel")
      ->required();
  add("grant", "Make a user an admin", true, patch({{"isAdmin", true}}));
  add_asking("revoke", "Revoke a user's admin rights", "Revoke the admin rights of", patch({{"isAdmin", false}}));
  add_asking("disable", "Disable a user; the data is kept", "Sign out, stop the agents of and disable",
             patch({{"isDisabled", true}}));
  add("enable", "Enable a disabled user", true, patch({{"isDisabled", false}}));
  auto* password = add("password", "Set a user's password and end all sessions", true,
                       [arguments](const BoxClient& box, const std::string& path) {
                         const bool is_random = arguments->password.empty();
                         const std::string chosen = is_random ? crypto::random_token(12) : arguments->password;
                         box.call("PATCH", path, json::object{{"password", chosen}});
                         std::cout << (is_random ? "new password: " + chosen : std::string("the password is changed"))
                                   << '\n';
                         return 0;
                       });
  add_password(*password, arguments->password, "the new password; default: a random one, which is printed");
  add("sign-out", "End all sessions of a user", true, [](const BoxClient& box, const std::string& path) {
    box.call("DELETE", path + "/sessions");
    std::cout << "all sessions are ended\n";
    return 0;
  });
  add("unlock", "End the delays after a user's failed sign-ins", true,
      [](const BoxClient& box, const std::string& path) {
        box.call("DELETE", path + "/failed-sign-ins");
        std::cout << "the user may sign in again at once\n";
        return 0;
      });
  add_asking("forget-second-factor", "Remove a user's second factor", "Remove the second factor of",
             [](const BoxClient& box, const std::string& path) {
               box.call("DELETE", path + "/second-factor");
               std::cout << "the second factor is removed\n";
               return 0;
             });
  add("outbox", "Print recent mails", false,
      [](const BoxClient& box, const std::string&) { return print_outbox(box); });
  add("events", "Print received security events and their results, newest first", false,
      [](const BoxClient& box, const std::string&) { return print_security_events(box); });
  add_git_hosts(*admin, run);
  add_models(*admin, run);
  add_billing(*admin, run);
  add_operator_keys(*admin, run);
  add_invites(*admin, run);
  add_channels(*admin, run);
  add_audit(*admin, run);
  add_agent_transfer(*admin, run);
  add_rotate_master_key(*admin, run);
}

}  // namespace agentbox::cli
