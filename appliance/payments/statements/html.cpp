// A statement as a page to print. Browsers get it without inline styles, which the box's content security policy
// forbids.
#include <string_view>
#include <vector>

#include "appliance/payments/statements/statement.h"
#include "web/routes/reply.h"

namespace payments::statements {

namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string day(store::Time at) { return web::iso8601(at).substr(0, std::string_view("2026-11-21").size()); }

class Table {
 public:
  // The columns from `first_number` on are aligned to the right.
  Table(std::string_view title, const std::vector<std::string>& heads, std::size_t first_number)
      : first_number_(first_number) {
    html_ =
        "<h2>" + escaped(title) + "</h2>\n<table border=\"1\" cellpadding=\"4\" cellspacing=\"0\" width=\"100%\">\n";
    add(heads, "th");
  }
  void row(const std::vector<std::string>& cells) { add(cells, "td"); }
  void total(const std::vector<std::string>& cells) { add(cells, "th"); }
  std::string take() { return html_ + "</table>\n"; }

 private:
  void add(const std::vector<std::string>& cells, std::string_view tag) {
    html_ += "<tr>";
    for (std::size_t at = 0; at < cells.size(); ++at) {
      html_.append("<").append(tag).append(at < first_number_ ? " align=\"left\">" : " align=\"right\">");
      html_.append(escaped(cells[at])).append("</").append(tag).append(">");
    }
    html_ += "</tr>\n";
  }
  const std::size_t first_number_;
  std::string html_;
};

// Nobody has to take an unknown cost for none.
std::string cost_of(const usage::TotalsView& totals) {
  return totals.unpriced > 0 && totals.cost == usage::Money().to_string() ? "unknown" : totals.cost;
}

std::vector<std::string> usage_cells(std::string name, const usage::TotalsView& totals) {
  return {std::move(name), std::to_string(totals.calls), std::to_string(totals.inputTokens),
          std::to_string(totals.outputTokens), cost_of(totals)};
}

std::string usage_table(std::string_view title, const std::vector<usage::Row>& rows, const usage::TotalsView& total) {
  Table table(title, {"Model", "Calls", "Input tokens", "Output tokens", "USD"}, 1);
  for (const auto& row : rows) table.row(usage_cells(row.id, row.usage));
  table.total(usage_cells("Total", total));
  if (total.unpriced == 0) return table.take();
  return table.take() + "<p>The cost of " + std::to_string(total.unpriced) +
         " calls is unknown, since the catalogue has no price for their models. The amounts are without them.</p>\n";
}

std::string plan_table(const Statement& statement) {
  Table table("Plan", {"Plan", "From", "To", "GBP a month"}, 3);
  for (const auto& plan : statement.plans)
    table.row({plan.plan, day(plan.from), day(plan.to), std::to_string(plan.priceGbp) + ".00"});
  return table.take();
}

std::string credit_table(const CreditPart& credits) {
  Table table("Credits", {"Date", "Entry", "USD"}, 2);
  table.row({"", "Opening balance", credits.opening});
  for (const auto& entry : credits.entries) {
    const std::string kind = boost::describe::enum_to_string(entry.kind, "");
    table.row({day(entry.at), kind + ": " + entry.note, entry.amount});
  }
  table.row({"", "Spent on model calls", credits.spent});
  table.total({"", "Closing balance", credits.closing});
  return table.take();
}

std::string payment_table(const Statement& statement) {
  Table table("Payments by card", {"Date", "Item", "Status", "Amount", "Refunded", "Currency"}, 3);
  for (const auto& payment : statement.payments)
    table.row({day(payment.at), payment.title, payment.status, payment.amount, payment.refunded, payment.currency});
  for (const auto& sum : statement.paymentTotals)
    table.total({"", "Total paid", "", sum.paid, sum.refunded, sum.currency});
  return table.take();
}

}  // namespace

std::string to_html(const Statement& statement) {
  const auto title = "Statement " + statement.month + ", " + statement.user.email;
  std::string page = "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>" + escaped(title) +
                     "</title></head>\n<body>\n<h1>" + escaped(title) + "</h1>\n<p>" + escaped(statement.user.name) +
                     ", user " + statement.user.id + ". Created " + web::iso8601(statement.createdAt) + ".</p>\n";
  if (!statement.plans.empty()) page += plan_table(statement);
  page += usage_table("Usage by model", statement.usage.models, statement.usage.total);
  page += "<p>Of this, credits paid " + statement.usage.paidByCredits.cost + " USD for " +
          std::to_string(statement.usage.paidByCredits.totalTokens) + " tokens beyond the plan's quota.</p>\n";
  if (!statement.usage.ownKeys.empty())
    page += usage_table("Usage with your own provider keys", statement.usage.ownKeys, statement.usage.ownKeysTotal);
  page += credit_table(statement.credits);
  if (!statement.payments.empty()) page += payment_table(statement);
  return page + "</body>\n</html>\n";
}

}  // namespace payments::statements
