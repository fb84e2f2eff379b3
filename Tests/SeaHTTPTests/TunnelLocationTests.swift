import SeaHTTP
import Testing

@Suite struct TunnelLocationTests {
  @Test func locationsAreMappedToURLs() {
    for (text, url) in [
      ("sea+https://host/birds", "https://host/birds"),
      ("sea+https://host:8443/sea/birds/", "https://host:8443/sea/birds"),
      ("sea+https://[2001:db8::1]:443/b.sea", "https://[2001:db8::1]:443/b.sea"),
      ("sea+http://127.0.0.1:7325/birds", "http://127.0.0.1:7325/birds"), ("sea+http://[::1]/b", "http://[::1]/b"),
      ("sea+http://localhost:80/b", "http://localhost:80/b"),
    ] {
      #expect(TunnelLocation(text)?.url == url, "\(text)")
    }
  }

  @Test func invalidLocationsAreRefused() {
    for text in [
      "sea+https:host/b", "sea+https://", "sea+https://host", "sea+https://host/", "sea+https:///b", "https://host/b",
      "sea+https://ada@host/b", "sea+https://host:0/b", "sea+https://host:70000/b", "sea+https://host:/b",
      "sea+https://host/b?x", "sea+https://host/b#x", "sea+https://host/../b", "sea+https://host/.b",
      "sea+https://host/a//b",
      "sea+https://host/a b", "sea+https://host/a%2fb", "sea+https://ho st/b", "sea+https://[::1/b",
      "sea+https://[x]/b",
      "sea+http://host/b", "sea+http://127.0.0.1.example.org/b", "sea+http://10.0.0.1/b", "sea+http://localhost.evil/b",
      "sea+https://host/\(String(repeating: "a", count: 65))",
    ] {
      #expect(TunnelLocation(text) == nil, "\(text)")
    }
  }
}
