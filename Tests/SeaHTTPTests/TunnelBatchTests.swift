import SeaContainer
import SeaHTTP
import Testing

/// What is passed on of the answers of a server, whatever they are cut into and wherever they break off.
@Suite struct TunnelBatchTests {
  private final class Said {
    var bytes: [UInt8] = []
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private func batch(
    _ requests: [(Wire.Request, String)], greets: Bool = false
  ) -> (batch: TunnelBatch, said: Said) {
    let said = Said()
    let batch = TunnelBatch(requests.map { ($0.0, Array($0.1.utf8)) }, greets: greets) { said.bytes += $0 }
    return (batch, said)
  }

  private func sent(_ batch: TunnelBatch) -> String { String(decoding: batch.begin().joined(), as: UTF8.self) }

  private func feed(_ batch: TunnelBatch, _ text: String, pieces size: Int = 1000) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      guard Array(rest.prefix(size)).withUnsafeBytes({ batch.consume($0) }) else { return false }
      rest = rest.dropFirst(size)
    }
    return true
  }

  private static let several: [(Wire.Request, String)] = [
    (.list(nil), ""), (.put("a", size: 3), "one"), (.get("a", offset: 0, count: 9), ""), (.delete("b"), ""),
    (.get("none", offset: 0, count: 9), ""), (.flush, ""),
  ]
  private static let answers = """
    sea-helper 1 await
    file 3 7 a
    ok
    error exists
    ok 3
    oneok
    error not-found
    ok

    """

  @Test(arguments: [1, 2, 7, 1000]) func answersArePassedOnInOrder(size: Int) {
    let (batch, said) = batch(Self.several)
    #expect(sent(batch) == "sea-helper 1\nlist .\nput a 3\noneget a 0 9\ndelete b\nget none 0 9\nflush\n")
    #expect(feed(batch, Self.answers, pieces: size))
    #expect(batch.isDone)
    #expect(said.text == Self.answers.split(separator: "\n", maxSplits: 1)[1])
  }

  /// It goes on where it broke off, and says nothing a second time but names of a listing.
  @Test func batchResumesAfterAnyBreak() {
    let whole = Array(Self.answers.utf8)
    for count in 0..<whole.count {
      let (batch, said) = batch(Self.several, greets: true)
      _ = batch.begin()
      #expect(whole[..<count].withUnsafeBytes { batch.consume($0) })
      guard !batch.isDone else { continue }
      batch.markUnconfirmed()
      // What the server answers to what it is sent then; the put was done.
      var answer = "sea-helper 1 await\n"
      for line in sent(batch).split(separator: "\n").dropFirst() {
        switch line {
        case "list .": answer += "file 3 7 a\nok\n"
        case "put a 3": answer += "error exists\n"
        case "oneget a 0 4", "get a 0 9", "get a 0 3": answer += "ok 3\none"
        case "get a 1 2": answer += "ok 2\nne"
        case "get a 2 1": answer += "ok 1\ne"
        case "get none 0 9": answer += "error not-found\n"
        default: answer += "ok\n"
        }
      }
      #expect(feed(batch, answer), "\(count)")
      #expect(batch.isDone && !batch.isStuck, "\(count)")
      var lines = said.text.replacing("file 3 7 a\nfile 3 7 a\n", with: "file 3 7 a\n")
      // A put that was refused before it broke off was refused; one that was sent again is ours.
      lines = lines.replacing("ok\nerror exists\nok 3", with: "ok\nok\nok 3")
      #expect(lines == Self.answers.replacing("error exists", with: "ok"), "\(count)")
    }
  }

  @Test func unconfirmedWriteIsConfirmedByReading() {
    for (proof, answer) in [
      ("ok 3\none", "ok\n"), ("ok 3\ntwo", "error exists\n"), ("ok 4\nones", "error exists\n"),
      ("ok 0\n", "error exists\n"),
      ("error not-found\n", "error exists\n"),
    ] {
      let (batch, said) = batch([(.put("a", size: 3), "one")])
      batch.markUnconfirmed()
      #expect(sent(batch) == "sea-helper 1\nput a 3\noneget a 0 4\n")
      #expect(feed(batch, "sea-helper 1\nerror exists\n\(proof)", pieces: 3))
      #expect(said.text == answer)
    }
    for (proof, answer) in [("ok 0\n", "ok\n"), ("error not-found\n", "error not-found\n")] {
      let (batch, said) = batch([(.move("a", to: "b"), "")])
      batch.markUnconfirmed()
      #expect(sent(batch) == "sea-helper 1\nmove a b\nget b 0 0\n")
      #expect(feed(batch, "sea-helper 1\nerror not-found\n\(proof)"))
      #expect(said.text == answer)
    }
    // Without a doubt nothing more is asked.
    let (batch, said) = batch([(.put("a", size: 3), "one")])
    #expect(sent(batch) == "sea-helper 1\nput a 3\none")
    #expect(feed(batch, "sea-helper 1\nerror exists\n"))
    #expect(said.text == "error exists\n")
  }

  @Test func invalidAnswersAreRefused() {
    for text in [
      "<html>\n", "ok\n", "sea-helper 1\nok 3\n", "sea-helper 1\nfile 1 1 a\n", "sea-helper 1\nnews .\n",
      "sea-helper 1\nok\nok\n", "sea-helper 1\nsea-helper 1\n", String(repeating: "a", count: 2000),
    ] {
      let (batch, _) = batch([(.put("a", size: 3), "one")])
      _ = batch.begin()
      #expect(!feed(batch, text), "\(text)")
    }
    let (batch, _) = batch([(.get("a", offset: 0, count: 2), "")])
    _ = batch.begin()
    #expect(!feed(batch, "sea-helper 1\nok 3\n"))
  }

  @Test func batchIsStuckWhenFileVanishesMidway() {
    let (batch, said) = batch([(.get("a", offset: 0, count: 9), ""), (.flush, "")])
    _ = batch.begin()
    #expect(feed(batch, "sea-helper 1\nok 3\non"))
    #expect(batch.isInBytes)
    batch.markUnconfirmed()
    #expect(sent(batch) == "sea-helper 1\nget a 2 1\nflush\n")
    #expect(!feed(batch, "sea-helper 1\nerror not-found\n"))
    #expect(batch.isStuck)
    batch.fail(TunnelFault(.gone, "x"))
    #expect(said.text == "ok 3\non")
  }

  @Test func refusedBatchAnswersEveryRequest() {
    let (batch, said) = batch([(.list(nil), ""), (.put("a", size: 1), "x")], greets: true)
    _ = batch.begin()
    #expect(batch.halves?.map(\.count) == [1, 1])
    batch.fail(TunnelFault(.denied, "no\u{1B}"))
    #expect(said.text == "error denied no \nerror denied no \nerror denied no \n")
    let single = self.batch([(.flush, "")]).batch
    #expect(single.halves == nil)
  }
}
