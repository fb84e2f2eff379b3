import SeaContainer
import SeaHTTP
import Testing

@Suite struct TunnelSettingsTests {
  private static let (one, two, three) = (
    "sea_one_000000000000000", "sea_two_000000000000000", "sea_three_0000000000000"
  )

  private func settings(
    _ variables: [String: String], files: [String: (text: String, isOpen: Bool)] = [:], answer: String? = nil,
    for location: String = "sea+https://host/birds"
  ) -> Result<TunnelSettings, TunnelFault> {
    Result { () throws(TunnelFault) in
      try TunnelSettings(
        .init(variable: { variables[$0] }, file: { files[$0] }, ask: { _, asked in asked == location ? answer : nil }),
        location)
    }
  }

  private func token(_ result: Result<TunnelSettings, TunnelFault>) -> String? { (try? result.get())?.token }

  @Test func tokenSourcesHaveFixedOrder() {
    let (one, two, three) = (Self.one, Self.two, Self.three)
    let files = [
      "/t": ("sea+https://host \(two)\nmore\n", false),
      "/h/.config/sea/tokens": ("sea+https://host/birds \(three)\n", false),
    ]
    #expect(token(settings(["SEA_TOKEN": "sea+https://host \(one)", "SEA_TOKEN_FILE": "/t"], files: files)) == one)
    #expect(token(settings(["SEA_TOKEN_FILE": "/t", "SEA_TOKEN_COMMAND": "x"], files: files, answer: one)) == two)
    #expect(token(settings(["SEA_TOKEN_COMMAND": "x", "HOME": "/h"], files: files, answer: one)) == one)
    #expect(token(settings(["HOME": "/h"], files: files)) == three)
    #expect(token(settings(["XDG_CONFIG_HOME": "/h/.config"], files: files)) == three)
    #expect(token(settings(["HOME": "/h"], files: files, for: "sea+https://host/other")) == nil)
  }

  @Test func invalidOrMissingTokensAreDenied() {
    for (variables, files) in [
      (["SEA_TOKEN": "sea+https://host short"], [:]), (["SEA_TOKEN": "sea_with a blank_00000000000"], [:]),
      // One that says not where it belongs, and one that belongs elsewhere.
      (["SEA_TOKEN": Self.one], [:]), (["SEA_TOKEN": "sea+https://other \(Self.one)"], [:]),
      (["SEA_TOKEN_FILE": "/t"], ["/t": (Self.one, false)]),
      (["SEA_TOKEN_FILE": "/none"], [:]), (["SEA_TOKEN_FILE": "/t"], ["/t": (Self.one, true)]),
      (["SEA_TOKEN_COMMAND": "x"], [:]),
      ([:], [:]),
    ] as [([String: String], [String: (text: String, isOpen: Bool)])] {
      guard case .failure(let fault) = settings(variables, files: files) else {
        Issue.record("\(variables)")
        continue
      }
      #expect(fault.code == .denied)
      #expect(!fault.text.contains("sea_"))
    }
  }

  @Test func longestMatchingLocationGivesToken() {
    let (one, two) = (Self.one, Self.two)
    let text = """
      # sea+https://host/birds nothing
      sea+https://host \(one)
      sea+https://host/birds/ \(two)
      garbage
      """
    for (location, token) in [
      ("sea+https://host/birds", one), ("sea+https://host/birds/x", two), ("sea+https://host", one),
      ("sea+https://host.evil/birds", nil), ("sea+https://hos", nil), ("sea+http://host/birds", nil),
    ] {
      #expect(TunnelSettings.token(in: text, for: location) == token, "\(location)")
    }
  }

  @Test func eventStreamIsParsedAcrossChunks() throws {
    let text = ": hello\n\nevent: ready\ndata:\n\nevent: news\r\ndata: a/b\r\n\r\ndata: x\ndata: y\n\n"
    for size in [1, 3, 1000] {
      var stream = EventStream()
      var events: [EventStream.Event] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        events += try #require(Array(rest.prefix(size)).withUnsafeBytes { stream.consume($0) })
        rest = rest.dropFirst(size)
      }
      #expect(
        events == [
          .init(name: "ready", data: ""), .init(name: "news", data: "a/b"), .init(name: "", data: "x\ny"),
        ])
    }
    var stream = EventStream()
    #expect([UInt8](repeating: 0x61, count: 5000).withUnsafeBytes { stream.consume($0) } == nil)
  }
}
