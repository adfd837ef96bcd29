// RFC 9110, sections 13 and 14: conditional and range requests.
#include "web/protocol/conditional.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace web {
namespace conditional_test {

using Kind = Selection::Kind;
using namespace std::chrono_literals;

const Validators strong{.etag = "\"v1\"", .modified = std::chrono::sys_seconds(784'111'777s)};
const Validators weak{.etag = "W/\"v1\"", .modified = strong.modified};
constexpr auto date = "Sun, 06 Nov 1994 08:49:37 GMT", earlier = "Sun, 06 Nov 1994 08:49:36 GMT";

Selection ask(std::vector<Header> headers, const Validators& ours = strong, std::uint64_t size = 10,
              Method method = Method::get) {
  Request request;
  request.method = method;
  request.headers = std::move(headers);
  return select(request, ours, size);
}

TEST(Conditional, DatesAreWrittenAsInRfc9110) { EXPECT_EQ(http_date(strong.modified), date); }

TEST(Conditional, OneRangeIsServed) {
  struct Case {
    std::string_view range;
    std::uint64_t begin, length;
  };
  for (const auto& [range, begin, length] :
       {Case{"bytes=0-0", 0, 1}, Case{"bytes=2-5", 2, 4}, Case{"bytes=9-", 9, 1}, Case{"bytes=-3", 7, 3},
        Case{"bytes=-99", 0, 10}, Case{"BYTES=0-99", 0, 10}, Case{"bytes=0-99999999999999999999", 0, 10},
        Case{"bytes= 1-2 ", 1, 2}}) {
    const auto got = ask({{"Range", range}});
    EXPECT_EQ(got.kind, Kind::part) << range;
    EXPECT_EQ(got.begin, begin) << range;
    EXPECT_EQ(got.length, length) << range;
  }
}

TEST(Conditional, InvalidRangesAreIgnored) {
  for (const auto* range :
       {"bytes=", "bytes=5-2", "bytes=a-b", "bytes=-", "bytes=1", "lines=1-2", "bytes=+1-2", "bytes=1-2,4-5",
        "bytes=0x1-2", "bytes 1-2", "", "bytes=--1", "bytes=1--2", "bytes=1 - 2"}) {
    const auto got = ask({{"Range", range}});
    EXPECT_EQ(got.kind, Kind::whole) << range;
    EXPECT_EQ(got.length, 10u) << range;
  }
  EXPECT_EQ(ask({{"Range", "bytes=0-1"}, {"Range", "bytes=2-3"}}).kind, Kind::whole);
  EXPECT_EQ(ask({{"Range", "bytes=0-1"}}, strong, 10, Method::head).kind, Kind::whole);
}

TEST(Conditional, RangesBeyondTheEndAreRefused) {
  for (const auto* range : {"bytes=10-", "bytes=10-11", "bytes=-0", "bytes=99999999999999999999-"}) {
    EXPECT_EQ(ask({{"Range", range}}).kind, Kind::unsatisfiable) << range;
  }
  EXPECT_EQ(ask({{"Range", "bytes=0-"}}, strong, 0).kind, Kind::unsatisfiable);
  EXPECT_EQ(ask({{"Range", "bytes=-1"}}, strong, 0).kind, Kind::unsatisfiable);
  const auto answer = selected({.kind = Kind::unsatisfiable}, strong, 10);
  EXPECT_EQ(answer.status, 416);
  EXPECT_THAT(answer.headers, testing::Contains(testing::Pair("Content-Range", "bytes */10")));
}

TEST(Conditional, IfRangeAsksForTheSameVersion) {
  const auto with = [](std::string_view condition, const Validators& ours) {
    return ask({{"Range", "bytes=0-1"}, {"If-Range", condition}}, ours).kind;
  };
  EXPECT_EQ(with("\"v1\"", strong), Kind::part);
  EXPECT_EQ(with("\"v2\"", strong), Kind::whole);
  EXPECT_EQ(with("W/\"v1\"", strong), Kind::whole);
  EXPECT_EQ(with("W/\"v1\"", weak), Kind::whole) << "a weak tag names no bytes";
  EXPECT_EQ(with(date, strong), Kind::part);
  EXPECT_EQ(with(earlier, strong), Kind::whole);
  EXPECT_EQ(with("Mon, 07 Nov 1994 08:49:37 GMT", strong), Kind::whole) << "exactly that date, not a later one";
  EXPECT_EQ(with(date, weak), Kind::whole);
  EXPECT_EQ(with("rubbish", strong), Kind::whole);
}

TEST(Conditional, UnchangedContentIsNotSentAgain) {
  for (const auto* known : {"\"v1\"", "W/\"v1\"", "*", "\"x\", \"v1\"", "\"a,b\",W/\"v1\"", "  \"v1\""}) {
    EXPECT_EQ(ask({{"If-None-Match", known}}).kind, Kind::not_modified) << known;
    EXPECT_EQ(ask({{"If-None-Match", known}}, weak).kind, Kind::not_modified) << known;
  }
  for (const auto* other : {"\"v2\"", "v1", "\"v1", "\"v\", \"1\"", "\"x, v1\""}) {
    EXPECT_EQ(ask({{"If-None-Match", other}}).kind, Kind::whole) << other;
  }
  EXPECT_EQ(ask({{"If-None-Match", "\"x\""}, {"If-None-Match", "\"v1\""}}).kind, Kind::not_modified);
  EXPECT_EQ(ask({{"If-None-Match", "\"v1\""}, {"Range", "bytes=0-1"}}).kind, Kind::not_modified);
}

TEST(Conditional, DatesOfAllThreeForms) {
  for (const auto* form : {date, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(ask({{"If-Modified-Since", form}}).kind, Kind::not_modified) << form;
    EXPECT_EQ(ask({{"If-Unmodified-Since", form}}).kind, Kind::whole) << form;
  }
  EXPECT_EQ(ask({{"If-Modified-Since", earlier}}).kind, Kind::whole);
  EXPECT_EQ(ask({{"If-Unmodified-Since", earlier}}).kind, Kind::precondition_failed);
  EXPECT_EQ(ask({{"If-Modified-Since", "yesterday"}}).kind, Kind::whole);
  EXPECT_EQ(ask({{"If-None-Match", "\"v2\""}, {"If-Modified-Since", date}}).kind, Kind::whole) << "the tag decides";
}

TEST(Conditional, IfMatchIsStrong) {
  EXPECT_EQ(ask({{"If-Match", "\"v1\""}}).kind, Kind::whole);
  EXPECT_EQ(ask({{"If-Match", "*"}}).kind, Kind::whole);
  EXPECT_EQ(ask({{"If-Match", "\"v2\""}}).kind, Kind::precondition_failed);
  EXPECT_EQ(ask({{"If-Match", "W/\"v1\""}}, weak).kind, Kind::precondition_failed);
  EXPECT_EQ(ask({{"If-Match", "\"v1\""}, {"If-Unmodified-Since", earlier}}).kind, Kind::whole);
}

TEST(Conditional, AnswersCarryTheirValidators) {
  const auto part = selected({.kind = Kind::part, .begin = 2, .length = 4}, strong, 10);
  EXPECT_EQ(part.status, 206);
  EXPECT_THAT(part.headers,
              testing::UnorderedElementsAre(testing::Pair("ETag", "\"v1\""), testing::Pair("Last-Modified", date),
                                            testing::Pair("Accept-Ranges", "bytes"),
                                            testing::Pair("Content-Range", "bytes 2-5/10")));
  EXPECT_EQ(selected({.kind = Kind::not_modified}, strong, 10).status, 304);
  EXPECT_EQ(selected({.kind = Kind::precondition_failed}, strong, 10).status, 412);
}

}  // namespace conditional_test
}  // namespace web
