// The example of Amazon's S3 API reference, "Authenticating Requests: Using Query Parameters".
#include "appliance/media/bucket/signature_v4.h"

#include <gtest/gtest.h>

namespace bucket {
namespace signature_v4_test {

using namespace std::chrono_literals;

const AccessKey key{
    .id = "AKIAIOSFODNN7EXAMPLE", .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", .region = "us-east-1"};
const UnsignedRequest request{.method = "GET", .host = "examplebucket.s3.amazonaws.com", .path = "/test.txt"};
const store::Time time_of_example{std::chrono::sys_days{std::chrono::May / 24 / 2013}};

TEST(SignatureV4, IsThatOfThePublishedExample) {
  EXPECT_EQ(presigned_query(key, request, time_of_example, 24h),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_"
            "request"
            "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(SignatureV4, IsValidForSevenDaysAtMost) {
  EXPECT_NE(presigned_query(key, request, time_of_example, 30 * 24h).find("X-Amz-Expires=604800&"), std::string::npos);
}

}  // namespace signature_v4_test
}  // namespace bucket
