#include <boost/json.hpp>

#include "appliance/agent/tools/toolbox.h"
#include "web/log.h"
#include "web/routes/reply.h"

namespace agent_process {

namespace json = boost::json;

namespace {

constexpr std::size_t max_recalled = 50;

struct Remember {
  web::Prose<1, 2'000> text;
};
BOOST_DESCRIBE_STRUCT(Remember, (), (text))

struct WriteBlock {
  web::Text<1, 64> block;
  web::Prose<1, 4'000> text;
};
BOOST_DESCRIBE_STRUCT(WriteBlock, (), (block, text))

struct Recall {
  std::optional<web::Prose<0, 500>> query;
};
BOOST_DESCRIBE_STRUCT(Recall, (), (query))

struct Forget {
  web::Prose<1, 500> query;
};
BOOST_DESCRIBE_STRUCT(Forget, (), (query))

struct SearchHistory {
  web::Text<1, 200> words;
  std::optional<web::Integer<1, 50>> limit;
};
BOOST_DESCRIBE_STRUCT(SearchHistory, (), (words, limit))

web::Result<json::value> history_of(const HistorySearch& search, std::string_view speaker, const SearchHistory& asked) {
  json::array matches;
  for (const auto& match : search(asked.words, std::size_t(asked.limit ? asked.limit->value : 10)))
    matches.push_back(
        {{"at", match.at}, {"role", match.role == models::Role::user ? speaker : "you"}, {"text", match.text}});
  json::object result;
  result["matches"] = std::move(matches);
  return json::value(std::move(result));
}

json::value listed(const char* name, const std::vector<Fact>& facts) {
  json::object result;
  result[name] = web::to_json(facts);
  return result;
}

// Where the meaning cannot be searched, the words are.
web::Task<web::Result<json::value>> recall(Memory& memory, boost::asio::thread_pool& files, SemanticSearch* meaning,
                                           std::string query) {
  const auto by_words = [&] { return memory.recall(query, max_recalled); };
  auto found = co_await web::offload(files, by_words);
  if (!meaning || !meaning->is_configured() || query.empty()) co_return listed("memories", found);
  const auto all = [&] { return memory.recall({}, Memory::max_facts + Memory::max_blocks); };
  auto facts = co_await web::offload(files, all);
  const auto similar = co_await meaning->search(query, std::move(facts));
  if (!similar) web::log::warning("memory_not_searched_by_meaning", {{"reason", similar.error().message}});
  if (similar) found = merge_ranked(found, *similar, max_recalled);
  co_return listed("memories", found);
}

}  // namespace

std::vector<Tool> history_tools(HistorySearch search, boost::asio::thread_pool& files, std::string speaker) {
  auto description = "Search everything that you and your " + speaker +
                     " have said, also long ago: messages with all of these words, newest first, with the text around "
                     "them.";
  return {blocking_tool<SearchHistory>(files, "search_history", std::move(description),
                                       [search = std::move(search), speaker = std::move(speaker)](
                                           const SearchHistory& asked) { return history_of(search, speaker, asked); })};
}

std::vector<Tool> memory_tools(Memory& memory, boost::asio::thread_pool& files, SemanticSearch* meaning) {
  return {
      blocking_tool<Remember>(files, "remember", "Keep a fact for later conversations.",
                              [&memory](const Remember& asked) -> web::Result<json::value> {
                                const auto fact = memory.remember(asked.text);
                                if (!fact) return fact.error();
                                return web::to_json(*fact);
                              }),
      blocking_tool<WriteBlock>(
          files, "write_memory_block",
          "Write a block of your memory, which is in every prompt: 'about the user', 'current projects' and up to six "
          "of "
          "your own. The text replaces the block's whole text, at most 4,000 characters: keep what still holds.",
          [&memory](const WriteBlock& asked) -> web::Result<json::value> {
            const auto block = memory.write_block(asked.block, asked.text);
            if (!block) return block.error();
            return web::to_json(*block);
          }),
      tool<Recall>("recall", "Find remembered facts; without a query, the newest of all.",
                   [&memory, &files, meaning](Recall asked) -> web::Task<web::Result<json::value>> {
                     std::string query;
                     if (asked.query) query = std::move(*asked.query);
                     co_return co_await recall(memory, files, meaning, std::move(query));
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
