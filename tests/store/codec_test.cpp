// Records to bytes and back: every member type, what older and newer binaries leave behind, and what is refused.
#include "store/codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace store_test {
namespace codec_test {

using store::Corrupt;
using store::decode;
using store::encode;

BOOST_DEFINE_ENUM_CLASS(Colour, red, green)

struct Inner {
  std::string name;
  std::int64_t count = 7;
  bool operator==(const Inner&) const = default;
};
BOOST_DESCRIBE_STRUCT(Inner, (), (name, count))

struct Everything {
  std::string text;
  bool flag = false;
  std::int64_t big = 0;
  std::uint64_t unsigned_big = 0;
  int small = 0;
  double ratio = 0;
  store::Time at;
  store::Decimal price;
  store::Sealed secret;
  Colour colour = Colour::red;
  std::optional<std::string> note;
  std::vector<std::int64_t> numbers;
  std::map<std::string, Inner> by_name;
  boost::json::object free;
  boost::json::value any;
  Inner inner;
  std::vector<Inner> list;
  std::optional<Inner> maybe;
  std::vector<std::optional<store::Sealed>> secrets;
  bool operator==(const Everything&) const = default;
};
BOOST_DESCRIBE_STRUCT(Everything, (),
                      (text, flag, big, unsigned_big, small, ratio, at, price, secret, colour, note, numbers, by_name,
                       free, any, inner, list, maybe, secrets))

const store::Sealer sealer(std::string(32, 'k'));
const store::Place place{&sealer, 9, "key"};

// The same records as an older binary knows them: fewer fields, at every level.
struct OldInner {
  std::string name;
  bool operator==(const OldInner&) const = default;
};
BOOST_DESCRIBE_STRUCT(OldInner, (), (name))
struct OldEverything {
  std::string text;
  std::map<std::string, OldInner> by_name;
  OldInner inner;
  std::vector<OldInner> list;
  std::optional<OldInner> maybe;
};
BOOST_DESCRIBE_STRUCT(OldEverything, (), (text, by_name, inner, list, maybe))

struct Text {
  std::string text;
};
BOOST_DESCRIBE_STRUCT(Text, (), (text))
struct Small {
  int small = 0;
  std::optional<std::uint64_t> natural;
};
BOOST_DESCRIBE_STRUCT(Small, (), (small, natural))
struct Free {
  boost::json::value any;
};
BOOST_DESCRIBE_STRUCT(Free, (), (any))

struct Sparse {
  std::string text;
  std::int64_t count = 7;
  bool flag = false;
  std::vector<std::int64_t> numbers;
  std::optional<std::string> note;
  bool operator==(const Sparse&) const = default;
};
BOOST_DESCRIBE_STRUCT(Sparse, (), (text, count, flag, numbers, note))

}  // namespace codec_test
}  // namespace store_test

template <>
inline constexpr bool store::leaves_out_defaults<store_test::codec_test::Sparse> = true;

namespace store_test {
namespace codec_test {

Everything full() {
  Everything all;
  all.text = "a \"quoted\" \\ line\n\t\x01 and \xc3\xa9";
  all.flag = true;
  all.big = std::numeric_limits<std::int64_t>::min();
  all.unsigned_big = std::numeric_limits<std::uint64_t>::max();
  all.small = -2'000'000'000;
  all.ratio = 0.1;
  all.at = store::Time(std::chrono::milliseconds(1'700'000'000'123));
  all.price = *store::Decimal::parse("-12.000000001");
  all.secret = {"hush"};
  all.colour = Colour::green;
  all.note = "";
  all.numbers = {3, 1, 2};
  all.by_name = {{"a b", {"x", 1}}, {"\"", {"y", 2}}};
  all.free = {{"k", {1, "two", nullptr}}};
  all.any = {1.5, true};
  all.inner = {"i", 3};
  all.list = {{"l", 4}, {"m", 5}};
  all.maybe = Inner{"n", 6};
  all.secrets = {store::Sealed{"one"}, std::nullopt, store::Sealed{"two"}};
  return all;
}

TEST(Codec, EveryMemberTypeRoundTrips) {
  EXPECT_EQ(decode<Everything>(encode(full(), place), place), full());
  EXPECT_EQ(decode<Everything>(encode(Everything(), place), place), Everything());
}

TEST(Codec, FreeNumbersComeBackBitForBit) {
  std::mt19937_64 random(4711);
  Everything all;
  auto& doubles = all.free["doubles"].emplace_array();
  while (doubles.size() < 2'000)
    if (const auto number = std::bit_cast<double>(random()); std::isfinite(number)) doubles.push_back(number);
  all.any = {-0.0, 1.0, 5e-324, INT64_MIN, INT64_MAX, UINT64_MAX, 0};
  const auto back = decode<Everything>(encode(all, place), place);
  for (std::size_t i = 0; i < doubles.size(); ++i)
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back.free.at("doubles").at(i).as_double()),
              std::bit_cast<std::uint64_t>(doubles[i].as_double()));
  EXPECT_EQ(back.any, all.any);
  EXPECT_TRUE(std::signbit(back.any.at(0).as_double()));
}

// What the codec writes, another JSON library reads.
TEST(Codec, WritesStandardJson) {
  const auto json = boost::json::parse(encode(full(), place)).as_object();
  EXPECT_EQ(json.at("text").as_string(), full().text);
  EXPECT_EQ(json.at("at").as_int64(), 1'700'000'000'123);
  EXPECT_EQ(json.at("colour").as_string(), "green");
  EXPECT_EQ(json.at("price").as_string(), "-12.000000001");
  EXPECT_TRUE(json.at("secret").as_string().starts_with("s2:"));
  EXPECT_EQ(json.at("inner").as_object().at("count").as_int64(), 3);
}

// And the other way round, white space and escapes included.
TEST(Codec, ReadsStandardJson) {
  EXPECT_EQ(decode<Text>(" { \"other\" : [ { } , [ ] , -1.5e+3 , true, null ] ,\n\"text\"\t: "
                         R"("\u0041\u00e9\u20ac\ud83d\ude00\/\b\f\n\r\t\"\\" } )",
                         {})
                .text,
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80/\b\f\n\r\t\"\\");
}

TEST(Codec, AbsentAndNullFieldsKeepTheirDefaults) {
  const auto inner = decode<Inner>(R"({"name":"x"})", {});
  EXPECT_EQ(inner.count, 7);
  EXPECT_EQ(decode<Inner>(R"({"name":null,"count":null})", {}), (Inner{"", 7}));
}

// Names that come as they are written here are compared, not read.
TEST(Codec, NamesAreFoundInAnyOrderAndHoweverTheyAreWritten) {
  const Inner expected{"x", 3};
  for (const auto* json :
       {R"({"name":"x","count":3})", R"({"count":3,"name":"x"})", R"( { "name" : "x" , "count" : 3 } )",
        R"({"\u006eame":"x","c\u006funt":3})", R"({"name":"y","name":"x","count":3})",
        R"({"names":1,"name":"x","nam":2,"count":3,"counts":4})", R"({"name":"x","name\"":1,"count":3})"})
    EXPECT_EQ(decode<Inner>(json, {}), expected) << json;
  for (const auto* json : {R"({"name":)", R"({"name")", R"({"name)", R"({"name":"x",)", R"({"name":"x","count":)"})
    EXPECT_THROW(decode<Inner>(json, {}), store::Corrupt) << json;
}

TEST(Codec, AnyBytesOfTextRoundTrip) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    Text written;
    for (auto size = random() % 40; size > 0; --size) written.text.push_back(static_cast<char>(random()));
    ASSERT_EQ(decode<Text>(encode(written, {}), {}).text, written.text);
  }
}

TEST(Codec, JsonOfTheGreatestDepthRoundTrips) {
  boost::json::value nested;
  for (int level = 0; level < 60; ++level) nested = boost::json::array{nested};
  const Free written{nested};
  EXPECT_EQ(decode<Free>(encode(written, {}), {}).any, nested);
}

TEST(Codec, WhatAnOlderBinaryDoesNotKnowSurvivesItsUpdateAtEveryLevel) {
  const auto stored = encode(full(), place);
  auto old = decode<OldEverything>(stored, place);
  old.text = "changed";
  old.inner.name = "changed";
  old.maybe->name = "changed";
  old.by_name["new"] = {"z"};
  const auto back = decode<Everything>(encode(old, place, stored), place);
  auto expected = full();
  expected.text = expected.inner.name = expected.maybe->name = "changed";
  expected.by_name["new"] = {"z", 7};
  EXPECT_EQ(back, expected);
}

TEST(Codec, UnknownFieldsAreNotDoubledByRepeatedUpdates) {
  auto stored = encode(full(), place);
  const auto size = stored.size();
  for (int round = 0; round < 3; ++round) stored = encode(decode<OldEverything>(stored, place), place, stored);
  EXPECT_EQ(stored.size(), size);
}

TEST(Codec, FindsWhichMembersMayDifferFromTheStoredOnes) {
  const auto changed = [](Text before, Text after) {
    store::Changed<Text> found;
    encode(after, {}, encode(before, {}), &found);
    return found.any();
  };
  EXPECT_FALSE(changed({"a \"b\""}, {"a \"b\""}));
  EXPECT_TRUE(changed({"a"}, {"b"}));
  EXPECT_TRUE(changed({""}, {"b"}));
  store::Changed<Text> found;
  encode(Text{"a"}, {}, R"({"text":"\u0061"})", &found);
  EXPECT_TRUE(found.any()) << "written in another form: readers have to decode it";
}

// Runs of text are looked through eight bytes at a time.
TEST(Codec, ARunOfPlainTextEndsAtTheFirstByteThatIsNot) {
  std::mt19937 random(12);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 40, ' ');
    for (auto& c : text) c = static_cast<char>(random() % 8 == 0 ? random() : 'a' + random() % 26);
    const auto* const end = text.data() + text.size();
    const auto from = text.empty() ? 0 : random() % text.size();
    const auto* const expected = std::find_if_not<const char*>(text.data() + from, end, store::is_plain);
    ASSERT_EQ(store::end_of_plain(text.data() + from, end), expected) << text;
  }
}

TEST(Codec, DefaultsAreLeftOutWhereTheTypeSaysSo) {
  EXPECT_EQ(encode(Sparse{}, {}), "{}");
  EXPECT_EQ(encode(Sparse{.count = 0}, {}), R"({"count":0})");
  EXPECT_EQ(encode(Sparse{.text = "x", .note = ""}, {}), R"({"text":"x","note":""})");
  std::mt19937 random(11);
  for (int round = 0; round < 64; ++round) {
    Sparse sparse;
    if (random() % 2) sparse.text = "t";
    if (random() % 2) sparse.count = random() % 9;
    if (random() % 2) sparse.flag = true;
    if (random() % 2) sparse.numbers = {0};
    if (random() % 2) sparse.note = "n";
    EXPECT_EQ(decode<Sparse>(encode(sparse, {}), {}), sparse);
  }
}

TEST(Codec, StoredMembersAreNotLeftOut) {
  const std::string stood = R"({"flag":true,"other":[1]})";
  auto sparse = decode<Sparse>(stood, {});
  EXPECT_EQ(encode(sparse, {}, stood), stood);
  sparse.flag = false;
  EXPECT_EQ(encode(sparse, {}, stood), R"({"flag":false,"other":[1]})");
  EXPECT_EQ(encode(Sparse{}, {}, R"({"other":[1]})"), R"({"other":[1]})");
}

TEST(Codec, DamagedBytesAreCorrupt) {
  for (const auto* bytes : {"",
                            "null",
                            "[]",
                            "{",
                            "{}x",
                            "{\"text\"}",
                            "{\"text\":}",
                            "{\"text\":1}",
                            "{\"text\":\"a}",
                            "{\"text\":\"\\x\"}",
                            "{\"text\":\"\\ud800\"}",
                            "{\"text\":\"\\udc00\"}",
                            "{\"text\":\"\n\"}",
                            "{\"text\":\"a\",}",
                            "{\"x\":01}",
                            "{\"x\":1.}",
                            "{\"x\":-}",
                            "{\"x\":tru}",
                            "{text:1}",
                            "{\"text\":\"a\" \"b\":1}"})
    EXPECT_THROW(decode<Text>(bytes, {}), Corrupt) << bytes;
  EXPECT_THROW(decode<Small>(R"({"small":3000000000})", {}), Corrupt);
  EXPECT_THROW(decode<Small>(R"({"small":1.0})", {}), Corrupt);
  EXPECT_THROW(decode<Small>(R"({"natural":-1})", {}), Corrupt);
  EXPECT_THROW(decode<Everything>(R"({"colour":"blue"})", place), Corrupt);
  EXPECT_THROW(decode<Everything>(R"({"price":"1e3"})", place), Corrupt);
  EXPECT_THROW(decode<Text>("{\"x\":" + std::string(100'000, '[') + "}", {}), Corrupt);
}

// Cut anywhere or with any one byte changed, a record is read or refused, never read past its end.
TEST(Codec, BytesCutOrChangedAnywhereNeverDoWorseThanCorrupt) {
  const auto whole = encode(full(), place);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(decode<Everything>(std::string(whole, 0, size), place), Corrupt) << size;
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    auto changed = whole;
    changed[random() % changed.size()] = static_cast<char>(random());
    try {
      decode<Everything>(changed, place);
    } catch (const Corrupt&) {
    }
  }
}

TEST(Codec, SealedTextIsBoundToItsFieldAndRecord) {
  const auto stored = encode(full(), place);
  EXPECT_EQ(stored.find("hush"), std::string::npos);
  EXPECT_THROW(decode<Everything>(stored, {&sealer, 9, "other"}), Corrupt);
  EXPECT_THROW(decode<Everything>(stored, {&sealer, 8, "key"}), Corrupt);
  const store::Sealer other(std::string(32, 'z'));
  EXPECT_THROW(decode<Everything>(stored, {&other, 9, "key"}), Corrupt);
  auto json = boost::json::parse(stored).as_object();
  std::swap(json["secrets"].as_array()[0], json["secrets"].as_array()[2]);
  EXPECT_THROW(decode<Everything>(boost::json::serialize(json), place), Corrupt);
}

TEST(Codec, NumbersThatAreNotFiniteAreRefusedBeforeTheyAreStored) {
  Everything all;
  all.ratio = std::numeric_limits<double>::infinity();
  EXPECT_THROW(encode(all, place), std::invalid_argument);
}

}  // namespace codec_test
}  // namespace store_test
