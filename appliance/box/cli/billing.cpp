#include "appliance/box/cli/subcommands.h"

#include <CLI/Validators.hpp>
#include <iomanip>
#include <iostream>
#include <memory>

#include "appliance/box/cli/admin_command.h"

namespace agentbox::cli {

namespace {

namespace json = boost::json;

std::string string_value(const json::value& value) { return json::value_to<std::string>(value); }

struct Invoice {
  std::string user, month, format = "html";
};

int print_invoice(const BoxClient& box, const Invoice& given) {
  const auto query =
      "?user=" + escaped(given.user) + "&month=" + escaped(given.month) + "&format=" + escaped(given.format);
  std::cout << box.get_text("/api/admin/statement" + query);
  if (given.format == "json") std::cout << '\n';
  return 0;
}

struct Adjustment {
  std::string user, usd, reason;
};

void print_entry(const json::object& entry) {
  std::cout << std::left << std::setw(26) << string_value(entry.at("at")) << std::setw(10)
            << string_value(entry.at("kind")) << std::setw(18) << string_value(entry.at("amount"))
            << string_value(entry.at("note")) << '\n';
}

int print_credits(const BoxClient& box, const Adjustment& given) {
  const auto user = string_value(box.call("GET", "/api/admin/users/" + escaped(given.user)).as_object().at("id"));
  if (!given.usd.empty()) {
    if (given.reason.empty()) throw UsageError("--add needs --reason, which the user can read");
    const json::object body{{"userId", user}, {"usd", given.usd}, {"reason", given.reason}};
    box.call("POST", "/api/admin/credits", body);
  }
  const auto answer = box.call("GET", "/api/admin/credits?userId=" + user).as_object();
  const auto& account = answer.at("account").as_object();
  std::cout << "balance " << string_value(account.at("balance")) << " USD, reserved "
            << string_value(account.at("reserved")) << " USD\n";
  for (const auto& entry : answer.at("entries").as_array()) print_entry(entry.as_object());
  return 0;
}

}  // namespace

void add_billing(CLI::App& admin, std::function<int()>& run) {
  const auto invoice = std::make_shared<Invoice>();
  auto* printing =
      admin.add_subcommand("invoice", "Print a user's statement of a month: plan, usage, credits, payments");
  printing->add_option("user", invoice->user, "e-mail or id")->required();
  printing->add_option("month", invoice->month, "calendar month (UTC), such as 2026-11")->required();
  printing->add_option("--format", invoice->format, "html, csv or json [html]")
      ->check(CLI::IsMember({"html", "csv", "json"}));
  connect(*printing, run, [invoice](const BoxClient& box) { return print_invoice(box, *invoice); });

  const auto adjustment = std::make_shared<Adjustment>();
  auto* account = admin.add_subcommand("credits", "Print a user's credits, or adjust them");
  account->add_option("user", adjustment->user, "e-mail or id")->required();
  account->add_option("--add", adjustment->usd, "US dollars to add, or to take: --add=-2.50");
  account->add_option("--reason", adjustment->reason, "why; the user can read it");
  connect(*account, run, [adjustment](const BoxClient& box) { return print_credits(box, *adjustment); });
}

}  // namespace agentbox::cli
