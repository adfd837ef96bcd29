// The shared helpers for text and for JSON of other systems.
#include "web/ascii.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "web/json.h"
#include "web/uri.h"
#include "web/utf8.h"

namespace ascii_test {

TEST(Ascii, LowerCaseLeavesOtherBytesAsTheyAre) {
  EXPECT_EQ(web::lower_case("Stra\xC3\x9F"
                            "E [@`{]"),
            "stra\xC3\x9F"
            "e [@`{]");
  EXPECT_TRUE(web::is_alphanumeric('z') && web::is_alphanumeric('A') && web::is_alphanumeric('0'));
  EXPECT_FALSE(web::is_alphanumeric('_') || web::is_alphanumeric('\xC3'));
}

TEST(Ascii, DigitsAreThoseOfTheirBase) {
  EXPECT_TRUE(web::all_digits("0123456789"));
  EXPECT_FALSE(web::all_digits("12a"));
  EXPECT_TRUE(web::all_hex_digits("09afAF"));
  EXPECT_FALSE(web::all_hex_digits("0x1"));
}

TEST(Ascii, TrimDropsBothEnds) {
  EXPECT_EQ(web::trim(" \ta b\t "), "a b");
  EXPECT_EQ(web::trim("\n a\r\n"), "\n a\r\n");
  EXPECT_EQ(web::trim("\n a\r\n", web::white_space), "a");
  EXPECT_EQ(web::trim(" \t "), "");
}

TEST(Ascii, JoinAndFirstLine) {
  EXPECT_EQ(web::join(std::vector<std::string>{"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(web::join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(web::first_line("one\ntwo"), "one");
  EXPECT_EQ(web::first_line("one"), "one");
}

TEST(Json, MembersThatAreMissingOrOfAnotherTypeAreEmpty) {
  const auto value = boost::json::parse(R"({"text": "a", "number": 1, "object": {"inner": "b"}, "array": ["c"]})");
  const auto& object = value.as_object();
  EXPECT_EQ(web::string_member(object, "text"), "a");
  EXPECT_EQ(web::string_member(value, "text"), "a");
  EXPECT_EQ(web::string_member(value, "number"), "");
  EXPECT_EQ(web::string_member(value, "absent"), "");
  EXPECT_EQ(web::string_member(boost::json::value("a"), "text"), "");
  EXPECT_EQ(web::string_or_empty(nullptr), "");
  EXPECT_EQ(web::string_at(value, "/object/inner"), "b");
  EXPECT_EQ(web::string_at(value, "/array/0"), "c");
  EXPECT_EQ(web::string_at(value, "/object/absent"), "");
  EXPECT_EQ(web::string_at(value, "no pointer"), "");
  ASSERT_NE(web::object_member(object, "object"), nullptr);
  EXPECT_EQ(web::object_member(object, "array"), nullptr);
  ASSERT_NE(web::array_member(object, "array"), nullptr);
  EXPECT_EQ(web::array_member(object, "text"), nullptr);
}

TEST(Uri, AnAddressIsNotTheBeginningOfAName) {
  for (const char* wrong : {"http://127.0.0.1x.example/", "http://127.0.0.1.example/", "http://[::1].example/",
                            "http://127.0.0.1:80x/", "https://192.0.2.1-x"})
    EXPECT_FALSE(web::parse_uri(wrong)) << wrong;
  for (const char* good : {"http://127.0.0.1/", "http://[::1]:80/x", "https://a1.example", "mailto:a@b.example"})
    EXPECT_TRUE(web::parse_uri(good)) << good;
}

TEST(Utf8, HeadlineIsTheFirstLineCutBetweenWords) {
  EXPECT_EQ(web::headline("  \n Tides of today \r\nand more", 100), "Tides of today");
  EXPECT_EQ(web::headline("one two three", 13), "one two three");
  EXPECT_EQ(web::headline("one two three", 12), "one two\u2026");  // the third word does not fit beside the ellipsis
  EXPECT_EQ(web::headline("one two three", 10), "one two\u2026");
  EXPECT_EQ(web::headline("one-two-three", 10), "one-two\u2026");  // a word that fills the line is cut
  EXPECT_EQ(web::headline("\u6f6e\u6c50\u8868\u3092", 10), "\u6f6e\u6c50\u2026");
  EXPECT_EQ(web::headline("\t\n", 10), "");
}

}  // namespace ascii_test
