#include "appliance/demo/fake_services/web_site.h"

#include "appliance/demo/fake_services/page.h"

namespace demo {

namespace {

struct Page {
  std::string path, title, body;
};

const std::vector<Page>& pages() {
  static const std::vector<Page> all{
      {"/", "Port Ellis",
       "<p>Port Ellis is a small harbour that exists inside this box only. It needs no network.</p>"
       "<ul><li><a href=\"/tides\">Tides</a></li><li><a href=\"/harbour\">The harbour</a></li>"
       "<li><a href=\"/market\">The market</a></li><li><a href=\"/inbox\">Inbox</a></li></ul>"},
      {"/tides", "Tides at Port Ellis",
       "<p>The tide turns twice a day at Port Ellis. High water is at six in the morning and at half past six in the "
       "evening; low water follows about six hours later.</p><p>Around the new moon and the full moon the range is "
       "four "
       "metres, and boats with more than two metres of draught wait outside until the flood has begun.</p><p>The "
       "harbour "
       "master writes the height on a board beside the slipway every hour. Fishermen read it before they cast "
       "off.</p>"},
      {"/harbour", "The harbour",
       "<p>Forty boats lie in the harbour of Port Ellis, thirty of them for fishing. The pilot boat leaves at the call "
       "of any ship that is longer than fifty metres.</p><p>The crane on the north quay lifts ten tonnes. Visitors pay "
       "twelve dollars a night, water and light included, and report to the harbour office when they arrive.</p>"},
      {"/market", "The market",
       "<p>The market is held on Wednesdays and Saturdays from seven to one. Mackerel sold for six dollars a kilogram "
       "last week, crab for fourteen.</p><p>The baker from the hill brings forty loaves and has never taken one back. "
       "In "
       "winter the stalls move into the boat shed.</p>"},
  };
  return all;
}

constexpr std::string_view news =
    R"(<?xml version="1.0"?><rss version="2.0"><channel><title>Port Ellis news</title><link>http://port-ellis.invalid/</link>
<description>What happens at the harbour</description>
<item><title>Crane on the north quay repaired</title><guid>n-3</guid><description>It lifts ten tonnes again.</description></item>
<item><title>Regatta with sixty boats</title><guid>n-2</guid><description>The wind held until the evening.</description></item>
<item><title>New light on the mole</title><guid>n-1</guid><description>Green, every four seconds.</description></item>
</channel></rss>)";

constexpr std::string_view prices =
    R"({"currency":"USD","perKilogram":{"mackerel":"6.00","crab":"14.00","cod":"9.50"}})";

}  // namespace

std::vector<web::Route> web_site() {
  std::vector<web::Route> rows;
  for (const auto& each : pages())
    rows.push_back(row(
        web::GET, each.path, [&each](web::Request&) -> web::Answer { co_return page(each.title, each.body); },
        each.title));
  rows.push_back(row(
      web::GET, "/news.rss",
      [](web::Request&) -> web::Answer { co_return web::text(std::string(news), "application/rss+xml", 200); },
      "News, as a feed"));
  rows.push_back(row(
      web::GET, "/prices.json",
      [](web::Request&) -> web::Answer { co_return web::text(std::string(prices), "application/json", 200); },
      "Prices of the market"));
  return rows;
}

}  // namespace demo
