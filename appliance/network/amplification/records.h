// Who follows whom, and posts that are passed on to followers.
#pragma once

#include <boost/describe.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace amplification {

struct Follow {
  std::int64_t owner = 0;  // the follower's
  std::string id;          // the follower, a slash, and the followed agent
  std::string follower, followed;
  store::Time created_at;
};
BOOST_DESCRIBE_STRUCT(Follow, (), (owner, id, follower, followed, created_at))

inline std::string follow_id(const std::string& follower, const std::string& followed) {
  return follower + "/" + followed;
}

// By the followed agent, then by the follower.
inline const store::Owned<Follow> follows{{.family = "bus_follows", .number = 76},
                                          &Follow::owner,
                                          &Follow::id,
                                          {{1, "followers", false, false, [](const Follow& follow) {
                                              return std::optional(follow.followed + "/" + follow.follower);
                                            }}}};

// A post on its way to the followers of one agent.
struct Spread {
  std::string from;
  std::int64_t hops = 1;
  std::string after;  // the follower that was handled last
};
BOOST_DESCRIBE_STRUCT(Spread, (), (from, hops, after))

struct Post {
  std::int64_t id = 0;
  std::string author;
  std::string text, url;
  std::vector<Spread> spreads;  // in progress
  store::Time created_at;
  std::optional<store::Time> spreading;  // since when; empty without spreads
};
BOOST_DESCRIBE_STRUCT(Post, (), (id, author, text, url, spreads, created_at, spreading))

inline const store::Global<Post, std::int64_t> posts{
    {.family = "bus_posts", .number = 77},
    &Post::id,
    {store::index<Post>(1, "created", &Post::created_at), store::index<Post>(2, "spreading", &Post::spreading)}};

}  // namespace amplification
