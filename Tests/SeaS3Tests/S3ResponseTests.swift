import SeaContainer
import SeaHTTP
import SeaS3
import Testing

@Suite struct S3ResponseTests {
  private func page(_ content: String) -> S3Page? {
    S3Page(Array("<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3\">\(content)</ListBucketResult>".utf8))
  }

  private let one =
    "<Contents><Key>a%20b%7E</Key><Size>5</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"

  @Test func listingsAreParsed() {
    let plain = page("<IsTruncated>false</IsTruncated>\(one)")
    #expect(plain?.objects == [S3Page.Object(key: "a%20b%7E", size: 5, time: 1_767_225_600_000)])
    #expect(plain?.next == nil)
    // What it says of the encoding may come last.
    let encoded = page(
      "<IsTruncated>true</IsTruncated>\(one)<EncodingType>url</EncodingType><NextContinuationToken>t&amp;u</NextContinuationToken>"
    )
    #expect(encoded?.objects.map(\.key) == ["a b~"])
    #expect(encoded?.next == "t&u")
  }

  @Test func invalidListingsAreRefused() {
    #expect(page("") == nil)
    #expect(page("<IsTruncated>true</IsTruncated>") == nil)
    #expect(page("<IsTruncated>false</IsTruncated><Contents><Key>a</Key></Contents>") == nil)
    #expect(page("<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-1</Size></Contents>") == nil)
    #expect(
      page("<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>99999999999999999999</Size></Contents>") == nil)
    for text in ["", "<html>", "<html></html>", "{}", "<ListBucketResult/><x/>"] {
      #expect(S3Page(Array(text.utf8)) == nil)
    }
  }

  @Test func interruptedUploadsAreParsed() {
    let uploads =
      "<ListMultipartUploadsResult xmlns=\"http://s3\"><Upload><Key>a b</Key><UploadId>1</UploadId>"
      + "<Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload><Upload><Key>c</Key></Upload>"
      + "<Upload><Key>c</Key><UploadId>2</UploadId></Upload></ListMultipartUploadsResult>"
    #expect(
      InterruptedUpload.uploads(Array(uploads.utf8)) == [
        InterruptedUpload.StartedUpload(key: "a b", id: "1", time: 1_767_225_600_000),
        InterruptedUpload.StartedUpload(key: "c", id: "2", time: 0),
      ])
    func parts(_ text: String) -> (parts: [Int: InterruptedUpload.Part], next: Int64?)? {
      InterruptedUpload.parts(Array("<ListPartsResult>\(text)</ListPartsResult>".utf8))
    }
    let one = "<Part><PartNumber>3</PartNumber><ETag>&quot;ab&quot;</ETag><Size>5</Size></Part>"
    #expect(parts(one)?.parts == [3: InterruptedUpload.Part(size: 5, tag: "\"ab\"")])
    #expect(parts(one)?.next == nil)
    #expect(
      parts("<IsTruncated>true</IsTruncated><NextPartNumberMarker>3</NextPartNumberMarker>\(one)")?.next == 3)
    #expect(parts("<Part><PartNumber>3</PartNumber></Part>") == nil)
    for text in ["", "<html/>", "<Error><Code>AccessDenied</Code></Error>"] {
      #expect(InterruptedUpload.uploads(Array(text.utf8)) == nil && InterruptedUpload.parts(Array(text.utf8)) == nil)
    }
    #expect(InterruptedUpload.md5(Array("abc".utf8)) == "900150983cd24fb0d6963f7d28e17f72")
  }

  @Test func xmlEntityDeclarationsAreRefused() {
    let laughs = "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]><x>&b;</x>"
    #expect(XMLTree.parse(Array(laughs.utf8)) == nil)
    #expect(XMLTree.parse(Array("<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><x/>".utf8)) == nil)
    #expect(XMLTree.parse(Array("<x>a&lt;&#98;</x>".utf8))?.text == "a<b")
  }

  @Test func xmlDepthAndSizeAreLimited() {
    #expect(
      XMLTree.parse(Array((String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17)).utf8)) == nil)
    #expect(
      XMLTree.parse(Array((String(repeating: "<a>", count: 16) + String(repeating: "</a>", count: 16)).utf8)) != nil)
    #expect(XMLTree.parse(Array(("<x>" + String(repeating: "<a/>", count: 100_000) + "</x>").utf8)) == nil)
  }

  private func verdict(_ status: Int, _ code: String = "", _ more: String = "", headers: [String: String] = [:])
    -> S3Verdict
  {
    let body = code.isEmpty ? [] : Array("<Error><Code>\(code)</Code>\(more)</Error>".utf8)
    return S3Verdict(
      Transport.Answer(status: status, headers: headers, body: body), S3Error(body), isOfObject: true)
  }

  @Test func responsesAreClassifiedByStatusAndCode() {
    #expect(verdict(200) == .good && verdict(206) == .good)
    #expect(verdict(200, "InternalError") == .temporary(WireRefusal(.busy, "InternalError (HTTP 200)")))
    #expect(verdict(404, "NoSuchKey") == .objectState && verdict(412) == .objectState && verdict(416) == .objectState)
    // That an object is not there is believed of nobody but the store.
    #expect(verdict(404) == .temporary(WireRefusal(.gone, "HTTP 404")))
    #expect(verdict(403) == .temporary(WireRefusal(.denied, "HTTP 403")))
    #expect(verdict(404, "NoSuchBucket") == .refused(WireRefusal(.gone, "the bucket does not exist")))
    #expect(verdict(403, "AccessDenied") == .refused(WireRefusal(.denied, "AccessDenied (HTTP 403)")))
    #expect(verdict(503, "SlowDown") == .temporary(WireRefusal(.busy, "SlowDown (HTTP 503)")))
    #expect(verdict(500) == .temporary(WireRefusal(.gone, "HTTP 500")))
    #expect(verdict(400, "ExpiredToken") == .expired(WireRefusal(.denied, "the credentials have expired")))
    guard case .otherRegion("eu-west-1", _) = verdict(301, headers: ["x-amz-bucket-region": "eu-west-1"]),
      case .otherRegion(nil, _) = verdict(307, headers: ["location": "http://evil/"]),
      case .otherRegion("eu-west-1", _) = verdict(400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>")
    else {
      Issue.record("a region is not taken up")
      return
    }
  }

  @Test func serverErrorTextIsOneShortLine() {
    let answer = WireRefusal(.failed, "a\nok 5\u{1b}[2J\u{7f}" + String(repeating: "x", count: 2000)).answer.line
    #expect(answer.hasPrefix("error failed a ok 5 [2J x") && answer.utf8.count < 500)
    #expect(S3Error(Array("<Error><Code>No\u{a}Such\u{9b}[2J</Code></Error>".utf8))?.code == "NoSuch2J")
  }

  @Test func contentRangeMustMatchRequest() {
    func range(_ text: String, got: Int, status: Int = 206) -> Bool {
      S3Range(Transport.Answer(status: status, headers: ["content-range": text]))?
        .isAnswer(from: 10, count: 5, got: got) ?? false
    }
    #expect(range("bytes 10-14/100", got: 5) && range("bytes 10-11/12", got: 2))
    #expect(range("bytes 10-14/100", got: 5, status: 200))
    #expect(!range("bytes 10-14/100", got: 4) && !range("bytes 9-13/100", got: 5) && !range("bytes 10-12/100", got: 3))
    #expect(!range("bytes 10-14/*", got: 5) && !range("10-14/100", got: 5) && !range("bytes 14-10/100", got: 5))
  }

  @Test func uploadStaysBelowPartLimit() {
    #expect(S3Upload.partSize(of: 9 << 20) == 8 << 20)
    for size: Int64 in [9 << 20, 80 << 30, 1 << 40, 5 << 40] {
      let part = S3Upload.partSize(of: size)
      #expect(part % (1 << 20) == 0 && (size + part - 1) / part <= 10_000)
    }
  }
}
