#include "summarizer/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <future>

#include "tests/support/loopback.h"

namespace summarizer {
namespace routes_test {

using test_support::Loopback;
using test_support::Peer;
using testing::HasSubstr;
using testing::StartsWith;

class Summarizer : public testing::Test {
 protected:
  Summarizer() { options_.allow_private = true; }

  web::Result<web::Response> call(web::Method method, std::string_view target, std::string_view body = {}) {
    const auto path = target.substr(0, target.find('?'));
    for (const auto& route : routes_) {
      if (route.method != method || route.path != path) continue;
      web::Request request{.method = method, .path = std::string(path), .body = body};
      request.query = target.substr(std::min(path.size() + 1, target.size()));
      auto answer = boost::asio::co_spawn(io_, route.endpoint.handle(request), boost::asio::use_future);
      io_.restart();
      io_.run();
      return answer.get();
    }
    ADD_FAILURE() << "no route " << path;
    return web::not_found();
  }
  static boost::json::object json_of(const web::Result<web::Response>& answer) {
    if (answer.has_error()) {
      ADD_FAILURE() << answer.error().message;
      return {};
    }
    return boost::json::parse(std::get<std::string>(answer->body)).as_object();
  }
  boost::json::object ask(std::string_view path, const std::string& url) {
    return json_of(call(web::POST, path, boost::json::serialize(boost::json::object{{"url", url}})));
  }
  std::string failure(std::string_view path, const std::string& url) {
    const auto answer = call(web::POST, path, boost::json::serialize(boost::json::object{{"url", url}}));
    if (answer) return "answered";
    EXPECT_EQ(answer.error().kind, web::Kind::internal);
    return answer.error().message;
  }

  boost::asio::io_context io_;
  boost::asio::thread_pool parsers_{1};
  Options options_;
  PageCache cache_{1u << 20};
  std::vector<web::Route> routes_ = web_routes({options_, cache_, parsers_});
};

Loopback::Script page(std::string html, std::string headers = "Content-Type: text/html; charset=utf-8\r\n") {
  return [=](Peer& peer) {
    while (!peer.read_request().empty()) peer.answer(html, headers);
  };
}

TEST_F(Summarizer, DescribesItself) {
  const auto about = json_of(call(web::GET, "/"));
  EXPECT_TRUE(about.at("service").is_string());
  EXPECT_TRUE(about.at("endpoints").is_object());
  EXPECT_EQ(about.at("payment").at("currency"), "USDC");
  EXPECT_TRUE(about.at("payment").at("payTo").is_null());
  const auto health = json_of(call(web::GET, "/health"));
  EXPECT_EQ(health.at("status"), "ok");
  EXPECT_EQ(health.at("version"), "1.0.0");
}

TEST_F(Summarizer, RequiresAUrl) {
  for (const char* path : {"/api/summarize", "/api/extract"}) {
    for (const char* body : {"{}", R"({"url":null})", R"({"url":""})", ""}) {
      const auto answer = call(web::POST, path, body);
      ASSERT_TRUE(answer.has_error()) << body;
      EXPECT_EQ(answer.error().kind, web::Kind::invalid);
      EXPECT_EQ(answer.error().message, "url required");
    }
    const auto answer = call(web::POST, path, R"({"url":7})");
    ASSERT_TRUE(answer.has_error());
    EXPECT_EQ(answer.error().kind, web::Kind::invalid);
    EXPECT_THAT(answer.error().message, HasSubstr("url"));
  }
}

TEST_F(Summarizer, SummarizesAPage) {
  Loopback site(page("<title>T</title><meta name=description content=D><h1>H</h1><p>One two</p><p>three</p>"));
  const auto answer = ask("/api/summarize", site.url("/page"));
  EXPECT_EQ(answer.at("url").as_string(), site.url("/page"));
  EXPECT_EQ(answer.at("title"), "T");
  EXPECT_EQ(answer.at("description"), "D");
  EXPECT_EQ(boost::json::serialize(answer.at("headings")), R"(["H"])");
  EXPECT_EQ(boost::json::serialize(answer.at("paragraphs")), R"(["One two","three"])");
  EXPECT_EQ(answer.at("wordCount"), 4);
  EXPECT_THAT(std::string(answer.at("fetchedAt").as_string()), testing::MatchesRegex("20..-..-..T..:..:..\\....Z"));
}

TEST_F(Summarizer, AddsTheArticleWhereAFormatIsAskedFor) {
  const std::string sentence =
      "The keeper lights the lamp at dusk, writes the hour into his book, and watches the sea.";
  Loopback site(
      page("<html lang=en><title>T</title><meta name=author content=Jo><script type=application/ld+json>"
           "{\"@type\":\"Article\",\"datePublished\":\"2024-01-02\"}</script><nav><a href=/>Home</a></nav>"
           "<article><h1>T</h1><p>" +
           sentence + "<p><b>" + sentence + "</b></article>"));
  const auto answer = ask("/api/summarize?format=markdown", site.url("/page"));
  EXPECT_EQ(answer.at("title"), "T");
  EXPECT_EQ(answer.at("content").as_string(), sentence + "\n\n**" + sentence + "**");
  EXPECT_EQ(answer.at("sentences"), boost::json::array{sentence});
  EXPECT_EQ(answer.at("byline"), "Jo");
  EXPECT_EQ(answer.at("published"), "2024-01-02");
  EXPECT_EQ(answer.at("language"), "en");
  EXPECT_EQ(answer.at("site"), "127.0.0.1");
  EXPECT_EQ(answer.at("canonical").as_string(), site.url("/page"));
  EXPECT_EQ(answer.at("jsonLd").at(0).at("@type"), "Article");

  EXPECT_EQ(ask("/api/summarize?format=text", site.url()).at("content").as_string(), sentence + "\n\n" + sentence);
  EXPECT_FALSE(ask("/api/summarize", site.url()).contains("content"));
  const auto other = call(web::POST, "/api/summarize?format=pdf", R"({"url":"http://example.com/"})");
  ASSERT_TRUE(other.has_error());
  EXPECT_EQ(other.error().kind, web::Kind::invalid);
  EXPECT_THAT(other.error().message, HasSubstr("format"));
}

TEST_F(Summarizer, ExtractsAgainstTheAddressAfterRedirects) {
  Loopback site([](Peer& peer) {
    while (true) {
      const auto request = peer.read_request();
      if (request.empty()) return;
      if (request.starts_with("GET /old ")) {
        peer.answer("", "Location: /new/place\r\n", "301 Moved");
      } else {
        peer.answer("<a href=next>N</a><img src=i.png alt=I>", "Content-Type: application/xhtml+xml\r\n");
      }
    }
  });
  const auto answer = ask("/api/extract", site.url("/old"));
  EXPECT_EQ(answer.at("url").as_string(), site.url("/old"));
  EXPECT_EQ(answer.at("links").at(0).at("href").as_string(), site.url("/new/next"));
  EXPECT_EQ(answer.at("images").at(0).at("src").as_string(), site.url("/new/i.png"));
  EXPECT_TRUE(answer.at("meta").is_object());
  EXPECT_TRUE(answer.contains("fetchedAt"));
}

TEST_F(Summarizer, SendsItsUserAgentAndAcceptHeaders) {
  std::promise<std::string> seen;
  Loopback site([&](Peer& peer) {
    seen.set_value(peer.read_request());
    peer.answer("<p>x", "Content-Type: text/html\r\n");
  });
  ask("/api/summarize", site.url());
  const auto request = seen.get_future().get();
  EXPECT_THAT(request, HasSubstr("User-Agent: agentbox-summarizer/1.0\r\n"));
  EXPECT_THAT(request, HasSubstr("Accept: text/html,application/xhtml+xml\r\n"));
}

TEST_F(Summarizer, DecodesThePagesOwnEncoding) {
  Loopback site(page("<title>caf\xE9</title>", "Content-Type: text/html; charset=iso-8859-1\r\n"));
  EXPECT_EQ(ask("/api/summarize", site.url()).at("title"), "café");
}

TEST_F(Summarizer, AnswersAnEmptyPageWithEmptyFields) {
  Loopback site(page(""));
  const auto answer = ask("/api/summarize", site.url());
  EXPECT_EQ(answer.at("title"), "");
  EXPECT_EQ(answer.at("wordCount"), 0);
  EXPECT_EQ(boost::json::serialize(ask("/api/extract", site.url()).at("links")), "[]");
}

TEST_F(Summarizer, ExplainsFailures) {
  Loopback missing([](Peer& peer) {
    while (!peer.read_request().empty()) peer.answer("<p>gone", "Content-Type: text/html\r\n", "404 Not Found");
  });
  EXPECT_THAT(failure("/api/summarize", missing.url()), HasSubstr("404"));
  Loopback picture(page("...", "Content-Type: image/png\r\n"));
  EXPECT_THAT(failure("/api/extract", picture.url()), HasSubstr("not HTML but image/png"));
  Loopback large(page(std::string((10u << 20) + 1, 'x')));
  EXPECT_THAT(failure("/api/summarize", large.url()), HasSubstr("larger than 10 MB"));
  const auto nobody = "http://127.0.0.1:" + std::to_string(test_support::closed_port());
  EXPECT_THAT(failure("/api/summarize", nobody), HasSubstr("connection refused"));
  for (const char* url : {"not a url", "ftp://example.com/", "file:///etc/passwd", "http://user:word@127.0.0.1/"}) {
    EXPECT_THAT(failure("/api/summarize", url), StartsWith("The page could not be fetched: ")) << url;
  }
}

TEST_F(Summarizer, ReachesNothingPrivateUnlessAllowed) {
  Loopback canary(page("<title>secret"));
  options_.allow_private = false;
  EXPECT_THAT(failure("/api/summarize", canary.url()), HasSubstr("not a public address"));
  EXPECT_THAT(failure("/api/extract", "http://localhost:" + std::to_string(canary.port())),
              HasSubstr("not a public address"));
  EXPECT_EQ(canary.connections(), 0u);
}

TEST_F(Summarizer, RevalidatesCachedPages) {
  std::vector<std::string> requests;
  Loopback site([&](Peer& peer) {
    for (;;) {
      const auto request = peer.read_request();
      if (request.empty()) return;
      requests.push_back(request);
      if (request.find("If-None-Match: \"v1\"") != request.npos && requests.size() < 3) {
        peer.answer("", "ETag: \"v1\"\r\n", "304 Not Modified");
      } else {
        const auto version = requests.size() < 3 ? "v1" : "v2";
        peer.answer(std::string("<title>") + version,
                    std::string("Content-Type: text/html\r\nETag: \"") + version + "\"\r\n");
      }
    }
  });
  for (const char* title : {"v1", "v1", "v2", "v2"}) EXPECT_EQ(ask("/api/summarize", site.url()).at("title"), title);
  EXPECT_THAT(requests.at(0), testing::Not(HasSubstr("If-None-Match")));
  EXPECT_THAT(requests.at(3), HasSubstr("If-None-Match: \"v2\""));
}

TEST_F(Summarizer, ReadsCompressedPages) {
  using namespace std::string_literals;
  const auto compressed = [](std::string bytes, const char* coding) {
    return page(std::move(bytes), std::string("Content-Type: text/html\r\nContent-Encoding: ") + coding + "\r\n");
  };
  const auto gzip =
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xb3\x29\xc9\x2c\xc9\x49\xb5\x4b\x4e\x4c\x3b\xbc\x52\xa1\x20\x31\x39\x3b"
      "\x35\xc5\x46\x1f\x22\x06\x00\x00\xe3\x2f\x12\x1b\x00\x00\x00"s;
  const auto deflate =
      "\x78\x9c\xb3\x29\xc9\x2c\xc9\x49\xb5\x4b\x4e\x4c\x3b\xbc\x52\xa1\x20\x31\x39\x3b\x35\xc5\x46\x1f\x22\x06\x00\x96"
      "\x18\x0a\x86"s;
  const auto brotli = "\x0b\x0d\x80<title>caf\xc3\xa9 packed</title>\x03"s;
  for (const auto& [coding, bytes] : {std::pair{"gzip", gzip}, {"deflate", deflate}, {"br", brotli}}) {
    Loopback site(compressed(bytes, coding));
    EXPECT_EQ(ask("/api/summarize", site.url()).at("title"), "café packed") << coding;
  }
  Loopback early(compressed(gzip.substr(0, gzip.size() - 4), "gzip"));
  EXPECT_THAT(failure("/api/summarize", early.url()), HasSubstr("sent a compressed body that ends early"));
  Loopback unknown(compressed(gzip, "zstd"));
  EXPECT_THAT(failure("/api/summarize", unknown.url()), HasSubstr("unknown content coding zstd"));
  // 11 MB of spaces.
  Loopback bomb(
      compressed("\xcb\xff\xff\x3f\xf8\x25\x40\xe2\xb1\x40\x20\xf7\xfe\x2f\xff\xff\x5f\xf0\x4b\x00\xc4\x61\x11"
                 "\x80\xee\xfd\x0b"s,
                 "br"));
  EXPECT_THAT(failure("/api/summarize", bomb.url()), HasSubstr("larger than 10 MB"));
}

TEST_F(Summarizer, GivesUpOnASlowSite) {
  options_.page_time = std::chrono::milliseconds(300);
  Loopback drip([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>");
    while (peer.send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  EXPECT_THAT(failure("/api/summarize", drip.url()), HasSubstr("no complete answer within 300 ms"));
  Loopback hops([](Peer& peer) {
    for (;;) {
      if (peer.read_request().empty()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      peer.answer("", "Location: /again\r\n", "302 Found");
    }
  });
  EXPECT_THAT(failure("/api/summarize", hops.url()), HasSubstr("within 300 ms"));
}

TEST_F(Summarizer, FollowsTenRedirectsAndNoneOutOfTheWeb) {
  std::size_t asked = 0;
  Loopback site([&asked](Peer& peer) {
    for (;;) {
      const auto request = peer.read_request();
      if (request.empty()) return;
      ++asked;
      const int left = request[5] - '0';
      if (request.starts_with("GET /mail")) {
        peer.answer("", "Location: ftp://example.com/\r\n", "302 Found");
      } else if (request.starts_with("GET /login")) {
        peer.answer("", "Location: http://user:word@127.0.0.1/\r\n", "302 Found");
      } else if (left > 0 && left < 10) {
        peer.answer("", "Location: /" + std::to_string(left - 1) + "\r\n", "302 Found");
      } else if (left == 0) {
        peer.answer("<title>end</title>", "Content-Type: text/html\r\n");
      } else {
        peer.answer("", "Location: /round\r\n", "302 Found");
      }
    }
  });
  EXPECT_EQ(ask("/api/summarize", site.url("/9")).at("title"), "end");
  asked = 0;
  EXPECT_THAT(failure("/api/summarize", site.url("/round")), HasSubstr("redirect"));
  EXPECT_EQ(asked, 11u);
  EXPECT_THAT(failure("/api/summarize", site.url("/mail")), HasSubstr("only http and https"));
  EXPECT_THAT(failure("/api/summarize", site.url("/login")), HasSubstr("user name or password"));
}

TEST_F(Summarizer, AcceptsPagesOfUnusualServers) {
  Loopback bare([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.0 203 Whatever\n\n<title>bare</title><p>no type, no length");
    peer.close();
  });
  EXPECT_EQ(ask("/api/summarize", bare.url()).at("title"), "bare");
  Loopback cut([](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<title>cut");
    peer.close();
  });
  EXPECT_THAT(failure("/api/summarize", cut.url()), HasSubstr("before the answer was complete"));
  Loopback mute([](Peer& peer) {
    peer.read_request();
    peer.reset();
  });
  EXPECT_THAT(failure("/api/summarize", mute.url()), StartsWith("The page could not be fetched: "));
  Loopback noise([](Peer& peer) {
    peer.read_request();
    peer.send("SSH-2.0-OpenSSH_9.2\r\n");
    peer.close();
  });
  EXPECT_THAT(failure("/api/summarize", noise.url()), HasSubstr("did not answer in HTTP"));
}

TEST_F(Summarizer, SurvivesAHostilePage) {
  std::string html = "<title>T</title>";
  for (int i = 0; i < 100'000; ++i) html += "<div><b>";
  Loopback site(page(html));
  EXPECT_EQ(ask("/api/summarize", site.url()).at("title"), "T");
}

}  // namespace routes_test
}  // namespace summarizer
