#include "appliance/hosting/agents/egress.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace egress_test {

using agents::Egress;

Egress of(const char* json) { return agents::read_egress(boost::json::parse(json), "egress").value(); }
std::string both(const char* bound, const char* own) {
  return boost::json::serialize(agents::shown(agents::common(of(bound), of(own))));
}

TEST(Egress, OfABoundCoversNoMoreThanTheBound) {
  constexpr auto web = R"("web")", none = R"("none")", list = R"(["a.org",".b.org"])";
  struct Case {
    const char *bound, *own;
    bool is_covered;
  };
  for (const auto& [bound, own, is_covered] :
       {Case{web, web, true}, Case{web, list, true}, Case{none, list, false}, Case{none, none, true},
        Case{none, web, false}, Case{list, web, false}, Case{list, none, true}, Case{list, list, true},
        Case{list, R"(["a.org"])", true}, Case{list, R"([".a.org"])", false}, Case{list, R"(["x.b.org"])", true},
        Case{list, R"([".x.b.org"])", true}, Case{list, R"(["b.org"])", false}, Case{list, R"(["xb.org"])", false},
        Case{list, R"([".org"])", false}, Case{list, "[]", true}})
    EXPECT_EQ(agents::covers(of(bound), of(own)), is_covered) << bound << ' ' << own;
}

TEST(Egress, InCommonIsWhatBothAdmit) {
  EXPECT_EQ(both(R"("web")", R"(["a.org"])"), R"(["a.org"])");
  EXPECT_EQ(both(R"(["a.org"])", R"("web")"), R"(["a.org"])");
  EXPECT_EQ(both(R"("none")", R"("web")"), R"("none")");
  EXPECT_EQ(both(R"([".b.org","c.org"])", R"(["x.b.org","d.org",".org"])"), R"([".b.org","c.org"])");
  EXPECT_EQ(both(R"([".b.org","c.org"])", R"(["x.b.org","d.org","c.org"])"), R"(["x.b.org","c.org"])");
  EXPECT_EQ(both(R"(["x.b.org","d.org"])", R"([".b.org"])"), R"(["x.b.org"])");
  EXPECT_EQ(both(R"(["a.org"])", R"(["b.org"])"), "[]");
}

// What both admit is within each, and narrowing twice changes nothing.
TEST(Egress, InCommonIsWithinEach) {
  const char* all[] = {R"("web")",
                       R"("none")",
                       "[]",
                       R"(["a.org"])",
                       R"([".a.org"])",
                       R"([".x.a.org","b.org"])",
                       R"(["x.a.org",".org"])"};
  for (const auto* bound : all)
    for (const auto* own : all) {
      const auto narrowed = agents::common(of(bound), of(own));
      EXPECT_TRUE(agents::covers(of(bound), narrowed)) << bound << ' ' << own;
      EXPECT_TRUE(agents::covers(of(own), narrowed)) << bound << ' ' << own;
      EXPECT_EQ(agents::shown(agents::common(of(bound), narrowed)), agents::shown(narrowed));
    }
}

}  // namespace egress_test
