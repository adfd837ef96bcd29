// The canonical form of JSON: RFC 8785's own vectors, and what must hold for any value.
#include "appliance/foundation/crypto/jcs.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <random>

#include "web/routes/fields.h"

namespace jcs_test {

namespace json = boost::json;

std::optional<std::string> canonical(std::string_view text) {
  const auto parsed = web::parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? crypto::canonical_json(*parsed) : std::nullopt;
}

// Any value; texts have characters of every length, and those that need escapes.
json::value any_value(std::mt19937& random, int depth) {
  const auto pick = [&](int below) { return std::uniform_int_distribution(0, below - 1)(random); };
  const auto any_text = [&] {
    constexpr const char* parts[] = {"a", "Z", "\"", "\\", "\n", "\x01", "é", "\u20ac", "\ufb33", "\U0001f600", "/"};
    std::string text;
    for (int n = pick(4); n > 0; --n) text += parts[pick(std::size(parts))];
    return text;
  };
  switch (pick(depth > 0 ? 7 : 5)) {
    case 0:
      return nullptr;
    case 1:
      return pick(2) == 0;
    case 2:
      return std::int64_t{pick(1'000'000)} - 500'000;
    case 3:
      return std::ldexp(std::uniform_real_distribution(-1.0, 1.0)(random), pick(200) - 100);
    case 4:
      return json::value(any_text());
    case 5: {
      json::array array;
      for (int n = pick(4); n > 0; --n) array.push_back(any_value(random, depth - 1));
      return array;
    }
    default: {
      json::object object;
      for (int n = pick(5); n > 0; --n) object[any_text()] = any_value(random, depth - 1);
      return object;
    }
  }
}

// The same value with the members of every object in another order.
json::value shuffled(const json::value& value, std::mt19937& random) {
  if (value.is_array()) {
    json::array array;
    for (const auto& item : value.get_array()) array.push_back(shuffled(item, random));
    return array;
  }
  if (!value.is_object()) return value;
  std::vector<std::string> names;
  for (const auto& member : value.get_object()) names.emplace_back(member.key());
  std::ranges::shuffle(names, random);
  json::object object;
  for (const auto& name : names) object[name] = shuffled(value.at(name), random);
  return object;
}

TEST(CanonicalJson, WritesTheExamplesOfTheRfc) {
  EXPECT_EQ(canonical(R"({"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]})"),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
  EXPECT_EQ(canonical(R"({"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
                          "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
                          "\u00f6": "Latin Small Letter O With Diaeresis"})"),
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
            "\"\u00f6\":\"Latin Small Letter O With Diaeresis\",\"\u20ac\":\"Euro Sign\","
            "\"\U0001f600\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
}

TEST(CanonicalJson, HasOneSpellingForEachNumber) {
  for (const auto* spelling : {"1", "1.0", "1e0", "0.1E1", "10e-1"}) EXPECT_EQ(canonical(spelling), "1") << spelling;
  for (const auto* spelling : {"0", "-0", "0.0", "-0.0", "0e5"}) EXPECT_EQ(canonical(spelling), "0") << spelling;
  EXPECT_EQ(canonical("9007199254740991"), "9007199254740991");
  EXPECT_EQ(canonical("-9007199254740991"), "-9007199254740991");
}

TEST(CanonicalJson, HasNoneForWholeNumbersThatDoublesChange) {
  for (const auto* text : {"345876451382054100", "9007199254740992"}) EXPECT_EQ(canonical(text), text);
  for (const auto* text : {"9007199254740993", "-9007199254740993", "345876451382054101", "18446744073709551615"}) {
    EXPECT_EQ(canonical(text), std::nullopt) << text;
    EXPECT_EQ(canonical("{\"a\":[" + std::string(text) + "]}"), std::nullopt) << text;
  }
}

TEST(CanonicalJson, DependsOnTheValueAlone) {
  std::mt19937 random(20261124);
  for (int round = 0; round < 2'000; ++round) {
    const auto value = any_value(random, 4);
    const auto text = crypto::canonical_json(value);
    ASSERT_TRUE(text);
    EXPECT_EQ(crypto::canonical_json(shuffled(value, random)), text);
    EXPECT_EQ(canonical(*text), text) << "reading and writing it again changes nothing";
  }
}

}  // namespace jcs_test
