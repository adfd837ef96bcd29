// What gumbo_parse alone takes for some pages: usage: gumbo_alone ROUNDS FILE... Prints {"seconds": the median over the
// rounds of the processor time for all pages}. Freeing is not counted.
#include <gumbo.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  std::vector<std::string> pages;
  for (int i = 2; i < count; ++i) {
    std::stringstream bytes;
    bytes << std::ifstream(arguments[i], std::ios::binary).rdbuf();
    pages.push_back(bytes.str());
  }
  std::vector<double> rounds;
  for (int round = std::atoi(arguments[1]); round > 0; --round) {
    double seconds = 0;
    for (const auto& page : pages) {
      const auto began = processor_seconds();
      GumboOutput* output = gumbo_parse_with_options(&kGumboDefaultOptions, page.data(), page.size());
      seconds += processor_seconds() - began;
      gumbo_destroy_output(&kGumboDefaultOptions, output);
    }
    rounds.push_back(seconds);
  }
  std::sort(rounds.begin(), rounds.end());
  std::printf("{\"seconds\": %.6f}\n", rounds[rounds.size() / 2]);
}
