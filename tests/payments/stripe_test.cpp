// Stripe: what is sold, signatures, and subscriptions whose state does not depend on the order of events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "appliance/foundation/crypto/hmac.h"
#include "appliance/foundation/crypto/random.h"
#include "appliance/foundation/settings/settings.h"
#include "appliance/payments/statements/statement.h"
#include "appliance/payments/stripe/event.h"
#include "appliance/payments/stripe/signature.h"

namespace stripe_test {

using namespace payments::stripe;
using testing::HasSubstr;
using Source = SubscriptionReport::Source;

std::string problem_of(const std::string& entry) {
  try {
    const Prices prices({entry});
  } catch (const agentbox::UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(StripePrices, NameWhatIsSold) {
  const Prices prices({"solo=price_1", "credits.1000=price_2@9.00GBP", "storage.10=price_3"});
  ASSERT_EQ(prices.offers().size(), 3U);
  EXPECT_EQ(prices.find("solo")->amount, "79.00") << "the plan's price";
  EXPECT_EQ(prices.find("price_2")->item.quantity, 1000);
  EXPECT_EQ(prices.find("credits.1000")->amount, "9.00");
  EXPECT_EQ(prices.find("credits.1000")->currency, "GBP");
  EXPECT_EQ(prices.find("price_3")->item.title(), "10 GB of storage");
  EXPECT_EQ(prices.find("network"), nullptr);
  EXPECT_EQ(prices.only_one_of(Item::Kind::storage)->price, "price_3");
}

TEST(StripePrices, RefuseWrongEntries) {
  for (const char* entry : {"solo", "free=price_1", "credits.0=price_1", "credits.-5=price_1", "credits.1e3=price_1",
                            "credits.01=price_1", "storage.=price_1", "solo=", "solo=price 1", "solo=price_1@",
                            "solo=price_1@9.00", "solo=price_1@GBP", "solo=price_1@-1.00GBP", "solo=price_1@9.00gbp"})
    EXPECT_THAT(problem_of(entry), HasSubstr(entry)) << entry;
  EXPECT_THROW(Prices({"solo=price_1", "solo=price_2"}), agentbox::UsageError);
  EXPECT_THROW(Prices({"solo=price_1", "network=price_1"}), agentbox::UsageError);
}

TEST(StripeSignature, CoversTimeAndBody) {
  const std::string secret = "whsec_test", body = R"({"id":"evt_1"})";
  const auto at = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000));
  const auto signature = crypto::hex(crypto::hmac_sha256(secret, "1700000000." + body));
  const auto is_good = [&](const std::string& header, std::chrono::seconds later = {}) {
    return verify_signature(header, body, secret, at + later).has_value();
  };
  EXPECT_TRUE(is_good("t=1700000000,v1=" + signature));
  EXPECT_TRUE(is_good("t=1700000000,v1=" + std::string(64, '0') + ",v0=x,v1=" + signature)) << "a rolled secret";
  EXPECT_TRUE(is_good("t=1700000000,v1=" + signature, std::chrono::seconds(300)));
  EXPECT_FALSE(is_good("t=1700000000,v1=" + signature, std::chrono::seconds(301)));
  EXPECT_FALSE(is_good("t=1700000000,v1=" + signature, std::chrono::seconds(-301)));
  EXPECT_FALSE(is_good("t=1700000001,v1=" + signature));
  EXPECT_FALSE(is_good("t=1700000000,v0=" + signature)) << "an outdated scheme";
  EXPECT_FALSE(is_good("t=1700000000"));
  EXPECT_FALSE(is_good("v1=" + signature));
  EXPECT_FALSE(is_good("t=99999999999999999999,v1=" + signature));
  EXPECT_FALSE(is_good("t=1700000000,v1=" + signature.substr(1)));
  EXPECT_FALSE(is_good(""));
  EXPECT_FALSE(verify_signature("t=1700000000,v1=" + signature, body + " ", secret, at).has_value());
}

SubscriptionReport report(std::int64_t created, Source source, std::optional<std::string> status,
                          std::optional<std::string> item = {}, bool is_item_current = false) {
  return {.id = "sub_1",
          .created = created,
          .source = source,
          .user_id = 7,
          .item = std::move(item),
          .status = std::move(status),
          .is_item_current = is_item_current};
}

// Every order of these reports, with some of them twice, has this result.
void expect_in_any_order(std::vector<SubscriptionReport> reports, const std::string& status, const std::string& item) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::shuffle(reports.begin(), reports.end(), random);
    StripeSubscription known{.id = "sub_1"};
    for (const auto& each : reports) merge(known, each);
    for (std::size_t again = 0; again < reports.size(); again += 2) merge(known, reports[again]);
    ASSERT_EQ(known.status, status);
    ASSERT_EQ(known.item, item);
    ASSERT_EQ(known.user_id, 7);
  }
}

TEST(StripeSubscriptions, AreTheSameInEveryOrderOfEvents) {
  const std::string solo = "solo", network = "network";
  expect_in_any_order({report(100, Source::checkout, "active", solo), report(100, Source::invoice, "active", solo),
                       report(100, Source::subscription, "incomplete", solo, true),
                       report(100, Source::subscription, "active", solo, true)},
                      "active", "solo");
  // The plan was changed in the portal; the invoice still has the metadata of the beginning.
  expect_in_any_order(
      {report(100, Source::checkout, "active", solo), report(100, Source::subscription, "active", solo, true),
       report(200, Source::subscription, "active", network, true), report(201, Source::invoice, "active", solo)},
      "active", "network");
  expect_in_any_order({report(100, Source::subscription, "active", solo, true),
                       report(200, Source::invoice, "past_due", solo), report(300, Source::invoice, "active", solo)},
                      "active", "solo");
  // Nothing revives a subscription that is over, whatever clock its report had.
  expect_in_any_order(
      {report(100, Source::subscription, "active", solo, true),
       report(300, Source::subscription, "canceled", solo, true), report(301, Source::invoice, "past_due", solo)},
      "canceled", "solo");
}

TEST(StripeEvents, AreReadInBothForms) {
  const Prices prices({"solo=price_1", "network=price_2"});
  const auto read = [&](const std::string& text) { return subscription_report(Event::parse(text).value(), prices); };
  const auto old_form = read(R"({"id":"evt_1","type":"invoice.paid","created":5,"data":{"object":
    {"id":"in_1","subscription":"sub_1","subscription_details":{"metadata":{"agentbox_user":"7","agentbox_item":"solo"}}}}})");
  const auto new_form = read(R"({"id":"evt_1","type":"invoice.paid","created":5,"data":{"object":
    {"id":"in_1","parent":{"subscription_details":{"subscription":"sub_1",
     "metadata":{"agentbox_user":"7","agentbox_item":"solo"}}}}}})");
  for (const auto& each : {old_form, new_form}) {
    ASSERT_TRUE(each);
    EXPECT_EQ(each->id, "sub_1");
    EXPECT_EQ(each->user_id, 7);
    EXPECT_EQ(each->item, "solo");
    EXPECT_EQ(each->status, "active");
    EXPECT_FALSE(each->is_item_current);
  }
  const auto changed = read(R"({"id":"evt_2","type":"customer.subscription.updated","created":5,"data":{"object":
    {"id":"sub_1","status":"active","metadata":{"agentbox_user":"7","agentbox_item":"solo"},
     "items":{"data":[{"price":{"id":"price_2"}}]}}}})");
  EXPECT_EQ(changed->item, "network");
  EXPECT_TRUE(changed->is_item_current);
  const auto first = read(R"({"id":"evt_3","type":"invoice.payment_failed","created":5,"data":{"object":
    {"id":"in_1","subscription":"sub_1","billing_reason":"subscription_create"}}})");
  EXPECT_EQ(first->status, "incomplete") << "a first payment that fails begins nothing";
}

TEST(StripeEvents, AreRefusedWithTheFieldThatIsWrong) {
  for (const auto& [text, field] : std::vector<std::pair<std::string, std::string>>{
           {"", "Body"},
           {"[]", "Body"},
           {"{}", "id"},
           {R"({"id":7})", "id"},
           {R"({"id":"evt_1"})", "type"},
           {R"({"id":"evt_1","type":"x"})", "created"},
           {R"({"id":"evt_1","type":"x","created":-1})", "created"},
           {R"({"id":"evt_1","type":"x","created":1})", "data.object"},
           {R"({"id":"evt_1","type":"x","created":1,"data":{"object":[]}})", "data.object"}}) {
    const auto event = Event::parse(text);
    ASSERT_FALSE(event) << text;
    EXPECT_THAT(event.error().message, HasSubstr(field)) << text;
  }
}

TEST(Currencies, HaveTheirDecimals) {
  using payments::statements::decimal_amount;
  EXPECT_EQ(decimal_amount(1999, "gbp"), "19.99");
  EXPECT_EQ(decimal_amount(5, "gbp"), "0.05");
  EXPECT_EQ(decimal_amount(0, "usd"), "0.00");
  EXPECT_EQ(decimal_amount(-250, "eur"), "-2.50");
  EXPECT_EQ(decimal_amount(500, "jpy"), "500");
  EXPECT_EQ(decimal_amount(1234, "kwd"), "1.234");
}

}  // namespace stripe_test
