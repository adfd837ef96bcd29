// Validation of free-form JSON, and the field names in its errors.
#include "web/routes/free_form.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "web/blank.h"

namespace web {
namespace free_form_test {

std::string refusal(std::string_view json) {
  const auto value = boost::json::parse(json);
  const auto kept = check_free_form(value.as_object(), "config");
  return kept ? "" : kept.error().message;
}

TEST(FreeForm, IsKeptUnchanged) {
  for (const auto* json :
       {"{}", R"({"":"", "a":"line\nby\tline", "b":[null, true, {"c":[" "]}]})",
        R"({"a":18446744073709551615, "b":-9223372036854775808, "c":1.5e10, "d":-0.25, "e":12345678901.0})"})
    EXPECT_EQ(refusal(json), "") << json;
}

TEST(FreeForm, HoldsNoControlCharacters) {
  EXPECT_EQ(refusal(R"({"a":"x\u0000y"})"), "config.a must not contain control characters");
  EXPECT_EQ(refusal(R"({"a":[1, {"b":"\u001b[2J"}]})"), "config.a[1].b must not contain control characters");
  EXPECT_EQ(refusal(R"({"a":{"b\nc":1}})"), "config.a has a name with control characters");
}

TEST(Blank, IsWhiteSpaceOnly) {
  for (const auto* text : {"", " ", " \t\r\n", "\u00a0", "\u2003\u3000", "\ufeff"}) EXPECT_TRUE(is_blank(text)) << text;
  for (const auto* text : {"a", " a ", "\u00e9", ".", "\xff"}) EXPECT_FALSE(is_blank(text)) << text;
}

}  // namespace free_form_test
}  // namespace web
