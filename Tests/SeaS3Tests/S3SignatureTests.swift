import SeaCore
import SeaS3
import Testing

/// The examples of AWS: "Signature Calculations for the Authorization Header", Amazon S3.
@Suite struct S3SignatureTests {
  private let credentials = Credentials(
    id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

  private func signature(_ request: S3Request, _ body: String = "") -> String? {
    let headers = Signature(credentials: credentials, region: "us-east-1", time: "20130524T000000Z")
      .headers(of: request, host: "examplebucket.s3.amazonaws.com", body: SHA256.hash(Array(body.utf8)))
    return headers.first { $0.name == "authorization" }?.value.split(separator: "=").last.map(String.init)
  }

  @Test func rangeRequestMatchesAWSExample() {
    #expect(
      signature(S3Request(method: "GET", path: "/test.txt", headers: [("range", "bytes=0-9")]))
        == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func putRequestMatchesAWSExample() {
    #expect(
      signature(
        S3Request(
          method: "PUT", path: "/test$file.text",
          headers: [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")]),
        "Welcome to Amazon S3.") == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  }

  @Test func queryWithoutValueMatchesAWSExample() {
    #expect(
      signature(S3Request(method: "GET", path: "/", query: [("lifecycle", "")]))
        == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
  }

  @Test func listRequestMatchesAWSExample() {
    #expect(
      signature(S3Request(method: "GET", path: "/", query: [("prefix", "J"), ("max-keys", "2")]))
        == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  @Test func targetIsPercentEncodedAndSorted() {
    let request = S3Request(
      method: "GET", path: "/a b/+ü~(1)%", query: [("b", "x y+/"), ("a", "ü~"), ("a", "=&"), ("a-b", "")])
    #expect(request.target == "/a%20b/%2B%C3%BC~%281%29%25?a=%3D%26&a=%C3%BC~&a-b=&b=x%20y%2B%2F")
  }

  @Test(arguments: [
    ("a%20b", "a b"), ("a+b", "a b"), ("a%2Bb", "a+b"), ("%C3%bc%7E~", "ü~~"), ("%", nil), ("%2", nil), ("%FF", nil),
  ])
  func percentEncodingIsDecoded(text: String, key: String?) { #expect(PercentText.decoded(text) == key) }

  @Test(
    arguments: [
      (0, "19700101T000000Z"), (951_782_399, "20000228T235959Z"), (951_782_400, "20000229T000000Z"),
      (951_868_800, "20000301T000000Z"), (4_107_542_399, "21000228T235959Z"), (4_107_542_400, "21000301T000000Z"),
    ] as [(Int64, String)]) func timestampsAreFormattedAndParsed(seconds: Int64, text: String)
  {
    #expect(Stamp.basic(seconds) == text)
    let d = Array(text)
    let long =
      "\(String(d[0..<4]))-\(String(d[4..<6]))-\(String(d[6..<8]))T\(String(d[9..<11])):\(String(d[11..<13])):\(String(d[13..<15]))"
    #expect(Stamp.parse(long + "Z") == seconds * 1000)
    #expect(Stamp.parse(long + ".5Z") == seconds * 1000 + 500)
    #expect(Stamp.parse(long + ".678901+00:00") == seconds * 1000 + 678)
    #expect(Stamp.parse(long + "+02:00") == (seconds - 7200) * 1000)
  }

  @Test(arguments: [
    "", "2026-01-02", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05.",
    "yesterday, or so, at noon",
  ])
  func invalidTimestampsAreRefused(text: String) { #expect(Stamp.parse(text) == nil) }
}
