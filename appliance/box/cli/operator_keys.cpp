#include "appliance/box/cli/subcommands.h"

#include <iomanip>
#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/table.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

constexpr auto operator_keys_route = "/api/admin/operator-keys";

struct KeyArguments {
  std::string name;
  std::vector<std::string> scopes;
  unsigned days = 0;
};

std::string join_scopes(const json::array& scopes) {
  std::string text;
  for (const auto& scope : scopes) text += (text.empty() ? "" : ",") + std::string(scope.as_string());
  return text;
}

void print_key_row(const std::string& name, const std::string& scopes, const std::string& expires,
                   const std::string& used, const std::string& by) {
  std::cout << std::left << std::setw(24) << name << std::setw(32) << scopes << std::setw(26) << expires
            << std::setw(26) << used << by << '\n';
}

int create_key(const BoxClient& box, const KeyArguments& given) {
  json::object body{{"name", given.name}, {"scopes", json::value_from(given.scopes)}};
  if (given.days > 0) body["expiresInDays"] = given.days;
  const auto made = box.call("POST", operator_keys_route, body).as_object();
  std::cout << made.at("key").as_string().c_str() << "   (shown this once)\n";
  return 0;
}

int list_operator_keys(const BoxClient& box) {
  const auto answer = box.call("GET", operator_keys_route).as_object();
  print_key_row("NAME", "SCOPES", "EXPIRES", "LAST USED", "CREATED BY");
  for (const auto& entry : answer.at("keys").as_array()) {
    const auto& key = entry.as_object();
    print_key_row(shown(key.at("name")), join_scopes(key.at("scopes").as_array()), shown(key.at("expiresAt")),
                  shown(key.at("lastUsedAt")), shown(key.at("createdBy")));
  }
  return 0;
}

int revoke_key(const BoxClient& box, const KeyArguments& given) {
  box.call("DELETE", std::string(operator_keys_route) + "/" + escaped(given.name));
  std::cout << "the key is revoked\n";
  return 0;
}

}  // namespace

void add_operator_keys(CLI::App& admin, std::function<int()>& run) {
  auto* keys = admin.add_subcommand("operator-keys", "Manage keys for parts of the backend");
  keys->require_subcommand(1);
  const auto given = std::make_shared<KeyArguments>();
  auto* creating = keys->add_subcommand("create", "Create a key, and print it this once");
  creating->add_option("name", given->name, "as in the audit log: a-z, 0-9, '.', '-' and '_'")->required();
  creating
      ->add_option(
          "--scope", given->scopes,
          "read-only, users, agents, files, backup or scim; several with commas. read-only limits the key to reading, "
          "alone it reads the whole box")
      ->required()
      ->delimiter(',');
  creating->add_option("--days", given->days, "days until the key expires [never]")->check(CLI::Range(1, 3650));
  connect(*creating, run, [given](const BoxClient& box) { return create_key(box, *given); });
  connect(*keys->add_subcommand("list", "List the keys"), run, list_operator_keys);
  auto* revoking = keys->add_subcommand("revoke", "Revoke a key; it is refused from then on");
  revoking->add_option("name", given->name, "as printed by list")->required();
  connect(*revoking, run, [given](const BoxClient& box) { return revoke_key(box, *given); });
}

}  // namespace agentbox::cli
