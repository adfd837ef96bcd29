#include <boost/json.hpp>

#include "appliance/hosting/agent_process/tools/toolbox.h"
#include "web/routes/reply.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t most_recalled = 50;

struct Remember {
  web::Prose<1, 2'000> text;
};
BOOST_DESCRIBE_STRUCT(Remember, (), (text))

struct Recall {
  std::optional<web::Prose<0, 500>> query;
};
BOOST_DESCRIBE_STRUCT(Recall, (), (query))

struct Forget {
  web::Prose<1, 500> query;
};
BOOST_DESCRIBE_STRUCT(Forget, (), (query))

json::value listed(const char* name, const std::vector<Fact>& facts) {
  json::object result;
  result[name] = web::to_json(facts);
  return result;
}

}  // namespace

std::vector<Tool> memory_tools(Memory& memory, boost::asio::thread_pool& files) {
  return {
      blocking_tool<Remember>(files, "remember", "Keep a fact for later conversations.",
                              [&memory](const Remember& asked) -> web::Result<json::value> {
                                const auto fact = memory.remember(asked.text);
                                if (!fact) return fact.error();
                                return web::to_json(*fact);
                              }),
      blocking_tool<Recall>(files, "recall", "Find remembered facts; without a query, the newest of all.",
                            [&memory](const Recall& asked) -> web::Result<json::value> {
                              const auto query = asked.query ? std::string_view(*asked.query) : std::string_view();
                              return listed("memories", memory.recall(query, most_recalled));
                            }),
      blocking_tool<Forget>(files, "forget", "Forget the fact with this id, or every fact that contains this text.",
                            [&memory](const Forget& asked) -> web::Result<json::value> {
                              const auto forgotten = memory.forget(asked.query);
                              if (!forgotten) return forgotten.error();
                              return listed("forgotten", *forgotten);
                            }),
  };
}

}  // namespace agent_process
