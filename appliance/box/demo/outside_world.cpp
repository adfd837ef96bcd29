#include "appliance/box/demo/outside_world.h"

#include "appliance/foundation/version.h"
#include "web/endpoint.h"
#include "web/markup.h"

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

std::string document(const std::string& title, const std::string& body) {
  return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title +
         "</title></head><body><main><h1>" + title + "</h1>" + body + "</main></body></html>";
}

web::Response html(const std::string& title, const std::string& body) {
  return web::text(document(title, body), "text/html; charset=utf-8", 200);
}

std::string rows_of(const std::vector<Mail>& mails) {
  std::string rows;
  for (const auto& mail : mails)
    rows += "<article><h2>" + web::escape_markup(mail.subject) + "</h2><p>" + web::escape_markup(mail.to) + ", " +
            web::escape_markup(mail.at) + "</p><pre>" + web::escape_markup(mail.body) + "</pre></article>";
  return rows.empty() ? "<p>No mail.</p>" : rows;
}

web::Route row(const web::Guard& guard, const std::string& path, web::Handler handler, std::string summary) {
  return {web::GET, path, guard, nullptr, web::plain(std::move(handler)), std::move(summary)};
}

std::vector<web::Route> routes(const web::Guard& open, OutsideWorld::ReadMails read_mails) {
  std::vector<web::Route> rows;
  for (const auto& page : pages())
    rows.push_back(row(
        open, page.path, [&page](web::Request&) -> web::Answer { co_return html(page.title, page.body); }, page.title));
  rows.push_back(row(
      open, "/news.rss",
      [](web::Request&) -> web::Answer { co_return web::text(std::string(news), "application/rss+xml", 200); },
      "News, as a feed"));
  rows.push_back(row(
      open, "/prices.json",
      [](web::Request&) -> web::Answer { co_return web::text(std::string(prices), "application/json", 200); },
      "Prices of the market"));
  rows.push_back(row(
      open, "/inbox",
      [read = std::move(read_mails)](web::Request&) -> web::Answer {
        const auto mails = co_await read();
        if (!mails) co_return mails.error();
        co_return html("Inbox", rows_of(*mails));
      },
      "Mails that the box has sent"));
  return rows;
}

const web::Guard& everybody() {
  static const web::Guard guard{.name = "none",
                                .scheme = "",
                                .admit = [](const web::Request&) -> web::Result<web::Caller> { return web::Caller{}; }};
  return guard;
}

}  // namespace

OutsideWorld::OutsideWorld(const std::string& listen, ReadMails read_mails) {
  web::ListenerOptions listener;
  listener.name = "outside";
  listener.listen = listen;
  listener.routes = routes(everybody(), std::move(read_mails));
  listener.version = agentbox::version;
  server_.listen(std::move(listener));
  pool_.start();
}

OutsideWorld::~OutsideWorld() { pool_.stop(); }

}  // namespace demo
