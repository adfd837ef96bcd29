// A statement as one table (RFC 4180): every line names its section, and lines of totals say so.
#include <initializer_list>

#include "appliance/payments/statements/statement.h"
#include "web/routes/reply.h"

namespace payments::statements {

namespace {

// Spreadsheets run texts that begin like this.
bool is_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

// What users and providers have named.
std::string safe(const std::string& text) { return is_formula(text) ? "'" + text : text; }

class Csv {
 public:
  // Cells that a section does not have are left empty.
  void row(std::initializer_list<std::string> cells) {
    constexpr std::size_t columns = 9;
    for (const auto& cell : cells) {
      if (&cell != cells.begin()) text_ += ',';
      add(cell);
    }
    text_.append(columns - cells.size(), ',').append("\r\n");
  }
  std::string take() { return std::move(text_); }

 private:
  void add(const std::string& cell) {
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      text_ += cell;
      return;
    }
    text_ += '"';
    for (const char c : cell) text_.append(c == '"' ? 2 : 1, c);
    text_ += '"';
  }
  std::string text_;
};

void add_usage(Csv& csv, const std::string& section, const std::string& name, const usage::TotalsView& totals) {
  csv.row({section, "", safe(name), std::to_string(totals.calls), std::to_string(totals.inputTokens),
           std::to_string(totals.outputTokens), totals.cost, "USD", std::to_string(totals.unpriced)});
}

void add_credits(Csv& csv, const std::string& at, const std::string& what, const std::string& amount) {
  csv.row({"credits", at, safe(what), "", "", "", amount, "USD"});
}

}  // namespace

std::string to_csv(const Statement& statement) {
  Csv csv;
  csv.row({"section", "date", "item", "calls", "input_tokens", "output_tokens", "amount", "currency",
           "calls_of_unknown_cost"});
  csv.row({"statement", statement.month, safe(statement.user.email)});
  for (const auto& plan : statement.plans)
    csv.row({"plan", web::iso8601(plan.from), plan.plan, "", "", "", std::to_string(plan.priceGbp) + ".00", "GBP"});
  for (const auto& model : statement.usage.models) add_usage(csv, "usage", model.id, model.usage);
  add_usage(csv, "usage total", "", statement.usage.total);
  add_usage(csv, "usage paid by credits", "", statement.usage.paidByCredits);
  for (const auto& model : statement.usage.ownKeys) add_usage(csv, "own keys", model.id, model.usage);
  add_usage(csv, "own keys total", "", statement.usage.ownKeysTotal);
  const auto& credits = statement.credits;
  add_credits(csv, "", "opening", credits.opening);
  for (const auto& entry : credits.entries) {
    const std::string kind = boost::describe::enum_to_string(entry.kind, "");
    add_credits(csv, web::iso8601(entry.at), kind + ": " + entry.note, entry.amount);
  }
  add_credits(csv, "", "spent", credits.spent);
  add_credits(csv, "", "closing", credits.closing);
  for (const auto& payment : statement.payments) {
    csv.row({"payment " + payment.status, web::iso8601(payment.at), safe(payment.title), "", "", "", payment.amount,
             payment.currency});
  }
  for (const auto& sum : statement.paymentTotals) {
    csv.row({"payment total", "", "", "", "", "", sum.paid, sum.currency});
    csv.row({"payment refunded", "", "", "", "", "", sum.refunded, sum.currency});
  }
  return csv.take();
}

}  // namespace payments::statements
