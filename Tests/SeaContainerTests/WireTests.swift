import SeaContainer
import Testing

/// What is a line of sea-helpers(5), and what is a place.
@Suite struct WireTests {
  @Test func requestsAndAnswersRoundTrip() {
    let all: [Wire.Request] = [
      .greet(version: 1, words: []), .greet(version: 12, words: ["a", "b-c"]), .list(nil), .list("transactions"),
      .get("a/b.c", offset: 0, count: 999_999_999_999_999_999), .put("x", size: 0), .replace("x_y-z", size: 7),
      .move("a", to: "b"), .delete("1/2/3"), .flush, .await(600), .bye,
    ]
    for request in all { #expect(Wire.Request(request.line) == request) }
    let files: [Wire.Answer] = [
      .greet(version: 1, words: ["append-only"]), .file(WireFile(path: "a", size: 1, time: 2)), .wait, .ok(nil), .ok(0),
      .news(nil),
      .news("transactions/a"),
      .error("exists", ""), .error("failed", "as it is"),
    ]
    for answer in files { #expect(Wire.Answer(answer.line) == answer) }
  }

  @Test func invalidLinesAreRefused() {
    for line in [
      "", " ", "LIST .", "list", "list ..", "list  .", "list . ", "list /", "list /a", "get a 1", "get a 1 -1",
      "get a 01 1", "get a 1 1 1", "get a b 1", "put a", "put a +1", "put ../a 1", "put a/../b 1", "put a/./b 1",
      "put a/ 1", "put a//b 1", "put ü 1", "put a\u{0} 1", "move a", "delete", "flush now", "await", "await x",
      "await 1 2", "bye bye", "sea-helper",
      "sea-helper x", "put a 9999999999999999999", "put \(String(repeating: "a", count: 256)) 1",
    ] {
      #expect(Wire.Request(line) == nil, "\(line)")
    }
    for line in [
      "", "OK", "ok ", "ok 1 2", "ok x", "news", "news ..", "news a b", "file", "file 1 2", "file 1 x a",
      "file 1 2 a b", "error", "hello",
    ] {
      #expect(Wire.Answer(line) == nil, "\(line)")
    }
  }

  @Test func locationSchemePathAndPasswordAreParsed() {
    for (text, scheme) in [
      ("ssh://h/p", "ssh"), ("rclone:remote:path", "rclone"), ("sea+https://h", "sea+https"), ("file:///p", "file"),
    ] {
      #expect(HelperPlace.scheme(of: text) == scheme)
    }
    for text in ["/a:b", "./ab:c", "c:x", "Ab:c", "1a:c", "a_b:c", ":x", "", "ab", "../ab:c", "a/b:c"] {
      #expect(HelperPlace.scheme(of: text) == nil, "\(text)")
      #expect(HelperPlace.path(of: text) == text)
    }
    #expect(HelperPlace.path(of: "file:///a/b") == "/a/b")
    #expect(HelperPlace("s3://user:word@host/x")?.hasPassword == true)
    #expect(HelperPlace("s3://user@host:8/x:y@z")?.hasPassword == false)
    #expect(HelperPlace("rclone:a:b@c")?.hasPassword == false)
  }

  @Test func sshArgumentsAreQuotedAndChecked() throws {
    func given(_ text: String) -> [String]? { SSHPlace(text)?.arguments }
    #expect(given("ssh://host/srv/x.sea") == ["host", "sea serve --stdio '/srv/x.sea'"])
    #expect(given("ssh://ada@host:2222/srv/x") == ["-p", "2222", "ada@host", "sea serve --stdio '/srv/x'"])
    #expect(given("ssh://[fe80::1%25eth0]:22/x") == ["-p", "22", "fe80::1%25eth0", "sea serve --stdio '/x'"])
    #expect(given("ssh://host/~/x") == ["host", "sea serve --stdio './x'"])
    #expect(given("ssh://host/it's%20$(x)`y`") == ["host", "sea serve --stdio '/it'\\''s $(x)`y`'"])
    for text in [
      "ssh://-oProxyCommand=x/p", "ssh://-h/p", "ssh://-u@h/p", "ssh://u@-h/p", "ssh://h", "ssh://h/", "ssh:///p",
      "ssh:h:/p",
      "ssh://h:0/p", "ssh://h:70000/p", "ssh://h:-1/p", "ssh://h:/p", "ssh://h x/p", "ssh://u;v@h/p", "ssh://h/a%0Ab",
      "ssh://h/a%zz", "ssh://h/a%2", "ssh://[-x]/p", "ssh://[a b]/p", "ssh://h/a%ff", "ssh://a:b@h/p", "ssh://@h/p",
    ] {
      #expect(SSHPlace(text) == nil, "\(text)")
    }
  }
}
