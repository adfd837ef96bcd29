#include "appliance/box/cli/subcommands.h"

#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"
#include "appliance/box/cli/confirmation.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

constexpr std::chrono::minutes whole_log{10};  // for reading all of it

int print_audit_log(const BoxClient& box) {
  for (json::value after = 0; !after.is_null();) {
    auto page = box.call("GET", "/api/admin/audit?limit=1000&after=" + json::serialize(after)).as_object();
    for (const auto& entry : page.at("entries").as_array()) std::cout << json::serialize(entry) << '\n';
    after = page.at("next");
  }
  return 0;
}

void print_line(std::string_view type, const json::value& content) {
  json::object line{{"type", type}};
  for (const auto& [name, value] : content.as_object()) line[name] = value;
  std::cout << json::serialize(line) << '\n';
}

// Each head follows the entry that it is about.
int print_export(const BoxClient& box) {
  json::value after = 0;
  for (bool is_first = true; !after.is_null(); is_first = false) {
    auto page = box.call("GET", "/api/admin/audit/export?limit=1000&after=" + json::serialize(after)).as_object();
    if (is_first) {
      print_line("key", json::object{{"publicKey", page.at("publicKey")}, {"first", page.at("first")}});
      if (page.at("anchor").is_object()) print_line("anchor", page.at("anchor"));
    }
    const auto& heads = page.at("heads").as_array();
    const auto* head = heads.begin();
    for (const auto& entry : page.at("entries").as_array()) {
      print_line("entry", entry);
      for (; head != heads.end() && head->at("entry") == entry.at("id"); ++head) print_line("head", *head);
    }
    after = page.at("next");
  }
  return 0;
}

int verify_audit_log(const BoxClient& box) {
  const auto report = box.call("GET", "/api/admin/audit/verify", nullptr, whole_log).as_object();
  const auto number = [&](std::string_view name) { return json::serialize(report.at(name)); };
  if (!report.at("ok").as_bool()) {
    const auto& problem = report.at("problem").as_object();
    const auto& entry = problem.at("entry");
    std::cout << (entry.is_null() ? "" : "entry " + json::serialize(entry) + ": ")
              << problem.at("what").as_string().c_str() << '\n';
    return 1;
  }
  std::cout << "the audit log is unchanged: " << number("entries") << " entries";
  if (report.at("signedEntry").is_null())
    std::cout << ", none of them signed yet";
  else
    std::cout << ", signed up to entry " << number("signedEntry") << " on " << report.at("signedAt").as_string().c_str()
              << ", " << number("notSigned") << " after it";
  std::cout << "; " << number("erased") << " without personal data; " << number("unprotected")
            << " older than the chain\n";
  return 0;
}

struct ErasureArguments {
  std::string user, subject;
};

int erase_personal_data(const BoxClient& box, const ErasureArguments& given) {
  std::string query;
  if (!given.user.empty()) query += "&userId=" + escaped(given.user);
  if (!given.subject.empty()) query += "&subject=" + escaped(given.subject);
  if (query.empty()) throw UsageError("name the person: give --user, --subject or both");
  query.front() = '?';
  const auto answer = box.call("DELETE", "/api/admin/audit/personal-data" + query, nullptr, whole_log).as_object();
  std::cout << "personal data erased from " << json::serialize(answer.at("erased")) << " entries\n";
  return 0;
}

}  // namespace

void add_audit(CLI::App& admin, std::function<int()>& run) {
  auto* audit = admin.add_subcommand("audit", "Print the security audit log as JSON lines, oldest first");
  connect(*audit, run, print_audit_log);
  connect(
      *audit->add_subcommand("verify", "Verify that no entry was changed, removed or moved; exit code 1 if one was"),
      run, verify_audit_log);
  connect(*audit->add_subcommand("export", "Print the log as JSON lines with its hashes and signed heads"), run,
          print_export);
  const auto given = std::make_shared<ErasureArguments>();
  auto* erasing = audit->add_subcommand("erase", "Erase a person's data; the entries stay in the chain");
  erasing->add_option("--user", given->user, "the user's id");
  erasing->add_option("--subject", given->subject, "an e-mail address, wallet or other subject of entries");
  const Confirmation confirmation(*erasing);
  connect(*erasing, run, [given, confirmation](const BoxClient& box) {
    confirmation.require("Permanently erase this person's data from the audit log?");
    return erase_personal_data(box, *given);
  });
}

}  // namespace agentbox::cli
