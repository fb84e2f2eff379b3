import SeaCommands
import Testing

/// What servers on the local network say of themselves.
@Suite struct DiscoveryTests {
  private func found(_ text: String) -> Discovery {
    var discovery = Discovery()
    Array(text.utf8).withUnsafeBytes { discovery.consume($0) }
    discovery.end()
    return discovery
  }

  private func line(
    name: String = "field", type: String = "_sea._tcp", host: String = "box.local", address: String = "10.0.0.1",
    port: String = "7325", texts: String = "\"scheme=sea+https\""
  ) -> String { "=;eth0;IPv4;\(name);\(type);local;\(host);\(address);\(port);\(texts)\n" }

  @Test func announcedServersAreParsed() {
    let servers = found(
      "+;eth0;IPv4;field;_sea._tcp;local\n" + line() + line(address: "fe80::1") + line()
        + line(name: "Tom\\039s\\032box\\059\\.", host: "Tom.local.", port: "1", texts: "\"a=b\" \"scheme=sea+http\"")
        + line(name: "none", texts: "")
    ).servers
    #expect(
      servers == [
        .init(
          name: "field", host: "box.local", port: 7325, addresses: ["10.0.0.1", "fe80::1"], scheme: "sea+https"),
        .init(name: "Tom's box;.", host: "tom.local", port: 1, addresses: ["10.0.0.1"], scheme: "sea+http"),
        .init(name: "none", host: "box.local", port: 7325, addresses: ["10.0.0.1"], scheme: "sea+https"),
      ])
    #expect(servers[0].location == "sea+https://box.local:7325")
  }

  @Test func invalidAnnouncementsAreIgnored() {
    let lines = [
      line(type: "_http._tcp"), line(name: ""), line(name: String(repeating: "a", count: 257)), line(host: ""),
      line(host: "-oProxyCommand"), line(host: "a b"), line(host: "a/b"), line(host: "a@b"), line(host: "a\u{1B}[2J"),
      line(host: String(repeating: "a", count: 256)), line(address: "x"), line(address: ""), line(address: "1.2.3.4;x"),
      line(port: "0"), line(port: "65536"), line(port: "-1"), line(port: "x"), line(port: ""), "=\n", "=;;;;;;;;;\n",
      "=;a\n",
    ]
    for text in lines { #expect(found(text).servers == [], "\(text)") }
    #expect(found(lines.joined() + line()).servers.count == 1)
  }

  /// However much is told, so much is kept, and that there was more is known.
  @Test func floodOfAnnouncementsIsTruncated() {
    let many = found((0..<1500).map { line(name: "n\($0)") }.joined())
    #expect(many.servers.count == 1000 && many.isCut)
    let addresses = found((0..<300).map { line(address: "10.0.0.\($0)") }.joined())
    #expect(addresses.servers.count == 1 && addresses.servers[0].addresses.count == 16 && addresses.isCut)
    let long = found(line() + String(repeating: "=;;", count: 1 << 20) + "\n" + line(name: "late"))
    #expect(long.servers.count == 1 && long.isCut)
    #expect(!found(line()).isCut)
  }
}
