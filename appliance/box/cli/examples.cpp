#include "appliance/box/cli/examples.h"

#include <string>
#include <string_view>
#include <vector>

namespace agentbox::cli {

namespace {

struct Example {
  std::string_view line;  // after the command's name
  std::string_view purpose;
};

struct Examples {
  std::string_view command;  // with those above it
  std::vector<Example> examples;
};

const std::vector<Examples>& table() {
  static const std::vector<Examples> all{
      {"serve",
       {{"--data D", "a folder that setup or init has set up"},
        {"--data D --init --email you@example.org", "sets it up first if it is not yet"},
        {"--data D --web-listen 0.0.0.0:443 --tls-cert cert.pem --tls-key key.pem", "with TLS, on all addresses"}}},
      {"setup",
       {{"--data D", "asks for everything, with defaults"},
        {"--data D --email you@example.org --web-listen 0.0.0.0:443 --own-ca --name box.lan --yes",
         "a box on a local network, in a script"},
        {"--data D --backup-schedule '0 3 * * *' --yes", "changes one setting of a box"}}},
      {"setup renew",
       {{"--data D && kill -HUP PID", "without a restart"},
        {"--data D", "the box also does it at its start, 30 days before the end"}}},
      {"standby-invite",
       {{"--to standby.json --data D", "for the second machine; copy it there safely"},
        {"--to /media/usb/standby.json --data D --standby-listen 192.0.2.1:3443",
         "with the address where it connects"}}},
      {"standby",
       {{"--of https://box.lan:3443 --invitation standby.json --data D", "the first time"},
        {"--data D", "afterwards"}}},
      {"promote",
       {{"--data D && agentbox serve --data D", "when the box is gone"},
        {"--data D --force", "ends the box first, if it still answers"}}},
      {"store init",
       {{"--data D --admin postgres://postgres@db.lan/agentbox", "with STORE_URL in the settings of D"},
        {"--store-url postgres://box@db.lan/agentbox --print > schema.sql", "for an administrator of the database"}}},
      {"migrate-store",
       {{"--from D --to postgres://box@db.lan/agentbox", "into a database that store init has made ready"},
        {"--from postgres://box@db.lan/agentbox --to D", "and back"}}},
      {"init",
       {{"--data D --email you@example.org", "prints a random password once"},
        {"--data D --email you@example.org --password 'correct horse battery'", "with a password of your own"}}},
      {"demo",
       {{"", "in a temporary folder, which is removed at the end"},
        {"--data D", "in a folder that stays: the next start goes on with it"},
        {"--data D --reset", "starts over"}}},
      {"status", {{"--data D", "exit code 1 unless it is ok"}, {"--data D --json", "for programs"}}},
      {"agents",
       {{"--data D --status error", "of all users, those in trouble"},
        {"--data D --user ada@example.org", "one user's"},
        {"stop ag_... --data D", "any user's agent"}}},
      {"keys", {{"--data D", "the operator keys"}, {"--data D --json", "for programs"}}},
      {"usage",
       {{"--data D", "this month, all users"}, {"--data D --user ada@example.org --json", "one user's, for programs"}}},
      {"caps", {{"--data D", "those on plans"}, {"--data D --user ada@example.org", "those on a user"}}},
      {"logs",
       {{"ag_... --data D", "what it wrote last"}, {"ag_... --follow --data D", "and what it writes from now on"}}},
      {"channels list",
       {{"Scout --key-file key --data D", "of your agent, with a key from /usage/keys"},
        {"Scout --key-file key --url https://box.example.org", "of a box elsewhere"}}},
      {"channels add",
       {{"Scout telegram --token-file bot.token --key-file key --data D", "the token is in no list of processes"},
        {"Scout matrix --option homeserver=https://matrix.example.org --token-file token --key-file key --data D",
         "with what the kind needs"}}},
      {"channels remove",
       {{"Scout telegram --key-file key --data D", "asks first"},
        {"Scout ch_... --yes --key-file key --data D", "in a script"}}},
      {"channels test",
       {{"Scout telegram --key-file key --data D", "does it reach you?"},
        {"Scout ch_... --key-file - --data D < key", "with the key on standard input"}}},
      {"channels people",
       {{"Scout telegram --key-file key --data D", "with who waits to be admitted"},
        {"Scout telegram --json --key-file key --data D", "for programs"}}},
      {"channels pair",
       {{"Scout telegram k3x9m2pq --key-file key --data D", "somebody who was given this code"},
        {"Scout telegram k3x9m2pq --owner --key-file key --data D", "your own account"}}},
      {"channels admit",
       {{"Scout telegram pe_... --key-file key --data D", "without a code"},
        {"Scout ch_... pe_... --key-file key --data D", "where there are several of the kind"}}},
      {"channels block",
       {{"Scout telegram pe_... --key-file key --data D", "what they write costs nothing from now on"},
        {"Scout ch_... pe_... --key-file key --data D", "where there are several of the kind"}}},
      {"channels undelivered",
       {{"Scout telegram --key-file key --data D", "with the last error"},
        {"Scout telegram --json --key-file key --data D", "for programs"}}},
      {"channels resend",
       {{"Scout telegram dl_... --key-file key --data D", "when the provider is back"},
        {"Scout ch_... dl_... --key-file key --data D", "where there are several of the kind"}}},
      {"channels discard",
       {{"Scout telegram dl_... --key-file key --data D", "it is not sent any more"},
        {"Scout ch_... dl_... --key-file key --data D", "where there are several of the kind"}}},
      {"admin agent export",
       {{"ag_... --to /tmp/scout.agent --data D", "while it runs, or stopped"},
        {"ag_... --to /tmp/scout.agent --data D --as ada@example.org", "with a name for the audit log"}}},
      {"admin agent import",
       {{"/tmp/scout.agent --owner ada@example.org --data D", "as a new agent, not started"},
        {"/tmp/scout.agent --owner bob@example.org --data D", "the same file again, for another owner"}}},
      {"admin create-user",
       {{"ada@example.org --plan solo --data D", "prints a random password once"},
        {"bob@example.org --admin --verified --data D", "another administrator"}}},
      {"admin users",
       {{"--data D", "with plan, rights and e-mail address"}, {"--data D | grep ' yes '", "the administrators"}}},
      {"admin show", {{"ada@example.org --data D", "by e-mail address"}, {"2 --data D", "by id"}}},
      {"admin grant",
       {{"ada@example.org --data D", "from the next request on"},
        {"2 --data D --as root@example.org", "with a name for the audit log"}}},
      {"admin revoke",
       {{"ada@example.org --data D", "asks first; not for the last administrator"},
        {"ada@example.org --data D --yes", "in a script"}}},
      {"admin disable",
       {{"bob@example.org --data D", "asks first; ends the sessions and stops the agents"},
        {"bob@example.org --data D --yes", "in a script"}}},
      {"admin enable",
       {{"bob@example.org --data D", "the account can sign in again"},
        {"3 --data D --as root@example.org", "with a name for the audit log"}}},
      {"admin password",
       {{"ada@example.org --data D", "prints a random password once"},
        {"ada@example.org --password 'correct horse battery' --data D", "sets this one"}}},
      {"admin sign-out",
       {{"ada@example.org --data D", "a device was lost"},
        {"2 --data D --as root@example.org", "with a name for the audit log"}}},
      {"admin unlock",
       {{"ada@example.org --data D", "without waiting"},
        {"2 --data D --as root@example.org", "with a name for the audit log"}}},
      {"admin forget-second-factor",
       {{"ada@example.org --data D", "asks first"}, {"ada@example.org --data D --yes", "in a script"}}},
      {"admin outbox",
       {{"--data D", "the newest mails, for a box without a mail server"},
        {"--data D | grep reset=", "links to set a new password"}}},
      {"admin events", {{"--data D", "newest first"}, {"--data D | head", "the last few"}}},
      {"admin git-hosts",
       {{"set https://box@git.example.org --secret token.txt --data D", "a token, from a file"},
        {"list --data D", "without the secrets"}}},
      {"admin models",
       {{"--data D", "what is configured, and what runs on this machine"},
        {"use local --url http://127.0.0.1:11434/v1 --data D", "without a restart"}}},
      {"admin invoice",
       {{"ada@example.org 2026-11 --data D > ada.html", "to print or to send"},
        {"ada@example.org 2026-11 --format csv --data D", "for a spreadsheet"}}},
      {"admin credits",
       {{"ada@example.org --data D", "the balance and its entries"},
        {"ada@example.org --add 10 --reason 'thanks for the report' --data D", "adds 10 US dollars"}}},
      {"admin invites",
       {{"create --count 20 --plan solo --days 7 --note workshop --data D", "codes for a group"},
        {"list --data D", "with their uses and when they expire"}}},
      {"admin channels",
       {{"--data D", "the channels of all agents, with their states"},
        {"allow telegram --plan solo --plan label --data D", "not for other plans"}}},
      {"admin agent",
       {{"export ag_... --to /tmp/scout.agent --data D", "one agent in a file"},
        {"import /tmp/scout.agent --owner ada@example.org --data D", "and on another box"}}},
      {"admin plan",
       {{"ada@example.org solo --data D", "sets a plan"}, {"ada@example.org none --data D", "cancels it"}}},
      {"admin audit",
       {{"--data D | jq .act", "the log, oldest first"}, {"verify --data D", "was an entry changed or removed?"}}},
      {"admin operator-keys",
       {{"create ci --scope backup --data D", "a key for backups alone"}, {"list --data D", "all keys"}}},
      {"admin rotate-master-key",
       {{"--data D", "a random key, if it is in the data folder"},
        {"--data D --new-key FILE", "if the key is kept elsewhere"}}},
      {"backup",
       {{"--data D --to /backup/box", "run it again to update the backup"},
        {"--data D --to /backup/box --with-key", "a backup that restores by itself: protect it like the box"}}},
      {"restore",
       {{"--from /backup/box --data D --key master.key", "into a folder without a store"},
        {"--from /backup/box --data D", "a backup that was made with --with-key"}}},
      {"verify",
       {{"--data D", "stop the box first"}, {"--data D && agentbox serve --data D", "serve only what is sound"}}},
      {"pack",
       {{"--data D --to box.agentbox", "everything but master.key"},
        {"--data D --to demo.agentbox --with-key --with-image", "all in one file"}}},
      {"unpack",
       {{"box.agentbox --data D --key master.key", "into a folder without a box"},
        {"box.agentbox --check --key master.key", "is the file sound?"}}},
      {"rollback",
       {{"--data D", "asks first: what has changed since the upgrade is set aside"},
        {"--data D --yes", "in a script"}}},
      {"images load",
       {{"agentbox-0.1.0-image.tar.gz", "the images of a release, the agents' among them"},
        {"D/images/agents.tar", "the one that came with a packed box"}}},
      {"catalogue update",
       {{"catalogue.json --key publisher.pub --data D", "with catalogue.json.sig beside it"},
        {"catalogue.json --unsigned --data D", "a file of your own"}}},
      {"mcp load",
       {{"files.tgz --data D", "a packed npm package, or a folder that npm install has filled"},
        {"files.tgz --name files --data D", "under another name"}}},
      {"mcp list", {{"--data D", "what agents' configs may name as package"}}},
      {"mcp remove", {{"files --data D", "agents that use it lose its tools"}}},
      {"health",
       {{"--data D", "for monitoring: the exit code says it"},
        {"--data D || systemctl restart agentbox", "restart a box that is not healthy"}}},
      {"doctor",
       {{"--data D", "what is wrong, and what to do"},
        {"--data D --bundle support.tar", "with an archive for support"}}},
      {"openapi", {{"> web.json", "the document of the web listener"}, {"backend", "that of the backend"}}},
      {"routes", {{"", "those of the web listener"}, {"backend | grep /api/admin", "what administrators can call"}}},
      {"settings", {{"", "all settings with defaults and meanings"}, {"| grep BACKUP_", "those about backups"}}},
      {"version", {{"", "with the commit, the compiler and its flags"}, {"--json", "also with all libraries"}}},
      {"completion",
       {{"bash > /etc/bash_completion.d/agentbox", "for all users"}, {"fish | source", "for this shell"}}},
      {"man", {{"| man -l -", "reads it"}, {"> /usr/local/share/man/man1/agentbox.1", "installs it"}}},
      {"agent",
       {{"--boot D/agents/ag_.../run/boot.json", "as the box starts it"},
        {"--check", "the health check of a container"}}},
      {"summarizer",
       {{"--summarizer-listen 127.0.0.1:3100", "without a box"},
        {"--summarizer-allow-private true", "also pages of a local network"}}},
  };
  return all;
}

CLI::App* find(CLI::App& app, std::string_view path) {
  const auto name = path.substr(0, path.find(' '));
  for (auto* command : app.get_subcommands([](CLI::App*) { return true; }))
    if (command->get_name() == name)
      return name.size() == path.size() ? command : find(*command, path.substr(name.size() + 1));
  return nullptr;
}

}  // namespace

void add_examples(CLI::App& app) {
  for (const auto& [path, examples] : table()) {
    auto* command = find(app, path);
    if (command == nullptr) continue;
    std::string text = "Examples:";
    for (const auto& [line, purpose] : examples)
      text += "\n  agentbox " + std::string(path) + (line.empty() ? "" : " ") + std::string(line) + "\n      " +
              std::string(purpose);
    command->footer(text);
  }
}

}  // namespace agentbox::cli
